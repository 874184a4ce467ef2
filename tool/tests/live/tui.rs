//! The view in the terminal, in a pseudo-terminal of `script`.

use needs_macros::needs;
use std::io::{Read as _, Write as _};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::common;
use super::server::{Place, request};

/// What the terminal shows.
struct Terminal {
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
}

impl Terminal {
    /// Waits until the screen is as wanted, and does something again until it is.
    fn wait(&mut self, what: &str, is_there: impl Fn(&str) -> bool, again: impl Fn()) {
        let _limit = common::limit(what);
        while !is_there(&self.screen.screen().contents()) {
            again();
            if let Ok(bytes) = self.output.recv_timeout(Duration::from_millis(100)) {
                self.screen.process(&bytes);
            }
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until the line with `text`, behind the frame and its number, has a count.
    fn wait_for_count(&mut self, text: &str, count: &str) {
        let has = |line: &str| line.contains(text) && line.split_whitespace().nth(2) == Some(count);
        self.wait(&format!("{count} times: {text}"), |screen| screen.lines().any(has), || {});
    }
}

#[needs("clang", "script")]
fn the_terminal_shows_what_runs() {
    let place = Place::build();
    let server = place.start();
    let view = format!(
        "stty rows 30 cols 80; exec {} live --tui --interval 0.1 --object server --object plugin.so profiles",
        env!("CARGO_BIN_EXE_profrt")
    );
    let mut command = Command::new("script");
    command.current_dir(place.dir()).env("TERM", "xterm");
    command.args(["-qefc", &view, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut output = child.stdout.take().unwrap();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = output.read(&mut bytes) {
            let _ = sender.send(bytes[..read].to_vec());
        }
    });
    let screen = vt100::Parser::new(30, 80, 0);
    let mut terminal = Terminal { keys: child.stdin.take().unwrap(), output: receiver, screen };

    // All sources, and what is called.
    let is_start =
        |screen: &str| screen.contains("  0.0 % of ") && screen.contains("handlers.c") && screen.contains("plugin.c");
    terminal.wait("the sources", is_start, || {});
    let is_whole = |line: &str| line.starts_with(" PROFRT_LIVE=/") && line.trim_end().ends_with("/socket");
    terminal.wait("the path of the socket", |screen| screen.lines().any(is_whole), || {});
    request(server.port, "login");
    terminal.wait("what ran", |screen| !screen.contains("  0.0 % of "), || {});
    // A tick is short.
    let calls = |line: &str| line.trim_end_matches(['│', ' ']).ends_with("list");
    terminal.wait(
        "calls",
        |screen| screen.lines().any(calls),
        || {
            request(server.port, "list");
        },
    );

    // A source, whose lines move.
    terminal.press("\r");
    terminal.wait_for_count("return sum(9, 1);", "1");
    let moves =
        |screen: &str| screen.lines().any(|line| line.contains(" > ") && line.contains("all += sum(i + 2, 0);"));
    terminal.wait("lines that move", moves, || {
        request(server.port, "list");
    });

    // A mark, and all again.
    terminal.press("m");
    terminal.press("c");
    terminal.wait_for_count("return sum(9, 1);", "0");
    request(server.port, "login");
    terminal.wait_for_count("return sum(9, 1);", "1");
    terminal.press("c");
    terminal.wait_for_count("return sum(9, 1);", "2");

    // Another source.
    terminal.press("\x1b[D");
    terminal.press("\x1b[B");
    terminal.press("\r");
    terminal.wait("another source", |screen| screen.contains("static int twice"), || {});

    terminal.press("q");
    assert!(child.wait().unwrap().success());
    while let Ok(bytes) = terminal.output.recv() {
        terminal.screen.process(&bytes);
    }
    assert!(!terminal.screen.screen().alternate_screen(), "the terminal is given back");
}
