//! The socket on which `profrt live mark` sets marks: in a directory that only this user can enter.
//!
//! A client writes the name, closes its side, and reads the answer: nothing, or why the mark before could not be saved.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::Message;
use super::marks::Mark;

/// The variable that has the path of the socket.
pub(super) const VARIABLE: &str = "PROFRT_LIVE";

/// The longest name that is read.
const LONGEST: u64 = 4096;

/// The socket.
pub(super) struct Control(String);

impl Control {
    /// Listens in a private directory. Errors: those of the system.
    pub(super) fn listen(directory: &Path, sender: Sender<Message>) -> Result<Control> {
        let path = directory.join("socket");
        let listener = UnixListener::bind(&path).context("no socket for marks")?;
        std::thread::spawn(move || {
            // One after the other: who sets a mark has it before anybody else.
            listener.incoming().flatten().for_each(|stream| _ = answer(stream, &sender));
        });
        Ok(Control(path.to_string_lossy().into_owned()))
    }

    /// Returns the path of the socket.
    pub(super) fn path(&self) -> &str {
        &self.0
    }
}

/// Answers a client. Errors: it is gone, or says nothing.
fn answer(mut stream: UnixStream, sender: &Sender<Message>) -> Result<()> {
    // Nobody keeps the others waiting.
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut name = String::new();
    (&stream).take(LONGEST).read_to_string(&mut name)?;
    let name = (!name.is_empty()).then_some(name);
    let said = match name.as_deref().map_or(Ok(()), Mark::check) {
        Err(error) => error.to_string(),
        Ok(()) => {
            let (reply, answer) = channel();
            sender
                .send(Message::Mark(name, Box::new(move |said| _ = reply.send(said))))
                .ok()
                .context("it has ended")?;
            answer.recv()?
        }
    };
    Ok(stream.write_all(said.as_bytes())?)
}

/// Sets a mark, or ends the last one. Returns what the other side says. Errors: nobody listens.
pub(super) fn ask(path: &Path, name: &str) -> Result<String> {
    let mut stream = UnixStream::connect(path)?;
    stream.write_all(name.as_bytes())?;
    stream.shutdown(std::net::Shutdown::Write)?;
    let mut said = String::new();
    stream.read_to_string(&mut said)?;
    Ok(said)
}
