//! gcov: writes the `.gcda` files of programs that are compiled with `clang --coverage`. docs/GCOV.md has the promises to users.
//!
//! The compiler emits two functions in each object file and registers both in a constructor (`llvm_gcov_init`): one writes the counters of
//! the object file, by calls of `llvm_gcda_*`; the other resets them. A **pass** calls the write functions of one image: at exit, before
//! `exec`, when the program calls `__gcov_dump`, or when a signal requests a dump.
//!
//! | module | does |
//! | --- | --- |
//! | `encoding` | the words of a `.gcda` file, by version |
//! | `merge` | adds an existing `.gcda` file and ours |
//! | `buffer` | bytes that grow, in mapped pages |
//! | `functions` | the registered functions of this image |
//! | `images` | the images of a process that share `__gcov_dump` |
//! | `prefix` | `GCOV_PREFIX`, `GCOV_PREFIX_STRIP` |
//! | `content` | a `.gcda` file as its publisher sees it |
//! | `pass` | a pass, and the file that it is writing |
//! | `run` | start, exit, forks, signals, and the calls of the program |

pub mod buffer;
pub mod content;
pub mod encoding;
pub mod functions;
pub mod images;
pub mod merge;
pub mod pass;
pub mod prefix;

pub mod run {
    //! Start, exit, forks and signals of a program with `.gcda` files, and the calls that it makes.

    use core::ffi::c_int;
    use core::sync::atomic::{AtomicBool, Ordering};

    use super::functions::{Function, Functions};
    use super::images::{self, SharedImage};
    use super::pass;
    use crate::lifecycle::content::LaterWrites;
    use crate::lifecycle::signals::{self, FORKS_RESET, GCOV_DUMP};
    use crate::os;
    use crate::output::{self, FORK_HANDLED};
    use crate::report::{Grade, learn_verbose, say};

    /// The functions that write the object files of this image.
    pub static WRITE: Functions = Functions::new();
    /// The functions that reset their counters.
    pub static RESET: Functions = Functions::new();

    /// This image, for the calls of other images.
    static THIS: SharedImage = SharedImage::new(write_image, reset_image);
    /// An object file was registered.
    static INITIALIZED: AtomicBool = AtomicBool::new(false);

    /// Registers the functions of an object file.
    pub fn register(write: Option<Function>, reset: Option<Function>) {
        let written = write.is_none_or(|function| WRITE.push(function));
        let resets = reset.is_none_or(|function| RESET.push(function));
        if !written || !resets {
            say(Grade::Error, b"No memory to register an object file: it gets no .gcda file.");
        }
    }

    /// Registers the functions of an object file, and this image for the calls of others.
    pub fn initialize(write: Option<Function>, reset: Option<Function>) {
        register(write, reset);
        if !INITIALIZED.swap(true, Ordering::Relaxed) {
            os::learn_threads();
            images::add(&THIS);
        }
    }

    /// Does the work of the constructor.
    pub extern "C" fn construct() {
        os::learn_threads();
        learn_verbose();
        pass::learn_prefix();
        os::at_fork_child(in_child);
        GCOV_DUMP.set(Some(&(dump_in_handler as fn())));
        signals::setup();
    }

    /// Does the work of the destructor: writes the files at exit, or when the shared object with this image is unloaded.
    pub extern "C" fn destruct() {
        // A set-uid program writes nothing unasked: its working directory and environment are its caller's.
        if !os::secure() {
            let later = if os::watching() { LaterWrites::Possible } else { LaterWrites::None };
            pass::write(&WRITE, later, true);
        }
        WRITE.clear();
        images::remove(&THIS);
        signals::end_dump(&GCOV_DUMP, !output::is_inside());
    }

    /// Writes the files of all images before an `exec`, as [`destruct`] does at exit.
    pub fn before_exec() {
        if !os::secure() {
            images::write();
        }
    }

    /// Resets the counters of all images after an `exec` that has failed, if [`before_exec`] has written them.
    pub fn after_exec() {
        if !os::secure() {
            images::reset();
        }
    }

    /// Writes the files of this image when a signal requests it.
    fn dump_in_handler() {
        pass::write(&WRITE, LaterWrites::Possible, false);
    }

    /// Writes the files of this image. Other images call it.
    pub extern "C" fn write_image() {
        pass::write(&WRITE, LaterWrites::Possible, true);
    }

    /// Resets the counters of this image. Other images call it.
    pub extern "C" fn reset_image() {
        pass::reset(&RESET);
    }

    /// Starts the counts of a child from zero where that is requested, and releases what threads of the parent held.
    extern "C" fn in_child() {
        // In a program that writes a profile too, its handler does this.
        if !FORK_HANDLED.load(Ordering::Relaxed) {
            os::count_fork();
            signals::in_this_process();
        }
        images::release_inherited();
        if FORKS_RESET.load(Ordering::Relaxed) {
            reset_image();
        }
    }

    /// Resets the counters of all images after `fork`, in the child.
    pub fn after_fork(result: c_int) -> c_int {
        if result == 0 {
            images::reset();
        }
        result
    }
}

#[cfg(test)]
mod tests;
