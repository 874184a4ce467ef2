//! Names of functions as people write them.

use profdata::Profile;
use profdata::name::name_hash;
use profdata::sink::Name;
use std::borrow::Cow;
use std::collections::HashMap;

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

/// Names in tables: shortened, unless the user wants them in full.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct FullNames {
    /// Do not shorten long names
    #[arg(long)]
    full_names: bool,
}

impl FullNames {
    /// Characters that are shown of the beginning and of the end of a name.
    const SHOWN: (usize, usize) = (60, 39);

    /// Returns a name as it is shown in a table.
    pub fn shown(self, name: &str) -> Cow<'_, str> {
        let (first, last) = Self::SHOWN;
        let length = name.chars().count();
        if self.full_names || length <= first + 1 + last {
            return name.into();
        }
        let begin: String = name.chars().take(first).collect();
        let end: String = name.chars().skip(length - last).collect();
        format!("{begin}…{end}").into()
    }
}

/// Returns a name of a record; that of a function of which only the hash is known is its hash.
pub fn name(name: Name<'_>) -> String {
    name.bytes.map_or_else(|| format!("function {:#018x}", name.hash), demangle)
}

/// The names of a profile's functions and vtables by their hashes: what values refer to.
pub struct Targets<'a> {
    names: HashMap<u64, &'a [u8]>,
}

impl<'a> Targets<'a> {
    /// Collects the names.
    pub fn of(profile: &'a Profile) -> Targets<'a> {
        let functions = profile.names().iter().filter_map(|(_, name)| Some((name.hash, name.bytes?)));
        let vtables = profile.vtable_names().iter().map(|name| (name_hash(name), name.as_slice()));
        Targets { names: functions.chain(vtables).collect() }
    }

    /// Returns the name of a target.
    pub fn name(&self, hash: u64) -> String {
        match self.names.get(&hash) {
            _ if hash == 0 => "outside of the profile".into(),
            Some(name) => demangle(name),
            None => format!("{hash:#018x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FullNames, demangle};

    #[test]
    fn long_names_keep_their_ends() {
        let long = format!("{}é{}", "a".repeat(100), "b".repeat(60));
        let (short, full) = (FullNames::default(), FullNames { full_names: true });
        assert_eq!(short.shown(&long), format!("{}…{}", "a".repeat(60), "b".repeat(39)));
        assert_eq!(short.shown(&long[..100]), long[..100]);
        assert_eq!(full.shown(&long), long);
    }

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
