//! The server of the tests, and `profrt live`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::JoinHandle;

use tempfile::TempDir;
use testkit::toolchain::Clang;

use super::common::{archive, data, ended, newest, profrt, run};

/// The sources that are instrumented.
pub const HANDLERS: (&str, &str) = ("handlers.c", include_str!("../data/live/handlers.c"));
pub const PLUGIN: (&str, &str) = ("plugin.c", include_str!("../data/live/plugin.c"));

/// A directory with the server.
pub struct Place {
    directory: TempDir,
    pub clang: Clang,
}

/// A server that runs.
pub struct Server {
    child: Child,
    pub port: u16,
}

/// A `profrt live` that runs.
pub struct Live {
    child: Child,
    /// The address of the page.
    pub address: String,
    socket: String,
    errors: Option<JoinHandle<String>>,
    directory: std::path::PathBuf,
}

impl Place {
    /// Builds the server with the newest clang.
    pub fn build() -> Place {
        let place = Place { clang: newest(), directory: tempfile::tempdir().unwrap() };
        let archive = archive(&place.clang);
        let pages = archive.with_file_name("profrt-continuous.o");
        let clang = || {
            let mut command = Command::new(&place.clang.clang);
            command.current_dir(place.dir()).arg("-fprofile-instr-generate");
            command
        };
        let instrumented = "-fcoverage-mapping";
        let source = |name: &str| data(&format!("live/{name}"));
        run(Command::new(&place.clang.clang).current_dir(place.dir()).arg("-c").arg(source("server.c")));
        run(clang().args([instrumented, "-c"]).arg(source("handlers.c")));
        run(clang().args(["server.o", "handlers.o", "-o", "server"]).arg(&archive).arg(&pages));
        run(clang()
            .args([instrumented, "-shared", "-fPIC", "-o", "plugin.so"])
            .arg(source("plugin.c"))
            .arg(&archive)
            .arg(&pages));
        place
    }

    /// Returns the directory.
    pub fn dir(&self) -> &Path {
        self.directory.path()
    }

    /// Starts the server, whose continuous files are in `profiles`.
    pub fn start(&self) -> Server {
        let mut command = Command::new(self.dir().join("server"));
        command.arg("./plugin.so").current_dir(self.dir()).stdout(Stdio::piped());
        let mut child = command.env("LLVM_PROFILE_FILE", "profiles/%p%c.profraw").spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Server { child, port: line.trim().parse().unwrap() }
    }
}

impl Drop for Server {
    /// Kills all processes, which can then write nothing any more.
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
        self.child.wait().unwrap();
    }
}

/// Sends a request. Returns the answer.
pub fn request(port: u16, name: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    // At once: the server reads once.
    stream.write_all(format!("GET /{name} HTTP/1.0\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    answer
}

impl Live {
    /// Starts `profrt live` with a page.
    pub fn start(place: &Place, arguments: &[&str]) -> Live {
        let mut command = profrt(place.dir());
        let mut child = command.arg("live").args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = || {
            let mut line = String::new();
            errors.read_line(&mut line).unwrap();
            line.trim().to_owned()
        };
        let (address, socket) = (line(), line());
        assert!(address.starts_with("http://127.0.0.1:"), "{address}\n{socket}");
        let errors = std::thread::spawn(move || {
            let mut rest = String::new();
            errors.read_to_string(&mut rest).unwrap();
            rest
        });
        let socket = socket.strip_prefix("PROFRT_LIVE=").unwrap().to_owned();
        Live { child, address, socket, errors: Some(errors), directory: place.dir().to_owned() }
    }

    /// Runs `profrt live mark`.
    pub fn try_mark(&self, arguments: &[&str]) -> Output {
        ended(profrt(&self.directory).env("PROFRT_LIVE", &self.socket).arg("mark").args(arguments))
    }

    /// Runs `profrt live mark`, which must succeed.
    pub fn mark(&self, arguments: &[&str]) {
        let output = self.try_mark(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Ends it by a signal. Returns what it has said since the start.
    pub fn end(mut self) -> String {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
        self.errors.take().unwrap().join().unwrap()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
