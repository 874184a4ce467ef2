//! Names of functions as people write them.

use crate::text::{printable, printable_bytes};

/// Splits a name into the file that local functions have before theirs, with the delimiter behind it (`file.c;`, up to LLVM 17 `file.c:`), and
/// the symbol.
pub fn split(name: &[u8]) -> (&[u8], &[u8]) {
    name.split_at(memchr::memrchr2(b';', b':', name).map_or(0, |at| at + 1))
}

/// Returns a name of Rust or C++ demangled, after the file that local functions have before it; any other name as it is. Bytes that are not
/// UTF-8 are escaped, so that names that differ stay different.
pub fn demangle(name: &[u8]) -> String {
    let (file, symbol) = split(name);
    let Ok(symbol) = str::from_utf8(symbol) else { return printable_bytes(name) };
    let (base, _) = symbol.split_once(".llvm.").unwrap_or((symbol, ""));
    let demangled = match rustc_demangle::try_demangle(base) {
        Ok(rust) => format!("{rust:#}"),
        Err(_) if base.starts_with("_Z") => {
            cpp_demangle::Symbol::new(base).ok().and_then(|symbol| symbol.demangle().ok()).unwrap_or(base.to_owned())
        }
        Err(_) => base.to_owned(),
    };
    printable_bytes(file) + &printable(&demangled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_three_languages() {
        for (name, expected) in [
            ("main", "main"),
            ("src/a.c;helper", "src/a.c;helper"),
            ("a.cpp;_ZL3fooi", "a.cpp;foo(int)"),
            ("_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_ZN3foo3barEv.llvm.1234", "foo::bar()"),
            ("_Zxx", "_Zxx"),
            ("a\u{1b}[2J", "a\\u{1b}[2J"),
        ] {
            assert_eq!(demangle(name.as_bytes()), expected);
        }
        // The file is not UTF-8, or the symbol is not.
        assert_eq!(demangle(b"\xe9.cpp;_ZL3fooi"), "\\xe9.cpp;foo(int)");
        assert_eq!(demangle(b"a.c;_Z\xff"), "a.c;_Z\\xff");
    }
}
