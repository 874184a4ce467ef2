//! What wakes a watcher: the system says which names have changed, where it can. Events may be lost or never come; scans find what they miss.

use std::collections::HashSet;
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What has happened.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Files to look at.
    pub(super) files: HashSet<PathBuf>,
    /// Files that somebody has written to and not closed yet.
    pub(super) writing: HashSet<PathBuf>,
    /// Something is not known in detail: look at everything.
    pub(super) rescan: bool,
}

/// Names that are kept; with more, a scan is cheaper.
const MOST: usize = 1 << 16;

/// Waits until there is an event, or a byte in `stop`, or the time is over. Errors: those of the system.
pub(super) fn wait(events: &Events, stop: &PipeReader, time: Duration) -> io::Result<()> {
    let time = Timespec { tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: time.subsec_nanos().into() };
    let mut sources = vec![PollFd::new(stop, PollFlags::IN)];
    #[cfg(target_os = "linux")]
    sources.extend(events.queue.as_ref().map(|queue| PollFd::new(queue, PollFlags::IN)));
    #[cfg(not(target_os = "linux"))]
    let _ = events;
    match poll(&mut sources, Some(&time)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The events of a directory and those in it.
#[cfg(target_os = "linux")]
#[derive(Default)]
pub(super) struct Events {
    queue: Option<std::os::fd::OwnedFd>,
    directories: std::collections::HashMap<i32, PathBuf>,
}

#[cfg(target_os = "linux")]
impl Events {
    /// Returns a source of events. Errors: the user has too many of them.
    pub(super) fn new() -> io::Result<Events> {
        use rustix::fs::inotify::{CreateFlags, init};
        let queue = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        Ok(Events { queue: Some(queue), ..Events::default() })
    }

    /// Asks for the events of a directory; again when it has another path. Errors: there are too many, or it is gone.
    pub(super) fn add(&mut self, directory: &Path) -> io::Result<()> {
        use rustix::fs::inotify::{WatchFlags as Flags, add_watch};
        let Some(queue) = &self.queue else { return Ok(()) };
        let content = Flags::MODIFY | Flags::CLOSE_WRITE | Flags::ATTRIB;
        let names = Flags::CREATE | Flags::MOVED_TO | Flags::MOVED_FROM | Flags::DELETE;
        let own = Flags::DELETE_SELF | Flags::MOVE_SELF | Flags::ONLYDIR | Flags::DONT_FOLLOW | Flags::EXCL_UNLINK;
        let number = add_watch(queue, directory, content | names | own)?;
        self.directories.insert(number, directory.to_path_buf());
        Ok(())
    }

    /// Adds what has happened since the last call.
    pub(super) fn take(&mut self, news: &mut News) {
        use rustix::fs::inotify::{ReadFlags as Flags, Reader};
        use std::os::unix::ffi::OsStrExt;
        let Some(queue) = &self.queue else { return };
        let mut buffer = vec![std::mem::MaybeUninit::uninit(); 1 << 16];
        let mut reader = Reader::new(queue, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => break,
                // A scan finds what the queue does not say.
                Err(_) => {
                    news.rescan = true;
                    break;
                }
            };
            let what = event.events();
            if what.contains(Flags::QUEUE_OVERFLOW) {
                news.writing.clear();
                news.rescan = true;
            }
            if what.contains(Flags::IGNORED) {
                self.directories.remove(&event.wd());
            }
            if what.intersects(Flags::ISDIR | Flags::DELETE_SELF | Flags::MOVE_SELF | Flags::UNMOUNT) {
                // The permissions of a directory change, or there is another one.
                news.rescan = true;
                continue;
            }
            let (Some(directory), Some(name)) = (self.directories.get(&event.wd()), event.file_name()) else {
                continue;
            };
            let path = directory.join(std::ffi::OsStr::from_bytes(name.to_bytes()));
            if what.contains(Flags::MODIFY) {
                news.writing.insert(path.clone());
            } else if !what.intersects(Flags::CREATE | Flags::ATTRIB) {
                news.writing.remove(&path);
            }
            news.files.insert(path);
            if news.files.len() > MOST || news.writing.len() > MOST {
                news.files.clear();
                news.writing.clear();
                news.rescan = true;
            }
        }
    }
}

/// No events: scans find everything.
#[cfg(not(target_os = "linux"))]
#[derive(Default)]
pub(super) struct Events;

#[cfg(not(target_os = "linux"))]
impl Events {
    pub(super) fn new() -> io::Result<Events> {
        Ok(Events)
    }

    pub(super) fn add(&mut self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn take(&mut self, _: &mut News) {}
}
