//! `profrt live` answers whoever asks for the page, however many connections others leave idle.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{ended, limit, newest, profrt, run};
use needs_macros::needs;

/// Returns whether the page comes.
fn is_answered(host: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(host) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut answer = String::new();
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let _ = stream.read_to_string(&mut answer);
    answer.starts_with("HTTP/1.1 200")
}

#[needs("clang")]
fn idle_connections_do_not_keep_others_out() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.c"), "int main(void) { return 0; }\n").unwrap();
    let flags = ["-fprofile-instr-generate", "-fcoverage-mapping", "a.c", "-o", "app"];
    run(Command::new(&newest().clang).current_dir(dir.path()).args(flags));
    let _limit = limit("profrt live");
    // With fewer files than connections, accepting fails; with more, each one too many closes the oldest.
    for (files, idle) in [(40, 60), (1024, 300)] {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -n {files}; exec \"$0\" live --object app profiles")]);
        let mut child = command
            .arg(profrt(dir.path()).get_program())
            .current_dir(dir.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        errors.read_line(&mut address).unwrap();
        let host = address.trim().strip_prefix("http://").unwrap().split_once("/#").unwrap().0.to_owned();
        let mut others: Vec<TcpStream> = (0..idle).map(|_| TcpStream::connect(&host).unwrap()).collect();
        if files < idle {
            // No file is free, until some are closed.
            std::thread::sleep(Duration::from_millis(300));
            others.clear();
        }
        assert!(is_answered(&host), "{files} files, {idle} idle connections");
        drop(others);
        ended(Command::new("kill").args(["-INT", &child.id().to_string()]));
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}
