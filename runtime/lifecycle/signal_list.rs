//! Parses the list in `LLVM_PROFILE_DUMP_SIGNALS`: `TERM, sigint,15 RTMIN+3`.

use crate::os::{SIGNAL_NAMES, SignalName, realtime_signals};
use crate::path::decimal;

/// Returns the words of a list with their signals; `None` for a word that is no signal.
pub fn signals(list: &[u8]) -> impl Iterator<Item = (&[u8], Option<i32>)> {
    let words = list.split(|byte| *byte == b',' || byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    words.map(|word| (word, signal(word)))
}

/// Returns the number of the signal that a word names.
fn signal(word: &[u8]) -> Option<i32> {
    let (first, last) = realtime_signals();
    if let Some(number) = number(word) {
        return (number >= 1 && number <= last).then_some(number);
    }
    let name = without_prefix(word, b"SIG").unwrap_or(word);
    let realtime = if let Some(offset) = without_prefix(name, b"RTMIN") {
        first.checked_add(distance(offset, b'+')?)?
    } else if let Some(offset) = without_prefix(name, b"RTMAX") {
        last.checked_sub(distance(offset, b'-')?)?
    } else {
        let is = |known: &SignalName| {
            let letters = known.iter().take_while(|letter| **letter != 0).count();
            known.get(..letters).is_some_and(|known| known.eq_ignore_ascii_case(name))
        };
        return SIGNAL_NAMES.iter().find(|(known, _)| is(known)).map(|(_, number)| *number);
    };
    (first..=last).contains(&realtime).then_some(realtime)
}

/// Returns the word without its prefix, ignoring case.
fn without_prefix<'a>(word: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (head, rest) = word.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Parses the number after `sign`; 0 for an empty text.
fn distance(text: &[u8], sign: u8) -> Option<i32> {
    match text.split_first() {
        None => Some(0),
        Some((first, digits)) if *first == sign => number(digits),
        Some(_) => None,
    }
}

/// Parses a decimal number; `None` if it is too large for a signal.
fn number(digits: &[u8]) -> Option<i32> {
    decimal(digits).filter(|number| *number < 1000).map(|number| number as i32)
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
    fn realtime() {
        assert_eq!(of("RTMIN,SIGRTMIN+0,rtmin+3,RTMIN+30"), [Some(34), Some(34), Some(37), Some(64)]);
        assert_eq!(of("RTMAX,SIGRTMAX-1,rtmax-30"), [Some(64), Some(63), Some(34)]);
        assert_eq!(of("RTMIN+31,RTMAX-31,RTMIN-1,RTMAX+1,RTMIN+,RTMIN3,RTMINx,RTMIN+x,RTMAX-999"), [None; 9]);
    }

    #[test]
    fn unknown_words_are_told_and_the_rest_stays() {
        let words: Vec<_> = signals(b"TERM,FOO,SIG,SIGSIGINT,INT").collect();
        let unknown: Vec<_> = words.iter().filter(|(_, signal)| signal.is_none()).map(|(word, _)| *word).collect();
        assert_eq!(unknown, [b"FOO" as &[u8], b"SIG", b"SIGSIGINT"]);
        assert_eq!(words.iter().filter_map(|(_, signal)| *signal).collect::<Vec<_>>(), [15, 2]);
    }
}
