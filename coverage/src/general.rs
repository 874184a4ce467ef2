//! Names of functions without what their instances differ in.

/// Returns a demangled name without types, arguments and what it returns: `Shape::twice` of `<Sq as Shape>::twice`, `put` of
/// `void put<int>(int)`.
pub fn general(name: &str) -> String {
    let (mut general, mut rest) = (String::new(), name);
    while let Some(first) = rest.chars().next() {
        let sign = operator(&general, rest);
        if sign > 0 {
            let (sign, behind) = rest.split_at(sign);
            general += sign;
            rest = behind;
            continue;
        }
        let group = group(rest);
        match first {
            '<' => {
                let inner = group.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or_default();
                match inner.strip_prefix("impl ").map_or_else(|| parts(inner, " as "), |of| parts(of, " for ")) {
                    // A method of a trait is named by it, whatever the type.
                    (_, Some(of)) if !inner.starts_with("impl ") => general = self::general(of),
                    (of, Some(_)) => general = self::general(of),
                    (of, None) if general.is_empty() => general = self::general(of),
                    // `f::<u32>`
                    _ if general.ends_with("::") => general.truncate(general.len() - 2),
                    _ => {}
                }
            }
            '(' if group == "(anonymous namespace)" => general += group,
            '(' if general.ends_with("decltype") => {}
            '(' if !general.is_empty() => break,
            ' ' if rest.starts_with(" <") => {}
            // What it returns was before.
            ' ' if !general.ends_with("operator") => general.clear(),
            '{' => general += group,
            other => {
                general.push(other);
                rest = rest.get(other.len_utf8()..).unwrap_or_default();
                continue;
            }
        }
        rest = rest.get(group.len()..).unwrap_or_default();
    }
    if general.is_empty() { name.to_owned() } else { general }
}

/// Returns how many bytes of the rest are the sign of an operator, whose name is before.
fn operator(before: &str, rest: &str) -> usize {
    let is_operator = before
        .strip_suffix("operator")
        .is_some_and(|before| !before.ends_with(|last: char| last.is_alphanumeric() || last == '_'));
    match () {
        () if !is_operator => 0,
        () if rest.starts_with("()") => 2,
        () => rest.find(|sign| !"<>=+-*/%^&|~!,[]".contains(sign)).unwrap_or(rest.len()),
    }
}

/// Returns the text to the end of the brackets that it begins with, else its first character.
fn group(text: &str) -> &str {
    let (mut depth, mut before) = (0_u32, ' ');
    for (place, sign) in text.char_indices() {
        match sign {
            '<' | '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            '>' if before != '-' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(..place + sign.len_utf8()).unwrap_or(text);
        }
        before = sign;
    }
    text
}

/// Splits a text at the first word that is in no brackets.
fn parts<'t>(text: &'t str, word: &str) -> (&'t str, Option<&'t str>) {
    let mut place = 0;
    while let Some(rest) = text.get(place..).filter(|rest| !rest.is_empty()) {
        if let Some(behind) = rest.strip_prefix(word) {
            return (text.get(..place).unwrap_or(text), Some(behind));
        }
        place += group(rest).len();
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn names_of_two_languages() {
        for (name, expected) in [
            ("main", "main"),
            ("<first::Sq as first::Shape>::twice", "first::Shape::twice"),
            ("<first::Sq as core::convert::From<first::Ci>>::from", "core::convert::From::from"),
            ("<alloc::vec::Vec<u32>>::push", "alloc::vec::Vec::push"),
            ("<fn(u32) -> u32 as first::Shape>::twice", "first::Shape::twice"),
            ("first::<impl first::Shape for first::Sq>::twice", "first::Shape::twice"),
            ("first::largest::<&str>", "first::largest"),
            ("first::largest::<u32>::{closure#0}", "first::largest::{closure#0}"),
            ("void put<int>(int)", "put"),
            ("std::vector<int> make<std::vector<int> >(int)", "make"),
            ("ns::Box<int>::get() const", "ns::Box::get"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("decltype (a+b) add<int>(int)", "add"),
            ("bool operator< <int>(Box<int>, Box<int>)", "operator<"),
            ("Box<int>::operator()(int)", "Box::operator()"),
            ("Box<int>::operator bool() const", "Box::operator bool"),
            ("int my_operator<int>(int)", "my_operator"),
            ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"),
            ("a<<<", "a"),
            ("", ""),
        ] {
            assert_eq!(general(name), expected, "{name}");
        }
    }
}
