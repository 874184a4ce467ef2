//! The progress bar of commands that read inputs, on a terminal. The input is a pipe that gives nothing until the bar is there.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::common;
use crate::common::profiles::text;
use crate::common::run;
use needs_macros::needs;

#[needs("script")]
fn a_command_that_takes_long_has_a_progress_bar() {
    let dir = tempfile::tempdir().unwrap();
    let profile = text(&[("main", 5)]);
    fs::write(dir.path().join("a.proftext"), &profile).unwrap();
    run(Command::new("mkfifo").arg(dir.path().join("pipe")));
    for arguments in [
        "merge pipe -o out",
        "merge pipe -o out --compat --for clang-19",
        "show pipe",
        "diff a.proftext pipe",
        "quality pipe",
        "check pipe",
    ] {
        let program = format!("{} {arguments}", env!("CARGO_BIN_EXE_profrt"));
        let mut command = Command::new("script");
        command.current_dir(dir.path()).env("TERM", "xterm").env_remove("NO_COLOR");
        command.args(["-qefc", &program, "/dev/null"]).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut terminal = child.stdout.take().unwrap();
        // A command without a bar gets its input too, after a while, so that the test ends.
        let (is_seen, wait) = channel::<()>();
        let (pipe, bytes) = (dir.path().join("pipe"), profile.clone());
        let writer = std::thread::spawn(move || {
            let _ = wait.recv_timeout(Duration::from_secs(30));
            fs::write(pipe, bytes).unwrap();
        });
        let _limit = common::limit(&format!("the progress of profrt {arguments}"));
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("0 inputs, ") {
            let mut bytes = [0; 1024];
            let read = terminal.read(&mut bytes).unwrap();
            assert!(read > 0, "{arguments}: {}", String::from_utf8_lossy(&seen));
            seen.extend(&bytes[..read]);
        }
        is_seen.send(()).unwrap();
        writer.join().unwrap();
        let mut rest = String::new();
        terminal.read_to_string(&mut rest).unwrap();
        assert!(child.wait().unwrap().success(), "{arguments}: {rest}");
        // The bar is gone before anything is said.
        let last = rest.rfind(" inputs, ").unwrap_or(0);
        assert!(rest[last..].contains("\u{1b}[2K"), "{arguments}: {rest:?}");
    }
}
