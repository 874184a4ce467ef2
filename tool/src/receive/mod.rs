//! `profrt device receive`: profiles out of what a device prints.

mod dumps;
mod packet;
mod source;
mod split;

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use indicatif::{ProgressBar, ProgressStyle};

pub use dumps::{Dump, Dumps};
pub use packet::{Kind, Packet, decode};
use profdata::format::frame::DumpContent;
pub use split::{Piece, Splitter};

use crate::check::{State, inspect};
use crate::rebuild::{Elf, from_compact};
use crate::report::output::{check_keeps, write};
use crate::text::{many, read, seconds};

/// Where from and where to.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// A serial device, a file, a pipe, a socket, or `-` for standard input
    #[arg(value_name = "SOURCE")]
    source: PathBuf,
    /// Where the first profile goes; the next ones get -2, -3 … before the ending
    #[arg(long, short, value_name = "FILE", default_value = "default.profraw")]
    output: PathBuf,
    /// The program as the linker wrote it, to make raw profiles of counters-only dumps
    #[arg(long, alias = "elf", value_name = "FILE")]
    object: Option<PathBuf>,
    /// Bits a second of a serial device
    #[arg(long, value_name = "N", default_value_t = 115_200)]
    baud: u32,
    /// Packets of an earlier, incomplete dump, which are put together with those that come now
    #[arg(long, value_name = "PARTIAL")]
    resume: Option<PathBuf>,
    /// End after so many whole dumps; at the end of the stream or Ctrl-C unless given
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// End when nothing has come for so long
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Do not hand on what the program prints
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples: the first dump on a serial line, and a recording with counters-only dumps

    profrt device receive /dev/ttyUSB0 --count 1 -o firmware.profraw
    profrt device receive log.txt --object firmware.elf

Exit status: 0 all dumps are whole; 1 something is missing, and a message says what; 2 nothing can be received, or written.";

/// What the main thread hears.
enum Event {
    Bytes(Vec<u8>),
    Failed(io::Error),
    End,
    Interrupted,
}

/// Receives. Returns the exit status. Errors: nothing can be received, or written.
pub fn run(options: &Options) -> Result<u8> {
    ensure!(options.output != Path::new("-"), "--output needs a file; standard output has what the program prints");
    let elf = options.object.as_deref().map(Elf::read).transpose()?;
    let mut receiver = Session::new(options, elf);
    for ending in ["", "prfc", "partial"] {
        receiver.check(&receiver.name(1, ending))?;
    }
    // Bounded: a file is read faster than its packets are checked.
    let (send, events) = sync_channel(16);
    let interrupt = send.clone();
    // Without the handler Ctrl-C ends the program all the same, but what has come is lost.
    let _ = ctrlc::set_handler(move || _ = interrupt.send(Event::Interrupted));
    if let Some(partial) = &options.resume {
        receiver.push(&read(partial)?, false)?;
        if receiver.dumps.0.is_empty() {
            bail!(
                "{} holds no packets; give the .partial file that an earlier `profrt device receive` wrote",
                partial.display()
            );
        }
    }
    if options.count.is_none_or(|count| receiver.written < count) {
        let source = source::open(&options.source, options.baud)?;
        thread::spawn(move || pump(source, &send));
        receiver.listen(&events)?;
    }
    Ok(u8::from(!receiver.end()?))
}

/// Reads until the end.
fn pump(mut source: Box<dyn Read + Send>, send: &SyncSender<Event>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let event = match source.read(&mut buffer) {
            Ok(0) => Event::End,
            Ok(len) => Event::Bytes(buffer[..len].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if source::is_end(&error) => Event::End,
            Err(error) => Event::Failed(error),
        };
        let more = matches!(event, Event::Bytes(_));
        if send.send(event).is_err() || !more {
            return;
        }
    }
}

struct Session<'a> {
    options: &'a Options,
    elf: Option<Elf>,
    splitter: Splitter,
    dumps: Dumps,
    bar: ProgressBar,
    /// Text that is not yet handed on.
    line: Vec<u8>,
    /// Bytes of the stream.
    bytes: u64,
    /// Dumps that were written.
    written: u64,
    /// Dumps that came whole, but no profile could be made of them.
    refused: u64,
}

impl<'a> Session<'a> {
    fn new(options: &'a Options, elf: Option<Elf>) -> Session<'a> {
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {wide_bar} {bytes} of {total_bytes}") {
            bar.set_style(style);
        }
        bar.set_message("waiting for a dump");
        Session {
            options,
            elf,
            splitter: Splitter::default(),
            dumps: Dumps::default(),
            bar,
            line: Vec::new(),
            bytes: 0,
            written: 0,
            refused: 0,
        }
    }

    fn listen(&mut self, events: &Receiver<Event>) -> Result<()> {
        loop {
            let event = match self.options.timeout {
                Some(wait) => events.recv_timeout(wait),
                None => events.recv().map_err(RecvTimeoutError::from),
            };
            match event {
                Ok(Event::Bytes(bytes)) => self.push(&bytes, true)?,
                Ok(Event::Failed(error)) => {
                    self.say(&format!(
                        "{} cannot be read any further ({error}); is it still connected?",
                        self.options.source.display()
                    ));
                    return Ok(());
                }
                Ok(Event::End | Event::Interrupted) | Err(_) => return Ok(()),
            }
            if self.options.count.is_some_and(|count| self.written + self.refused >= count) {
                return Ok(());
            }
        }
    }

    /// Takes bytes of the stream.
    fn push(&mut self, bytes: &[u8], hand_on: bool) -> Result<()> {
        self.bytes += bytes.len() as u64;
        let mut pieces = Vec::new();
        self.splitter.push(bytes, &mut |piece| pieces.push(piece));
        self.pieces(pieces, hand_on)
    }

    fn pieces(&mut self, pieces: Vec<Piece>, hand_on: bool) -> Result<()> {
        for piece in pieces {
            match piece {
                Piece::Text(text) if hand_on && !self.options.quiet => {
                    self.line.extend(text);
                    self.hand_on(false);
                }
                Piece::Text(_) => {}
                Piece::Packet(packet, characters) => self.packet(packet, characters)?,
            }
        }
        Ok(())
    }

    /// Prints what the program has printed. Beside the progress bar only whole lines: the bar would overwrite what it shares a
    /// line with.
    fn hand_on(&mut self, ended: bool) {
        let whole = match self.line.iter().rposition(|byte| *byte == b'\n') {
            _ if ended || self.bar.is_hidden() || !io::stdout().is_terminal() => self.line.len(),
            Some(last) => last + 1,
            None => return,
        };
        let text: Vec<u8> = self.line.drain(..whole).collect();
        self.bar.suspend(|| {
            let mut out = io::stdout().lock();
            // Whoever reads the program's output may have gone; the profile is wanted all the same.
            let _ = out.write_all(&text).and_then(|()| out.flush());
        });
    }

    fn packet(&mut self, packet: Packet, characters: Vec<u8>) -> Result<()> {
        use profdata::format::frame::VERSION;
        if let Kind::Begin { version, content, .. } = packet.kind
            && (version != VERSION || content > 1)
        {
            bail!(
                "the device sends packets of version {version}, content {content}; this tool knows version {VERSION}, content 0 and 1: \
                   take both from the same profrt"
            );
        }
        let Some(index) = self.dumps.take(packet, characters) else { return Ok(()) };
        let dump = &self.dumps.0[index];
        if let Some(len) = dump.size() {
            self.bar.set_length(len.into());
        }
        self.bar.set_position(dump.have());
        self.bar.set_message(format!("dump {}", index + 1));
        let Some(bytes) = dump.whole() else { return Ok(()) };
        let (bytes, content) = (bytes.to_vec(), dump.content());
        self.dump(&bytes, content)
    }

    /// Writes a dump that is complete and checked.
    fn dump(&mut self, bytes: &[u8], content: DumpContent) -> Result<()> {
        let path = self.name(self.written + 1, "");
        if content == DumpContent::Raw {
            self.write(&path, bytes)?;
            self.written += 1;
            let whole = inspect(String::new(), bytes).state == State::Ok;
            let size = many(bytes.len() as u64, "byte");
            self.say(&format!("{}: a raw profile of {size}", path.display()));
            if !whole {
                self.say(&format!(
                    "it came as it was sent, but is not whole; `profrt check {}` says what is wrong",
                    path.display()
                ));
            }
            return Ok(());
        }
        let compact = self.name(self.written + 1, "prfc");
        let profile = match &self.elf {
            Some(elf) => from_compact(bytes, Path::new("the dump"), elf, None),
            None => {
                self.write(&compact, bytes)?;
                self.written += 1;
                self.say(&format!(
                    "{}: counters only; `profrt device rebuild --object PROGRAM.elf {}` makes a raw profile of them, and --object here does it at once",
                    compact.display(),
                    compact.display()
                ));
                return Ok(());
            }
        };
        match profile {
            Ok(profile) => {
                self.write(&path, &profile)?;
                self.written += 1;
                self.say(&format!(
                    "{}: a raw profile of {} counters-only bytes and the ELF file",
                    path.display(),
                    bytes.len()
                ));
            }
            Err(error) => {
                self.write(&compact, bytes)?;
                self.refused += 1;
                self.say(&format!("{error:#}; the dump is kept in {}", compact.display()));
            }
        }
        Ok(())
    }

    /// Errors: the path is that of the source or of the program.
    fn check(&self, path: &Path) -> Result<()> {
        let inputs = [Some(&self.options.source), self.options.object.as_ref()].into_iter().flatten();
        check_keeps("--output", path, inputs.map(PathBuf::as_path))
    }

    /// Writes a file that no input is.
    fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.check(path)?;
        write(path, bytes)
    }

    /// `NAME-2.profraw` for the second; with another ending if one is given.
    fn name(&self, number: u64, ending: &str) -> PathBuf {
        let output = &self.options.output;
        let mut name = output.file_stem().unwrap_or_default().to_owned();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        let own = output.extension().unwrap_or_default();
        let ending = if ending.is_empty() { own } else { ending.as_ref() };
        if !ending.is_empty() {
            name.push(".");
            name.push(ending);
        }
        output.with_file_name(name)
    }

    fn say(&self, text: &str) {
        self.bar.suspend(|| warn_line!("profrt: {text}"));
    }

    /// The stream has ended: keeps what is incomplete, and says what is missing.
    fn end(mut self) -> Result<bool> {
        let mut pieces = Vec::new();
        self.splitter.finish(&mut |piece| pieces.push(piece));
        self.pieces(pieces, true)?;
        self.bar.finish_and_clear();
        self.hand_on(true);
        if self.splitter.damaged > 0 {
            let lines = many(self.splitter.damaged, "line");
            self.say(&format!("{lines} began like packets and were damaged, and were handed on as text"));
        }
        if self.dumps.0.is_empty() {
            self.say(&format!(
                "no packet was in the {} that came: does the program call profrt_dump_frame, is --baud right, and does nothing \
                 else read the device?",
                many(self.bytes, "byte")
            ));
            return Ok(false);
        }
        let partial = self.name(1, "partial");
        let incomplete: Vec<&Dump> = self.dumps.0.iter().filter(|dump| dump.whole().is_none()).collect();
        for (number, dump) in self.dumps.0.iter().enumerate().filter(|(_, dump)| dump.whole().is_none()) {
            let complaint = dump.complaint(&partial.display().to_string());
            self.say(&format!("dump {} of {} is not complete: {complaint}", number + 1, self.dumps.0.len()));
        }
        if !incomplete.is_empty() {
            let lines: Vec<u8> = incomplete.iter().flat_map(|dump| dump.lines()).collect();
            self.write(&partial, &lines).context("what has come could not be kept")?;
            self.say(&format!("what has come of it is kept in {}", partial.display()));
        }
        // Counts only grow, so a later dump that is whole has everything that an earlier one would have had.
        let last = self.dumps.0.last().is_some_and(|dump| dump.whole().is_some());
        Ok(last && self.refused == 0)
    }
}
