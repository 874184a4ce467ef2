//! Parses the list in `LLVM_PROFILE_DUMP_SIGNALS`: `TERM, sigint,15`.

use crate::os::{SIGNAL_NAMES, SIGNALS, SignalName};
use crate::path::decimal;

/// Returns the words of a list with their signals; `None` for a word that is no signal.
pub fn signals(list: &[u8]) -> impl Iterator<Item = (&[u8], Option<i32>)> {
    let words = list.split(|byte| *byte == b',' || byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    words.map(|word| (word, signal(word)))
}

/// Returns the number of the signal that a word names.
fn signal(word: &[u8]) -> Option<i32> {
    if let Some(number) = decimal(word) {
        return (1..=SIGNALS).contains(&number).then_some(number as i32);
    }
    let (prefix, rest) = word.split_at_checked(3).unwrap_or_default();
    let name = if prefix.eq_ignore_ascii_case(b"SIG") { rest } else { word };
    let is = |known: &SignalName| {
        let letters = known.iter().take_while(|letter| **letter != 0).count();
        known.get(..letters).is_some_and(|known| known.eq_ignore_ascii_case(name))
    };
    SIGNAL_NAMES.iter().find(|(known, _)| is(known)).map(|(_, number)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn of(list: &str) -> Vec<Option<i32>> {
        signals(list.as_bytes()).map(|(_, signal)| signal).collect()
    }

    #[test]
    fn names_in_any_form() {
        assert_eq!(of("TERM,INT"), [Some(15), Some(2)]);
        assert_eq!(of("sigterm,Int,SigInt"), [Some(15), Some(2), Some(2)]);
        assert_eq!(of("IO"), [Some(29)]);
    }

    #[test]
    fn spaces_and_empty_words() {
        assert_eq!(of(" TERM , INT\t,,2 "), [Some(15), Some(2), Some(2)]);
        assert_eq!(of("TERM INT"), [Some(15), Some(2)]);
        assert_eq!((of(""), of(" , ,")), (Vec::new(), Vec::new()));
    }

    #[test]
    fn numbers() {
        assert_eq!(of("15,064,1"), [Some(15), Some(64), Some(1)]);
        assert_eq!(of("0,65,999,1000,99999999999999999999,-1,+1,1x,0x1,SIG15"), [None; 10]);
    }

    #[test]
    fn unknown_words_are_told_and_the_rest_stays() {
        let words: Vec<_> = signals(b"TERM,FOO,SIG,SIGSIGINT,INT").collect();
        let unknown: Vec<_> = words.iter().filter(|(_, signal)| signal.is_none()).map(|(word, _)| *word).collect();
        assert_eq!(unknown, [b"FOO" as &[u8], b"SIG", b"SIGSIGINT"]);
        assert_eq!(words.iter().filter_map(|(_, signal)| *signal).collect::<Vec<_>>(), [15, 2]);
    }
}
