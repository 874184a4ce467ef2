//! Regular expressions as LLVM reads them: POSIX extended ones.

use regex::bytes::{Regex, RegexBuilder};

/// Compiles a POSIX extended regular expression. Errors: LLVM's words.
pub(super) fn compile(pattern: &[u8]) -> Result<Regex, &'static str> {
    let pattern = String::from_utf8_lossy(pattern);
    let translated = translate(&pattern)?;
    let built = RegexBuilder::new(&translated).unicode(false).dot_matches_new_line(true).build();
    built.map_err(|_| "invalid regular expression")
}

/// Translates into the syntax of the crate `regex`, where a backslash and brackets mean more.
fn translate(pattern: &str) -> Result<String, &'static str> {
    let mut out = String::new();
    let mut characters = pattern.chars().peekable();
    let mut depth = 0usize;
    // Whether something stands before that can be repeated.
    let mut operand = false;
    while let Some(character) = characters.next() {
        let repeatable = !matches!(character, '(' | '|' | '^');
        match character {
            '\\' => match characters.next() {
                Some(digit @ '1'..='9') => {
                    let _ = digit;
                    return Err("back references are not supported");
                }
                Some(literal) => out.push_str(&regex::escape(literal.encode_utf8(&mut [0; 4]))),
                None => return Err("trailing backslash (\\)"),
            },
            '[' => bracket(&mut characters, &mut out)?,
            '(' => {
                depth += 1;
                out.push('(');
            }
            ')' => {
                depth = depth.checked_sub(1).ok_or("parentheses not balanced")?;
                out.push(')');
            }
            '*' | '+' | '?' if !operand => return Err("repetition-operator operand invalid"),
            '{' if !characters.peek().is_some_and(char::is_ascii_digit) => out.push_str("\\{"),
            '{' if !operand => return Err("repetition-operator operand invalid"),
            '}' if !out
                .rsplit('{')
                .next()
                .is_some_and(|bound| bound.chars().all(|c| c.is_ascii_digit() || c == ',')) =>
            {
                out.push_str("\\}");
            }
            other => out.push(other),
        }
        operand = repeatable;
    }
    if depth > 0 { Err("parentheses not balanced") } else { Ok(out) }
}

/// Translates a bracket expression, whose `[` has been read.
fn bracket(characters: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) -> Result<(), &'static str> {
    const UNBALANCED: &str = "brackets ([ ]) not balanced";
    out.push('[');
    if characters.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    let mut first = true;
    loop {
        let character = characters.next().ok_or(UNBALANCED)?;
        match character {
            ']' if !first => break,
            '[' if characters.peek() == Some(&':') => {
                out.push('[');
                loop {
                    let inner = characters.next().ok_or(UNBALANCED)?;
                    out.push(inner);
                    if inner == ']' {
                        break;
                    }
                }
            }
            '-' => out.push('-'),
            // None of these has a meaning of its own in brackets of POSIX.
            '\\' | '[' | ']' | '&' | '~' | '^' => {
                out.push('\\');
                out.push(character);
            }
            other => out.push(other),
        }
        first = false;
    }
    out.push(']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posix_syntax_is_understood() {
        let matches = |pattern: &str, text: &str| compile(pattern.as_bytes()).unwrap().is_match(text.as_bytes());
        for (pattern, text) in [
            ("^foo$", "foo"),
            ("a\\.b", "a.b"),
            ("\\d", "d"),
            ("[\\d]", "\\"),
            ("[]a]", "]"),
            ("[^]a]", "b"),
            ("[[:digit:]x]", "7"),
            ("a{2}", "aa"),
            ("a{,", "a{,"),
            ("x}", "x}"),
            ("(a|b)c", "bc"),
            ("_Z[0-9]+foo", "_Z3foov"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        assert!(!matches("\\d", "7"));
        assert!(!matches("[a-c]", "-"));
    }

    #[test]
    fn errors_have_llvms_words() {
        for (pattern, words) in [
            ("(", "parentheses not balanced"),
            (")", "parentheses not balanced"),
            ("[a", "brackets ([ ]) not balanced"),
            ("*a", "repetition-operator operand invalid"),
            ("a\\", "trailing backslash (\\)"),
        ] {
            assert_eq!(compile(pattern.as_bytes()).unwrap_err(), words, "{pattern}");
        }
    }
}
