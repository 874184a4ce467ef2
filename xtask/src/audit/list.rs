//! The form of the lists: a line an entry, columns between blanks, the reason last, `#` for comments.

use anyhow::{Result, bail};

/// Reads the `N` columns before the reasons; an entry without a reason is an error.
pub fn parse<const N: usize>(text: &str) -> Result<Vec<[String; N]>> {
    let mut entries = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut rest = line;
        let columns = std::array::from_fn(|_| {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            rest = after.trim_start();
            word.to_owned()
        });
        if rest.is_empty() {
            bail!("line {}: `{line}` has no reason; write {N} column(s) and then why", number + 1);
        }
        entries.push(columns);
    }
    Ok(entries)
}

/// `name`, or `prefix*`.
pub fn matches(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_needs_a_reason() {
        let good = parse::<2>("# comment\n\nopen  abi-*  to write the file\n").unwrap();
        assert_eq!(good, [["open", "abi-*"]]);
        let error = parse::<2>("\nopen abi-*\n").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("no reason"), "{error}");
    }

    #[test]
    fn a_star_stands_for_the_rest() {
        assert!(matches("abi-*", "abi-dump") && matches("*", "abi-dump") && matches("open", "open"));
        assert!(!matches("abi-*", "os-unix") && !matches("open", "openat"));
    }
}
