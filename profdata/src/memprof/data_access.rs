//! Data accesses: how often the symbols and string literals of a program were accessed.
//!
//! | bytes | of data accesses |
//! | --- | --- |
//! | 8, 8 | number of strings; number of cold symbols |
//! | 8 | length of the blob |
//! | | the blob of names with the strings, then the cold symbols; zero bytes to a multiple of 8 |
//! | 8, 8 each | number of the cold string literals; their hashes |
//! | 8 | number of records |
//! | | of each record: `u64` number of the symbol's string, or hash of a literal; `u8` 1 for a literal; |
//! | | `u64` accesses; `u64` number of its locations |
//! | | of each location: `u64` number of the file's string; `u32` line |

use std::cmp::Reverse;

use hashbrown::{DefaultHashBuilder, HashMap, HashSet};
use indexmap::IndexSet;

use crate::error::{Error, ErrorKind};
use crate::read::indexed::cursor::Cursor;
use crate::read::names;

/// What was accessed. The number is one of [`DataAccesses`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Symbol {
    Name(u32),
    /// The hash of a string literal.
    Literal(u64),
}

/// A place in the source, with the number of the file's name.
type Location = (u32, u32);

/// The data accesses of programs.
#[derive(Clone, Debug, Default)]
pub struct DataAccesses {
    strings: IndexSet<Vec<u8>, DefaultHashBuilder>,
    accesses: HashMap<Symbol, u64>,
    locations: HashSet<(Symbol, Location)>,
    cold: HashSet<Symbol>,
}

impl DataAccesses {
    /// Reads data accesses that start at the cursor.
    pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<DataAccesses, Error> {
        let mut read = DataAccesses::default();
        let [count, cold, len] = [(); 3].map(|()| cursor.u64());
        let (Some(count), Some(cold), Some(len)) = (count, cold, len) else {
            return Err(cursor.too_short("DataAccess.NumStrings"));
        };
        let blob = cursor.take_padded(len).ok_or_else(|| cursor.too_large("DataAccess.StringBlobLen", len))?;
        let start = cursor.offset().saturating_sub(blob.len()) as u64;
        let (mut numbers, mut failed) = (Vec::new(), None);
        let each = |name: &[u8]| match read.string(name) {
            Ok(number) => numbers.push(number),
            Err(error) => failed = Some(error),
        };
        names::for_each(blob, &mut Vec::new(), each).map_err(|error| error.after(start))?;
        failed.map_or(Ok(()), Err)?;
        if Some(numbers.len() as u64) != count.checked_add(cold) {
            let error = cursor.malformed("DataAccess.NumStrings").expected(numbers.len());
            return Err(error.found(format_args!("{count} and {cold}")));
        }
        let (strings, cold) = numbers.split_at_checked(count as usize).unwrap_or_default();
        read.cold.extend(cold.iter().map(|name| Symbol::Name(*name)));
        let count = cursor.u64().ok_or_else(|| cursor.too_short("DataAccess.NumColdHashes"))?;
        let hashes = cursor.take_items(count, 8).ok_or_else(|| cursor.too_large("DataAccess.NumColdHashes", count))?;
        read.cold.extend(crate::read::indexed::cursor::words(hashes).map(Symbol::Literal));
        let count = cursor.u64().ok_or_else(|| cursor.too_short("DataAccess.NumRecords"))?;
        for _ in 0..count {
            read.record(cursor, strings)?;
        }
        Ok(read)
    }

    /// Reads a record.
    fn record(&mut self, cursor: &mut Cursor<'_>, strings: &[u32]) -> Result<(), Error> {
        let start = *cursor;
        let string = |number: u64| {
            let found = usize::try_from(number).ok().and_then(|number| strings.get(number).copied());
            let error = || start.malformed("DataAccess.String").expected(format_args!("less than {}", strings.len()));
            found.ok_or_else(|| error().found(number))
        };
        let fields = (|| Some((cursor.u64()?, cursor.take(1)?, cursor.u64()?, cursor.u64()?)))();
        let (symbol, literal, accesses, locations) = fields.ok_or_else(|| start.too_short("DataAccess.Record"))?;
        let symbol = match literal {
            [0] => Symbol::Name(string(symbol)?),
            _ => Symbol::Literal(symbol),
        };
        let sum = self.accesses.entry(symbol).or_default();
        *sum = sum.saturating_add(accesses);
        for _ in 0..locations {
            let location = (|| Some((cursor.u64()?, cursor.u32()?)))();
            let (file, line) = location.ok_or_else(|| start.too_large("DataAccess.NumLocations", locations))?;
            self.locations.insert((symbol, (string(file)?, line)));
        }
        Ok(())
    }

    /// Returns the number of a string.
    fn string(&mut self, string: &[u8]) -> Result<u32, Error> {
        let known = self.strings.get_index_of(string);
        let number = known.unwrap_or_else(|| self.strings.insert_full(string.to_vec()).0);
        u32::try_from(number).map_err(|_| Error::new(ErrorKind::TooLarge, "DataAccess.NumStrings"))
    }

    fn is_empty(&self) -> bool {
        self.accesses.is_empty() && self.cold.is_empty()
    }

    /// Adds all accesses of another one. Accesses of one symbol are summed, and a symbol with accesses is not cold.
    pub(super) fn absorb(&mut self, other: &DataAccesses) -> Result<(), Error> {
        let numbers: Vec<u32> = other.strings.iter().map(|string| self.string(string)).collect::<Result<_, _>>()?;
        let string = |number: u32| numbers.get(number as usize).copied().unwrap_or(0);
        let moved = |symbol: Symbol| match symbol {
            Symbol::Name(number) => Symbol::Name(string(number)),
            Symbol::Literal(hash) => Symbol::Literal(hash),
        };
        for (symbol, accesses) in &other.accesses {
            let sum = self.accesses.entry(moved(*symbol)).or_default();
            *sum = sum.saturating_add(*accesses);
        }
        let locations = other.locations.iter();
        self.locations.extend(locations.map(|(symbol, (file, line))| (moved(*symbol), (string(*file), *line))));
        self.cold.extend(other.cold.iter().map(|symbol| moved(*symbol)));
        Ok(())
    }

    /// Returns the section: the most accessed symbols first, then the symbols by name, then the literals by hash. Empty without accesses.
    pub(super) fn write(&self) -> Vec<u8> {
        if self.is_empty() {
            return Vec::new();
        }
        let key = |symbol: Symbol| match symbol {
            Symbol::Name(number) => (0, self.text(number), 0),
            Symbol::Literal(hash) => (1, &[][..], hash),
        };
        let mut locations: Vec<_> = self.locations.iter().collect();
        let count = |symbol: &Symbol| Reverse(self.accesses.get(symbol).copied().unwrap_or(0));
        locations.sort_by_key(|(symbol, (file, line))| (count(symbol), key(*symbol), self.text(*file), *line));
        let mut accesses: Vec<_> = self.accesses.iter().collect();
        accesses.sort_by_key(|(symbol, count)| (Reverse(**count), key(**symbol)));
        let mut cold: Vec<Symbol> =
            self.cold.iter().copied().filter(|symbol| !self.accesses.contains_key(symbol)).collect();
        cold.sort_by_key(|symbol| key(*symbol));

        // Strings in the order of their first use.
        let mut strings = IndexSet::<u32, DefaultHashBuilder>::default();
        let mut place = |number: u32| strings.insert_full(number).0 as u64;
        let mut records = Vec::new();
        let mut locations = locations.into_iter().peekable();
        for (symbol, accesses) in &accesses {
            let (id, literal) = match symbol {
                Symbol::Name(number) => (place(*number), 0),
                Symbol::Literal(hash) => (*hash, 1),
            };
            let (mut count, mut bytes) = (0u64, Vec::new());
            while let Some((_, (file, line))) = locations.next_if(|(of, _)| of == *symbol) {
                count += 1;
                bytes.extend(place(*file).to_le_bytes());
                bytes.extend(line.to_le_bytes());
            }
            records.extend(id.to_le_bytes());
            records.push(literal);
            records.extend(accesses.to_le_bytes());
            records.extend(count.to_le_bytes());
            records.append(&mut bytes);
        }
        let (mut cold_names, mut hashes) = (Vec::new(), Vec::new());
        for symbol in cold {
            match symbol {
                Symbol::Name(number) => cold_names.push(number),
                Symbol::Literal(hash) => hashes.push(hash),
            }
        }
        for number in &cold_names {
            place(*number);
        }
        let all = strings.iter().chain(&cold_names).map(|number| self.text(*number));
        let blob = names::write_blob(all, true);
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let mut section = words(&[strings.len() as u64, cold_names.len() as u64, blob.len() as u64]);
        section.extend(blob);
        section.resize(section.len().next_multiple_of(8), 0);
        section.extend(words(&[hashes.len() as u64]));
        section.extend(words(&hashes));
        section.extend(words(&[accesses.len() as u64]));
        section.append(&mut records);
        section
    }

    fn text(&self, number: u32) -> &[u8] {
        self.strings.get_index(number as usize).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `llvm-profdata-22` writes of three records, two cold symbols and two cold literals.
    const SECTION: &[u8] = b"\x06\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x22\0\0\0\0\0\0\0\
        \x25\x20\x78\xda\xab\x4a\x2d\x49\x64\x4c\xcb\xcc\x49\x35\x02\x93\xc6\x8c\x49\x60\x81\xfc\x7c\xc6\xa4\xc4\x22\x18\x0d\x00\
        \xe5\xc6\x0b\xef\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x50\0\0\0\0\0\0\0\x30\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\
        \0\0\0\0\0\0\0\0\0\xe8\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
        \xef\xcd\xab\0\0\0\0\0\x01\x05\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\
        \x01\0\0\0\0\0\0\0\x7c\0\0\0\x02\0\0\0\0\0\0\0\x07\0\0\0\
        \x03\0\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0";

    fn read(bytes: &[u8]) -> Result<DataAccesses, Error> {
        DataAccesses::read(&mut Cursor::new(bytes, bytes.len()))
    }

    /// Returns each symbol with its accesses and locations, then the cold ones.
    fn plain(of: &DataAccesses) -> Vec<String> {
        let name = |symbol: &Symbol| match symbol {
            Symbol::Name(number) => String::from_utf8_lossy(of.text(*number)).into_owned(),
            Symbol::Literal(hash) => format!("{hash:#x}"),
        };
        let mut lines: Vec<String> =
            of.accesses.iter().map(|(symbol, count)| format!("{} {count}", name(symbol))).collect();
        let locations = of.locations.iter();
        lines.extend(
            locations.map(|(symbol, (file, line))| format!("{} {}:{line}", name(symbol), name(&Symbol::Name(*file)))),
        );
        lines.extend(of.cold.iter().map(|symbol| format!("{} cold", name(symbol))));
        lines.sort();
        lines
    }

    #[test]
    fn the_tools_section_is_read_and_written() {
        let section = read(SECTION).unwrap();
        let lines = [
            "0x30 cold",
            "0x50 cold",
            "0xabcdef 5",
            "0xabcdef file2:124",
            "0xabcdef file3:7",
            "bar cold",
            "beta 8",
            "beta file2:1",
            "foo cold",
            "zeta 1000",
        ];
        assert_eq!(plain(&section), lines);
        let again = read(&section.write()).unwrap();
        assert_eq!(plain(&again), lines);
        assert_eq!(again.write(), section.write());
        assert!(DataAccesses::default().write().is_empty());
        for len in 0..SECTION.len() {
            assert!(read(&SECTION[..len]).is_err(), "{len} bytes");
        }
    }

    #[test]
    fn accesses_are_summed_and_make_a_symbol_warm() {
        let mut sum = read(SECTION).unwrap();
        let mut other = DataAccesses::default();
        let names = ["foo", "zeta"].map(|name| Symbol::Name(other.string(name.as_bytes()).unwrap()));
        other.accesses.extend(names.map(|symbol| (symbol, u64::MAX)));
        other.cold.extend([Symbol::Literal(0xabcdef), Symbol::Literal(1)]);
        sum.absorb(&other).unwrap();
        let lines = plain(&read(&sum.write()).unwrap());
        let count = u64::MAX;
        assert!(lines.contains(&format!("foo {count}")) && lines.contains(&format!("zeta {count}")), "{lines:?}");
        let cold: Vec<_> = lines.iter().filter(|line| line.ends_with("cold")).collect();
        assert_eq!(cold, ["0x1 cold", "0x30 cold", "0x50 cold", "bar cold"]);
    }
}
