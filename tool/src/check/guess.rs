//! What a file is that does not begin like a raw profile, and what to do with it.

/// What was found, and the likely cause with the remedy.
pub struct Guess {
    pub found: String,
    pub cause: String,
}

const LATIN_1: &str = "a raw profile that was converted from Latin-1 to UTF-8";
const REPLACED: &str = "a raw profile whose bytes were replaced as no valid text";
const BINARY: &str = "copy it in binary mode; no editor or script may take it for text";

/// Beginnings of files that are taken for raw profiles.
const KNOWN: &[(&[u8], &str, &str)] = &[
    (b"PRFC", "counters only", "`profrt device rebuild --object FIRMWARE.elf FILE` makes a raw profile of it"),
    (b"~P", "packets of profrt_dump_frame", "`profrt device receive FILE` makes a raw profile of them"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first: `unxz FILE`"),
    (b"BZh", "a bzip2 archive", "unpack it first: `bunzip2 FILE`"),
    (
        b"\x7fELF",
        "an ELF file",
        "this is a program or a core file; `profrt device rebuild` takes counters from a core file",
    ),
    (b"adcg", "counts of gcov (.gcda)", "`llvm-cov gcov` reads it"),
    (b"gcda", "counts of gcov (.gcda), big-endian", "`llvm-cov gcov` reads it"),
    (b"oncg", "notes of gcov (.gcno)", "`llvm-cov gcov` reads it"),
    (b"\x81rforpl\xc3\xbf", LATIN_1, BINARY),
    (b"\xc2\x81rforpl", LATIN_1, BINARY),
    (b"\x81rforpl\xef\xbf\xbd", REPLACED, BINARY),
    (b"\xef\xbf\xbdrforpl", REPLACED, BINARY),
];

/// Looks at the beginning of a file, or of what stands behind a profile.
pub fn guess(bytes: &[u8]) -> Guess {
    let guess = |found: String, cause: &str| Guess { found, cause: cause.to_owned() };
    if bytes.is_empty() {
        return guess(
            "an empty file".into(),
            "LLVM's own runtime empties the file when the program starts and fills it at exit: the program still runs, was \
             killed, or left by _exit (or it has no counters at all, under LLVM 14). Let it exit, or link profrt, which \
             leaves the old profile until the new one is whole",
        );
    }
    if let Some((_, found, cause)) = KNOWN.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return guess((*found).to_owned(), cause);
    }
    if bytes.iter().all(|byte| *byte == 0) {
        return guess(
            format!("{} zero bytes", bytes.len()),
            "the file got its length but never its content: a crash of the system, or a full disk. Run the program again",
        );
    }
    let beginning = &bytes[..bytes.len().min(256)];
    if beginning.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')) {
        let line = String::from_utf8_lossy(beginning);
        let line: String = line.lines().next().unwrap_or_default().chars().take(40).collect();
        return guess(
            format!("text: `{line}`"),
            "this is a log, or an error page that was downloaded \
             in place of the profile. A log with packets of profrt_dump_frame is for `profrt device receive`",
        );
    }
    let shown: Vec<String> = bytes.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    guess(
        format!("the bytes {}", shown.join(" ")),
        "no raw profile, or its beginning is lost or overwritten: was the file written by two programs at once, or copied in \
         text mode?",
    )
}
