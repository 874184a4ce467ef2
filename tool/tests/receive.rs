//! `profrt device receive`: packets, through all that can happen to them on the way; and the dumps of programs.

use needs_macros::needs;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common;
use crate::common::*;
use profrt_format::frame::{BEGIN, DATA, DumpContent, END, MARK, PAYLOAD, VERSION};
use profrt_format::{Encoding, Endian, RawVersion, WordSize};
use profrt_tool::receive::{Dumps, Piece, Splitter};
use proptest::prelude::*;

/// Returns a packet's line.
fn packet(kind: u8, id: u16, offset: u32, rest: &[u8]) -> Vec<u8> {
    let mut bytes = [&[kind][..], &id.to_le_bytes(), &offset.to_le_bytes(), rest].concat();
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    [&MARK[..], data_encoding::BASE64_NOPAD.encode(&bytes).as_bytes(), b"\n"].concat()
}

/// Returns the lines of a dump, without data packets that end before `from`.
fn lines(bytes: &[u8], content: DumpContent, from: u32) -> Vec<Vec<u8>> {
    let (crc, len) = (crc32fast::hash(bytes), bytes.len() as u32);
    let begin = [&[VERSION, content as u8][..], &len.to_le_bytes()].concat();
    let mut lines = vec![packet(BEGIN, crc as u16, 0, &begin)];
    for (offset, payload) in (0..).step_by(PAYLOAD as usize).zip(bytes.chunks(PAYLOAD as usize)) {
        if offset + PAYLOAD > from {
            lines.push(packet(DATA, crc as u16, offset, payload));
        }
    }
    lines.push(packet(END, crc as u16, len, &crc.to_le_bytes()));
    lines
}

/// The runtime's encoder has to make these lines too.
#[test]
fn the_example_of_the_format_is_read_and_written() {
    let example = include_bytes!("../../runtime/format/frame/example.txt");
    let bytes: Vec<u8> = (0..500u32).map(|number| (number * 7 / 4) as u8).collect();
    let (text, dumps) = receive(example, 7);
    assert_eq!((text.as_slice(), dumps.0[0].whole()), (&b""[..], Some(&bytes[..])));
    assert_eq!(lines(&bytes, DumpContent::Raw, 0).concat(), example);
}

/// Puts a stream together: the text, and the dumps.
fn receive(stream: &[u8], piece: usize) -> (Vec<u8>, Dumps) {
    let (mut splitter, mut dumps, mut text) = (Splitter::default(), Dumps::default(), Vec::new());
    let mut each = |piece| match piece {
        Piece::Text(bytes) => text.extend(bytes),
        Piece::Packet(packet, characters) => _ = dumps.take(packet, characters),
    };
    for bytes in stream.chunks(piece) {
        splitter.push(bytes, &mut each);
    }
    splitter.finish(&mut each);
    (text, dumps)
}

fn sample() -> Vec<u8> {
    let encoding = Encoding { word: WordSize::W64, endian: Endian::Little };
    profile(RawVersion::V10, encoding).write().unwrap()
}

proptest! {
    #[test]
    fn order_repeats_and_text_do_not_matter(
        bytes in proptest::collection::vec(any::<u8>(), 0..1500),
        order in proptest::collection::vec(any::<u64>(), 32),
        twice in proptest::collection::vec(any::<prop::sample::Index>(), 0..5),
        said in proptest::collection::vec("[ -~]{0,20}", 32),
        piece in 1usize..300,
    ) {
        let mut sent: Vec<(u64, Vec<u8>)> = order.iter().copied().zip(lines(&bytes, DumpContent::Raw, 0)).collect();
        for index in twice {
            let again = sent[index.index(sent.len())].1.clone();
            sent.push((order[index.index(order.len())], again));
        }
        sent.sort();
        let mut stream = Vec::new();
        let mut text: Vec<u8> = Vec::new();
        for ((_, line), said) in sent.iter().zip(&said) {
            // A word before a packet on its line; what ends like the mark of a packet swallows none.
            let said = said.replace('~', "-");
            stream.extend(said.as_bytes());
            stream.extend(line);
            text.extend(said.as_bytes());
        }
        let (got, dumps) = receive(&stream, piece);
        prop_assert_eq!(got, text);
        prop_assert_eq!(dumps.0.len(), 1);
        prop_assert_eq!(dumps.0[0].whole(), Some(&bytes[..]));
    }

    #[test]
    fn lost_and_damaged_lines_are_asked_for(
        bytes in proptest::collection::vec(any::<u8>(), 1..2500),
        lost in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
        damage in proptest::option::of((any::<prop::sample::Index>(), any::<u8>())),
        changed in any::<prop::sample::Index>(),
    ) {
        let mut sent = lines(&bytes, DumpContent::Raw, 0);
        let all = sent.clone();
        for index in lost {
            let at = index.index(sent.len());
            sent[at].clear();
        }
        if let Some((place, byte)) = damage {
            let at = changed.index(sent.len());
            if !sent[at].is_empty() {
                let place = place.index(sent[at].len());
                sent[at][place] = byte;
            }
        }
        let (_, dumps) = receive(&sent.concat(), 4096);
        let complete = dumps.0.first().is_some_and(|dump| dump.whole().is_some());
        if let Some(dump) = dumps.0.first() {
            // Never anything else than what was sent.
            prop_assert!(dump.whole().is_none_or(|whole| whole == bytes));
        }
        let data_lost = sent[1..all.len() - 1].iter().any(|line| line.is_empty());
        prop_assert!(!(complete && data_lost));
        if !complete && let Some(dump) = dumps.0.first() {
            // What the complaint asks for completes it.
            let complaint = dump.complaint("x.partial");
            let from = complaint.split("(write, context, ").nth(1).unwrap();
            let from: u32 = from.split(')').next().unwrap().parse().unwrap();
            let again = [dump.lines(), lines(&bytes, DumpContent::Raw, from).concat()].concat();
            let (_, dumps) = receive(&again, 4096);
            prop_assert_eq!(dumps.0[0].whole(), Some(&bytes[..]), "{}", complaint);
        }
    }

    #[test]
    fn no_stream_is_too_much(
        stream in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'~'), Just(b'P'), Just(b'\n'), Just(b'A')], 0..600),
        piece in 1usize..50,
    ) {
        let (text, dumps) = receive(&stream, piece);
        // Nothing in it has a right checksum, so all of it is text.
        prop_assert!(dumps.0.is_empty());
        prop_assert_eq!(text, stream);
    }
}

/// Every byte of a stream, one at a time, with each of its bits flipped, dropped, or doubled: a dump that is whole is what was sent, and
/// of a damaged data packet that is known.
#[test]
fn each_byte_that_is_flipped_dropped_or_doubled_is_detected() {
    let bytes: Vec<u8> = (0..500u32).map(|number| (number * 7 / 4) as u8).collect();
    let sent = lines(&bytes, DumpContent::Raw, 0);
    let stream = sent.concat();
    let mut at = 0;
    for (index, line) in sent.iter().enumerate() {
        for (within, &byte) in line.iter().enumerate() {
            let place = at + within;
            let twice = vec![byte; 2];
            let mut damages: Vec<Vec<u8>> = (0..8).map(|bit| vec![byte ^ 1 << bit]).collect();
            damages.extend([vec![], twice.clone()]);
            for damage in damages {
                let damaged = [&stream[..place], &damage, &stream[place + 1..]].concat();
                let (_, dumps) = receive(&damaged, 4096);
                let whole = dumps.0.iter().find_map(|dump| dump.whole());
                assert!(whole.is_none_or(|whole| whole == bytes), "byte {place} as {damage:?}: other bytes");
                // The first packet says nothing that the others do not.
                assert!(index > 0 || whole.is_some(), "byte {place} as {damage:?}: not whole");
                // A line feed may be missing, and behind what the program printed a packet begins as well.
                let needed = index > 0 && byte != b'\n' && !(within == 0 && damage == twice);
                assert!(!needed || whole.is_none(), "byte {place} as {damage:?}: not detected");
            }
        }
        at += line.len();
    }
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_incomplete_dump_is_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let bytes = sample();
    let sent = lines(&bytes, DumpContent::Raw, 0);
    assert_eq!(sent.len(), 2 + bytes.len().div_ceil(PAYLOAD as usize));
    let mut lossy = sent.clone();
    lossy.remove(2);
    fs::write(path("log"), [b"boot\n", &lossy.concat()[..], b"done\n"].concat()).unwrap();
    let output = ended(profrt(dir.path()).args(["receive", "log"]));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stdout, b"boot\ndone\n");
    let error = stderr(&output);
    assert!(
        error.contains(
            "dump 1 of 1 is not complete: bytes 192 to 383 of 552 are missing; profrt_dump_frame(write, context, 192)"
        ),
        "{error}"
    );
    assert!(error.contains("kept in default.partial"), "{error}");
    assert!(!path("default.profraw").exists());
    // The rest comes.
    fs::write(path("log"), lines(&bytes, DumpContent::Raw, 192).concat()).unwrap();
    run(profrt(dir.path()).args(["receive", "--resume", "default.partial", "log"]));
    assert_eq!(fs::read(path("default.profraw")).unwrap(), bytes);
}

#[test]
fn several_dumps_get_a_name_each() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (sample(), sample()[..40].to_vec());
    let mut stream = lines(&first, DumpContent::Raw, 0).concat();
    // The same once more is no new profile.
    stream.extend(lines(&first, DumpContent::Raw, 0).concat());
    stream.extend(lines(&second, DumpContent::Raw, 0).concat());
    stream.extend(lines(b"PRFC", DumpContent::Counters, 0).concat());
    let mut child = profrt(dir.path())
        .args(["receive", "-o", "run.profraw", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&stream).unwrap();
    let output = common::end(child, "profrt device receive");
    let error = stderr(&output);
    assert!(output.status.success(), "{error}");
    assert!(output.stdout.is_empty());
    assert_eq!(fs::read(dir.path().join("run.profraw")).unwrap(), first);
    assert_eq!(fs::read(dir.path().join("run-2.profraw")).unwrap(), second);
    assert_eq!(fs::read(dir.path().join("run-3.prfc")).unwrap(), b"PRFC");
    assert!(error.contains("it came as it was sent, but is not whole; `profrt check run-2.profraw` says"), "{error}");
    assert!(error.contains("`profrt device rebuild --object PROGRAM.elf run-3.prfc` makes a raw profile"), "{error}");
}

#[test]
fn a_later_whole_dump_makes_up_for_a_lossy_one() {
    let dir = tempfile::tempdir().unwrap();
    let lossy = lines(&[9; 300], DumpContent::Raw, 0).split_off(1);
    fs::write(dir.path().join("log"), [lossy[1..].concat(), lines(&sample(), DumpContent::Raw, 0).concat()].concat())
        .unwrap();
    let output = ended(profrt(dir.path()).args(["receive", "log"]));
    assert!(output.status.success());
    assert!(stderr(&output).contains("dump 1 of 2 is not complete"));
}

#[test]
fn what_went_wrong_is_said() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("log"), "no packets here\n").unwrap();
    let output = ended(profrt(dir.path()).args(["receive", "log"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("no packet was in the 16 bytes that came"), "{output:?}");
    let output = ended(profrt(dir.path()).args(["receive", "absent"]));
    assert!(stderr(&output).contains("absent cannot be opened"), "{output:?}");
    let mut damaged = lines(&sample(), DumpContent::Raw, 0);
    damaged[1][30] ^= 1;
    fs::write(dir.path().join("log"), damaged.concat()).unwrap();
    let output = ended(profrt(dir.path()).args(["receive", "-q", "log"]));
    assert!(stderr(&output).contains("1 line began like packets and were damaged"), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[cfg(unix)]
#[test]
fn from_a_pipe_with_a_timeout_and_a_count() {
    let dir = tempfile::tempdir().unwrap();
    run(Command::new("mkfifo").arg(dir.path().join("pipe")));
    let writer = |path: std::path::PathBuf, bytes: Vec<u8>| {
        std::thread::spawn(move || {
            let mut pipe = fs::File::options().read(true).write(true).open(path).unwrap();
            pipe.write_all(&bytes).unwrap();
            // Stays open: the stream has no end.
            std::thread::sleep(std::time::Duration::from_secs(5));
        })
    };
    let stream = lines(&sample(), DumpContent::Raw, 0);
    let _writer = writer(dir.path().join("pipe"), stream.concat());
    run(profrt(dir.path()).args(["receive", "--count", "1", "pipe"]));
    assert_eq!(fs::read(dir.path().join("default.profraw")).unwrap(), sample());
    let _writer = writer(dir.path().join("pipe"), stream[..2].concat());
    let output = ended(profrt(dir.path()).args(["receive", "--timeout", "0.5", "-o", "x.profraw", "pipe"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(dir.path().join("x.partial").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_device_is_set_to_raw_bytes() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let dir = tempfile::tempdir().unwrap();
    let device = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&device).unwrap();
    unlockpt(&device).unwrap();
    let path = ptsname(&device, Vec::new()).unwrap().into_string().unwrap();
    let mut child = profrt(dir.path());
    child.args(["receive", "--count", "1", "--baud", "9600", &path]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = child.spawn().unwrap();
    // The device talks when the receiver has set the line; until then it would echo and wait for line feeds.
    let line = fs::File::open(&path).unwrap();
    let limit = common::limit("the speed of the line");
    while rustix::termios::tcgetattr(&line).unwrap().input_speed() != 9600 {
        std::thread::yield_now();
    }
    drop(limit);
    let mut device = fs::File::from(device);
    device.write_all(b"no line feed, a tab\t, a bell\x07, an end \x04 and \r").unwrap();
    device.write_all(&lines(&sample(), DumpContent::Raw, 0).concat()).unwrap();
    let output = common::end(child, "profrt device receive");
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"no line feed, a tab\t, a bell\x07, an end \x04 and \r");
    assert_eq!(fs::read(dir.path().join("default.profraw")).unwrap(), sample());
}

/// Runs the program and gives what it prints to `profrt device receive`.
fn through(dir: &Path, arguments: &[&str], more: &[&str]) -> Vec<u8> {
    let printed = run(Command::new(dir.join("program"))
        .args(arguments)
        .current_dir(dir)
        .env("LLVM_PROFILE_FILE", "want.profraw"));
    fs::write(dir.join("log"), printed).unwrap();
    run(profrt(dir).args(["receive", "log", "-o", "got.profraw"]).args(more))
}

#[needs("clangs")]
fn a_program_with_all_compilers() {
    for clang in compilers() {
        let kinds = [
            ["-fprofile-generate", "-no-pie"],
            ["-fprofile-instr-generate", "-no-pie"],
            // Loaded anywhere: the dump says where.
            ["-fprofile-generate", "-pie"],
        ];
        for flags in kinds {
            let dir = tempfile::tempdir().unwrap();
            let read = |name: &str| fs::read(dir.path().join(name)).unwrap();
            link(&clang, "program.c", &dir.path().join("program"), &flags);
            let text = through(dir.path(), &["frame"], &[]);
            assert_eq!(text, b"before behind\n");
            assert_eq!(read("got.profraw"), read("want.profraw"), "clang {}", clang.version);
            let text = through(dir.path(), &["counters"], &["--object", "program"]);
            assert_eq!(text, b"~before~P behind\n");
            assert_eq!(read("got.profraw"), read("want.profraw"), "clang {}", clang.version);
            let shown = show(&clang, &dir.path().join("got.profraw"));
            assert!(shown.contains("work"), "{shown}");
            // Two dumps with counting between; each has its own number.
            through(dir.path(), &["frame", "more", "frame"], &[]);
            assert_eq!(read("got-2.profraw"), read("want.profraw"));
            assert_ne!(read("got.profraw"), read("want.profraw"));
            // The pieces that a callback gets are the same profile.
            let mut command = Command::new(dir.path().join("program"));
            command.arg("callback").current_dir(dir.path()).env("LLVM_PROFILE_FILE", "want.profraw");
            assert_eq!(run(&mut command), read("want.profraw"));
        }
    }
}
