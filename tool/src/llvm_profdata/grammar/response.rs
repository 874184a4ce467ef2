//! Response files: `@FILE` stands for the arguments in a file.

use super::super::path_of;

/// Response files may name others, to this depth.
const DEEPEST: usize = 20;

/// Replaces each `@FILE` whose file can be read by the arguments in it.
pub(in super::super) fn expand(arguments: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for argument in arguments {
        add(argument, DEEPEST, &mut all);
    }
    all
}

fn add(argument: Vec<u8>, depth: usize, all: &mut Vec<Vec<u8>>) {
    let file = argument.strip_prefix(b"@").filter(|_| depth > 0).and_then(|path| std::fs::read(path_of(path)).ok());
    match file {
        Some(text) => split(&text).into_iter().for_each(|argument| add(argument, depth - 1, all)),
        None => all.push(argument),
    }
}

/// Splits text as GNU tools do: at white space, which quotes and backslashes protect.
fn split(text: &[u8]) -> Vec<Vec<u8>> {
    let mut arguments = Vec::new();
    let mut current: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => current.get_or_insert_default().extend(bytes.next()),
            (_, Some(open)) if byte == open => quote = None,
            (_, Some(_)) => current.get_or_insert_default().push(byte),
            (b'"' | b'\'', None) => {
                current.get_or_insert_default();
                quote = Some(byte);
            }
            (byte, None) if byte.is_ascii_whitespace() => arguments.extend(current.take()),
            (byte, None) => current.get_or_insert_default().push(byte),
        }
    }
    arguments.extend(current);
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_protect_white_space() {
        let words: [&[u8]; 5] = [b"merge", b"a b", b"c d", b"", b"e\"f"];
        assert_eq!(split(b"merge 'a b'\n c\\ d \"\" e\\\"f "), words);
        assert!(split(b" \n").is_empty());
    }
}
