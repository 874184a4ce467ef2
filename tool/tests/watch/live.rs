//! A watcher that runs while files appear, until it is told to stop.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::*;

/// A watcher that runs.
pub struct Live {
    child: Option<Child>,
}

impl Live {
    pub fn start(place: &Place, arguments: &[&str]) -> Live {
        let mut command = with_signals(env!("CARGO_BIN_EXE_profrt"));
        command.args(["watch", "in"]).args(arguments).current_dir(place.dir.path()).stderr(Stdio::piped());
        for (option, usual) in [("-o", OUT), ("--interval", "0.05")] {
            if !arguments.contains(&option) {
                command.args([option, usual]);
            }
        }
        Live { child: Some(command.spawn().unwrap()) }
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(self.child.as_ref().unwrap()), signal).unwrap();
    }

    /// Waits until something is so.
    pub fn until(&mut self, what: &str, is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            let is_over = self.child.as_mut().unwrap().try_wait().unwrap().is_some();
            assert!(!is_over, "the watcher has ended before {what}: {}", Live { child: self.child.take() }.end().text);
            assert!(start.elapsed() < Duration::from_secs(60), "{what} takes longer than a minute");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until the output has this count of `main`.
    pub fn until_main(&mut self, place: &Place, count: u64) {
        self.until(&format!("a count of {count}"), || place.path(OUT).exists() && place.main() >= count);
        assert_eq!(place.main(), count);
    }

    pub fn end(mut self) -> Said {
        let output = end(self.child.take().unwrap(), "the end of the watcher");
        Said { code: output.status.code().unwrap_or(-1), text: String::from_utf8(output.stderr).unwrap() }
    }

    pub fn stop(self, signal: Signal) -> Said {
        self.signal(signal);
        self.end()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Files appear in any way, in directories of any age, while watchers come, are killed, and go. What comes out is what `profrt merge` makes of
/// all.
#[test]
fn any_interleaving_ends_in_the_bytes_of_merge() {
    for seed in 0..6 {
        let (mut numbers, place) = (fastrand::Rng::with_seed(seed), Place::new());
        fs::create_dir(place.path("all")).unwrap();
        let options: &[&str] = if seed % 2 == 0 { &["--delete"] } else { &[] };
        let mut live = Some(Live::start(&place, options));
        for number in 0..60 {
            let functions = [("main", numbers.u64(..1 << 30)), ("f", number), ("g", numbers.u64(..1000))];
            let content = text(&functions[..1 + numbers.u64(..3) as usize]);
            fs::write(place.path(&format!("all/{number}.proftext")), &content).unwrap();
            let directory = ["", "a/", "b/", "b/c/d/"][numbers.u64(..4) as usize];
            let name = format!("{directory}{number}.proftext");
            let path = place.path("in").join(&name);
            match numbers.u64(..5) {
                0 => place.put(&name, &content),
                // A runtime.
                1 => {
                    place.put(&format!("{directory}.profrt-{number:016x}"), &content);
                    fs::rename(place.path("in").join(format!("{directory}.profrt-{number:016x}")), path).unwrap();
                }
                2 => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    fs::write(place.path("moved"), &content).unwrap();
                    fs::rename(place.path("moved"), path).unwrap();
                }
                // A writer that takes its time, and has the file locked.
                3 => {
                    fs::create_dir_all(path.parent().unwrap()).unwrap();
                    let mut file = fs::File::create(path).unwrap();
                    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
                    for part in content.as_bytes().chunks(9) {
                        std::io::Write::write_all(&mut file, part).unwrap();
                        std::thread::sleep(Duration::from_millis(numbers.u64(..3)));
                    }
                }
                // A directory that comes with its files.
                _ => {
                    let directory = place.path(&format!("new-{number}"));
                    fs::create_dir_all(directory.join("x")).unwrap();
                    fs::write(directory.join("x").join(format!("{number}.proftext")), &content).unwrap();
                    fs::rename(directory, place.path("in").join(format!("new-{number}"))).unwrap();
                }
            }
            match numbers.u64(..15) {
                0 => drop(live.take()),
                1 => live.take().into_iter().for_each(|live| {
                    let Said { code, text } = live.stop(Signal::TERM);
                    // A signal that comes before everything else is a kill.
                    assert!(code == 0 || text.is_empty(), "{text}");
                }),
                2..8 => std::thread::sleep(Duration::from_millis(numbers.u64(..40))),
                _ => {}
            }
            if live.is_none() && numbers.u64(..2) == 0 {
                live = Some(Live::start(&place, options));
            }
        }
        let mut live = live.unwrap_or_else(|| Live::start(&place, options));
        let expected = place.merged(&["all"]);
        // The first output has no profile yet, which is nothing to merge.
        let merges =
            || profrt(place.dir.path()).args(["merge", OUT, "-o", "now.profdata"]).output().unwrap().status.success();
        let is_whole = || merges() && fs::read(place.path("now.profdata")).unwrap() == expected;
        live.until("the bytes of merge", || place.path(OUT).exists() && is_whole());
        let Said { code, text } = live.stop(Signal::INT);
        assert_eq!(code, 0, "{seed}: {text}");
        assert!(place.merged(&[OUT]) == expected, "{seed}: {text}");
        let left = place.names("in");
        assert!(left.is_empty() || !options.contains(&"--delete"), "{seed}: {left:?}");
    }
}

#[test]
fn signals_end_it_with_the_last_result() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let place = Place::new();
        place.put("a.proftext", profile_of(1));
        let mut live = Live::start(&place, &["--delete", "--interval", "0.3"]);
        live.until("the file is taken away", || !place.path("in/a.proftext").exists());
        let Said { code, text } = live.stop(signal);
        assert_eq!((code, place.main(), place.names("in").len()), (0, 1, 0), "{text}");
    }
}

#[test]
fn a_signal_does_not_wait_for_a_long_interval() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    let mut live = Live::start(&place, &["--delete", "--interval", "3600"]);
    live.until("an output", || place.path(OUT).exists());
    let Said { code, text } = live.stop(Signal::TERM);
    assert_eq!((code, place.names("in")), (0, set_of(["a.proftext"])), "{text}");
}

#[test]
fn a_pool_file_counts_exactly_while_runs_add_to_it() {
    let place = Place::new();
    let mut live = Live::start(&place, &["--delete"]);
    // Each run adds its count to what is there, as a runtime does: under a lock, by a rename.
    let mut sum = 0;
    for run in 1..=40 {
        // No two pools have one count: equal files count once.
        let own = 1 << run;
        let pool = place.path("in/pool.proftext");
        loop {
            let old = fs::File::options().read(true).write(true).open(&pool).ok();
            if let Some(file) = &old {
                rustix::fs::fcntl_lock(file, rustix::fs::FlockOperation::LockExclusive).unwrap();
            }
            // Read through this descriptor: the end of another one would be that of the lock.
            let before = old.as_ref().map(|mut file| {
                let mut text = String::new();
                std::io::Read::read_to_string(&mut file, &mut text).unwrap();
                text
            });
            let count = before.as_ref().map_or(0, |text| text.trim().lines().last().unwrap().parse::<u64>().unwrap());
            let next = place.path("in/.profrt-0123456789abcdef");
            fs::write(&next, profile_of(count + own)).unwrap();
            // The watcher has taken the old one away: its counts are not ours to add any more.
            if before.is_some() && !pool.exists() {
                continue;
            }
            if before.is_none() {
                match fs::hard_link(&next, &pool) {
                    Ok(()) => fs::remove_file(&next).unwrap(),
                    Err(_) => continue,
                }
            } else {
                // The lock keeps the old file where it is meanwhile.
                if run % 5 == 0 {
                    std::thread::sleep(Duration::from_millis(150));
                }
                fs::rename(&next, &pool).unwrap();
            }
            break;
        }
        sum += own;
        std::thread::sleep(Duration::from_millis(run % 7 * 20));
    }
    live.until("all runs are merged", || place.names("in").is_empty());
    let Said { code, text } = live.stop(Signal::TERM);
    assert_eq!((code, place.main()), (0, sum), "{text}");
}

#[test]
fn only_one_watcher_has_an_output() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    let mut live = Live::start(&place, &[]);
    live.until_main(&place, 1);
    let Said { code, text } = place.once(&[]);
    assert!(code == 2 && text.contains("another `profrt watch`"), "{text}");
    assert_eq!(live.stop(Signal::TERM).code, 0);
    place.once_well(&[]);
}

#[test]
fn two_watchers_that_delete_share_the_files() {
    let place = Place::new();
    let mut first = Live::start(&place, &["--delete"]);
    let second = Live::start(&place, &["--delete", "-o", "other.profpart", "--interval", "0.04"]);
    for number in 0..50 {
        place.put(&format!("{number}.proftext"), profile_of(1 << number));
        std::thread::sleep(Duration::from_millis(5));
    }
    first.until("all files are merged", || place.names("in").is_empty());
    assert_eq!((first.stop(Signal::TERM).code, second.stop(Signal::TERM).code), (0, 0));
    assert_eq!(place.main() + place.main_of("other.profpart"), (1 << 50) - 1);
}

#[test]
fn without_its_directory_it_ends_with_the_last_result() {
    let place = Place::new();
    place.put("a.proftext", profile_of(1));
    let mut live = Live::start(&place, &[]);
    live.until_main(&place, 1);
    fs::remove_dir_all(place.path("in")).unwrap();
    let Said { code, text } = live.end();
    assert!(code == 2 && text.contains("cannot be read"), "{text}");
    assert_eq!(place.main(), 1);
}

/// A file that somebody has locked is not read, and one that grows counts when it is whole.
#[test]
fn a_file_that_is_written_counts_when_it_is_whole() {
    let place = Place::new();
    let mut live = Live::start(&place, &["--delete"]);
    let mut slow = fs::File::create(place.path("in/slow.proftext")).unwrap();
    std::io::Write::write_all(&mut slow, b":ir\nmain\n7\n1\n").unwrap();
    let locked = place.path("in/locked.proftext");
    let file = fs::File::create_new(&locked).unwrap();
    rustix::fs::fcntl_lock(&file, rustix::fs::FlockOperation::LockExclusive).unwrap();
    // Not through a second descriptor, whose end would be that of the lock.
    std::io::Write::write_all(&mut &file, profile_of(300).as_bytes()).unwrap();
    place.put("b.proftext", profile_of(20));
    live.until_main(&place, 20);
    std::thread::sleep(Duration::from_millis(300));
    assert!(locked.exists() && place.main() == 20);
    std::io::Write::write_all(&mut slow, b"4000\n").unwrap();
    drop((slow, file));
    live.until_main(&place, 4320);
    let Said { code, text } = live.stop(Signal::TERM);
    assert_eq!((code, place.names("in").len()), (0, 0), "{text}");
}

#[test]
fn a_refused_file_is_not_read_again_and_again() {
    let place = Place::new();
    place.put("bad.proftext", damaged(5));
    let mut live = Live::start(&place, &["--delete"]);
    let changed = || {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(place.path("in/bad.proftext")).ok().map(|found| (found.ctime(), found.ctime_nsec()))
    };
    let first = changed();
    live.until("the file is refused", || changed().is_some_and(|now| Some(now) != first));
    let refused = changed();
    place.put("good.proftext", profile_of(300));
    live.until_main(&place, 300);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(changed(), refused);
    let Said { text, .. } = live.stop(Signal::TERM);
    assert_eq!((text.matches("bad.proftext: ").count(), changed()), (1, refused), "{text}");
}
