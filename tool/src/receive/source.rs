//! Where the stream comes from: a terminal device, a pipe, a socket, a file, or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, Result};

/// Opens the source. A terminal device is set to hand on all bytes as they are, at `baud` bits a second.
pub fn open(path: &Path, baud: u32) -> Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let opened = open_path(path, baud);
    opened.with_context(|| format!("{} cannot be opened; is the path right, and may you read it?", path.display()))
}

#[cfg(unix)]
fn open_path(path: &Path, baud: u32) -> Result<Box<dyn Read + Send>> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};

    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_socket() {
        return Ok(Box::new(std::os::unix::net::UnixStream::connect(path)?));
    }
    if !kind.is_char_device() {
        return Ok(Box::new(File::open(path)?));
    }
    // Without waiting: a serial line whose carrier signal is not connected would wait for ever.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let file = File::options().read(true).custom_flags(flags.bits() as i32).open(path)?;
    if rustix::termios::isatty(&file) {
        set_line(&file, baud).with_context(|| {
            format!(
                "it cannot be set to {baud} baud; choose a rate that the device has with --baud, often 115200 or 9600"
            )
        })?;
    }
    rustix::fs::fcntl_setfl(&file, rustix::fs::fcntl_getfl(&file)? - rustix::fs::OFlags::NONBLOCK)?;
    Ok(Box::new(file))
}

#[cfg(unix)]
fn set_line(file: &File, baud: u32) -> io::Result<()> {
    use rustix::termios::{ControlModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

    let mut line = tcgetattr(file)?;
    line.make_raw();
    line.set_speed(baud)?;
    // The receiver is on, whatever the modem lines say.
    line.control_modes |= ControlModes::CLOCAL | ControlModes::CREAD;
    line.special_codes[SpecialCodeIndex::VMIN] = 1;
    line.special_codes[SpecialCodeIndex::VTIME] = 0;
    Ok(tcsetattr(file, OptionalActions::Now, &line)?)
}

#[cfg(not(unix))]
fn open_path(path: &Path, _baud: u32) -> Result<Box<dyn Read + Send>> {
    Ok(Box::new(File::open(path)?))
}

/// Whether the other side of a pseudo terminal has gone: that is how its end is told.
pub fn is_end(error: &io::Error) -> bool {
    cfg!(unix) && error.raw_os_error() == Some(5)
}
