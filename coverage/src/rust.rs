//! What every Rust program has, and nobody tests: derives, `unreachable!`, and tests themselves.

mod files;

pub use files::of_tests;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Words that an item begins with, so that a comma in it is not its end.
const ITEMS: [&str; 12] =
    ["const", "enum", "extern", "fn", "impl", "macro_rules", "mod", "static", "struct", "trait", "type", "use"];

/// Adds the lines that are excluded of a source.
pub fn add(source: &str, excluded: &mut Vec<(u32, u32)>) {
    for (number, text) in (1..).zip(source.lines()) {
        if text.trim_start().starts_with("#[derive(") || text.contains("unreachable!(") {
            excluded.push((number, number));
        }
    }
    let mut groups: Vec<TokenStream> = source.parse().into_iter().collect();
    while let Some(group) = groups.pop() {
        let mut tokens = group.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let first = line(&token);
            match token {
                TokenTree::Punct(sign) if sign.as_char() == '#' && tokens.peek().is_some_and(is_test) => {
                    excluded.push((first, end(&mut tokens)));
                }
                TokenTree::Group(inner) => groups.push(inner.stream()),
                _ => {}
            }
        }
    }
    // Else all sources would stay in memory.
    proc_macro2::extra::invalidate_current_thread_spans();
}

/// Returns whether this is the rest of an attribute of tests: `[test]` of any crate, `[rstest]`, `[bench]`, `[cfg(test)]`.
fn is_test(attribute: &TokenTree) -> bool {
    let TokenTree::Group(group) = attribute else { return false };
    let mut last = None;
    for token in group.stream() {
        match token {
            TokenTree::Ident(word) => last = Some(word),
            TokenTree::Group(inner) if last.as_ref().is_some_and(|word| word == "cfg") => {
                return needs_test(inner.stream());
            }
            TokenTree::Punct(sign) if sign.as_char() == ':' => {}
            // Arguments.
            _ => break,
        }
    }
    last.is_some_and(|word| ["test", "rstest", "test_case", "bench"].iter().any(|test| word == test))
}

/// Returns whether a condition holds in tests only: `test`, or `all` with a part that does.
fn needs_test(condition: TokenStream) -> bool {
    let mut all = vec![condition];
    while let Some(condition) = all.pop() {
        let mut tokens = condition.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match (token, tokens.peek()) {
                (TokenTree::Ident(word), Some(TokenTree::Group(inner))) if word == "all" => all.push(inner.stream()),
                (TokenTree::Ident(word), None) if word == "test" => return true,
                (TokenTree::Ident(word), Some(TokenTree::Punct(sign))) if word == "test" && sign.as_char() == ',' => {
                    return true;
                }
                _ => {}
            }
        }
    }
    false
}

/// Takes what an attribute belongs to, and returns its last line: an item ends with braces or a semicolon, a field or variant with a comma.
fn end(tokens: &mut impl Iterator<Item = TokenTree>) -> u32 {
    let (mut last, mut is_item) = (0, false);
    for token in tokens {
        last = line(&token);
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            TokenTree::Punct(sign) if sign.as_char() == ';' || sign.as_char() == ',' && !is_item => break,
            TokenTree::Ident(word) => is_item |= ITEMS.iter().any(|item| word == item),
            _ => {}
        }
    }
    last
}

/// Returns the line that a token ends in.
fn line(token: &TokenTree) -> u32 {
    u32::try_from(token.span().end().line).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines that are excluded, which are marked in the source.
    fn check(source: &str) {
        let mut excluded = Vec::new();
        add(source, &mut excluded);
        for (number, text) in (1..).zip(source.lines()) {
            let is_excluded = excluded.iter().any(|(first, last)| (*first..=*last).contains(&number));
            assert_eq!(is_excluded, text.ends_with("//-"), "{number}: {text}");
        }
    }

    #[test]
    fn what_every_rust_program_has() {
        check(
            "#[derive(Debug)] //-
struct A {
    #[cfg(test)] //-
    a: u32, //-
    b: u32,
}
enum E {
    A,
    #[cfg(test)] //-
    B //-
}
fn f() {
    unreachable!(); //-
}
#[cfg(test)] //-
use x; //-
#[cfg(test)] //-
fn generic<A, B>(a: A) -> u32 //-
where //-
    A: Into<B>, //-
    B: Copy, //-
{ //-
} //-
fn g(a: &str) -> &str { \"#[test]\" }
impl A {
    #[test] //-
    #[should_panic] //-
    fn at_any_depth() {} //-
    fn g() {}
}
#[cfg(not(test))]
fn h() {}
#[tokio::test(flavor = \"current_thread\")] //-
async fn waits() {} //-
#[rstest] //-
#[case(1)] //-
fn cases(#[case] x: u32) {} //-
#[cfg(all(unix, all(test, feature = \"x\")))] //-
fn i() {} //-
#[cfg(any(test, unix))]
fn j() {}
#[cfg(all(unix, not(test)))]
#[cfg(all(unix, feature = \"test\"))]
#[test_log(test)]
fn k() {}
",
        );
    }

    #[test]
    fn texts_end_nothing_and_depth_is_no_matter() {
        check(
            "#[cfg(test)] //-
mod tests { //-
    const JSON: &str = r#\" //-
} //-
\"#; //-
    fn helper() {} //-
} //-
fn f() {}
",
        );
        let deep = 100_000;
        check(&format!("#[{}{}]\n", "(".repeat(deep), ")".repeat(deep)));
        check("fn f() { \"\n#[test]\nfn a() {}\n");
    }
}
