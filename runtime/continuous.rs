//! Continuous mode: counters and bitmaps are pages of the profile's file, so that a kill at any instruction loses no count.
//!
//! The complete file is written first, with counters and bitmaps on pages of their own, and gets its name; then its pages take
//! the place of the memory that the program counts in. There are two methods:
//! - **in place**: the linker has given the section pages of its own (`profrt-continuous.o`), and the file is mapped over them.
//! - **moved**: the file is mapped at any address, and the compiler's bias variable has the distance.
//!
//! | what | modules |
//! | --- | --- |
//! | whether the mode is on | `request` |
//! | start, updates, resets, children, end | `start`, `mode` |
//! | the file: find it, write it, map it, move to another | `continuous_file` |
//! | files of several processes, and of earlier runs | `numbered`, with `format::stamp`; `adopt` takes their counts |
//! | the memory of counters | `mapped_section`, `counts`, `snapshot` |
//!
//! # The start of a process
//!
//! ```text
//! start             begin_or_move        asks for the method of each section
//! continuous_file   map_first_free
//!                   find_and_map         tries one name after the other
//!                   try_name             claims the file that has the name; decides whether to replace it, adopt its counts, or skip it
//!                   NewContinuousFile::fill_and_map
//!                     Snapshot::new      copies the counts, so that those made meanwhile can be added later
//!                     install
//!                       Publisher::create_locked
//!                       fill             writes the profile and the stamp
//!                         MappedSection::prepare  maps the pages of the new file, which nobody uses yet
//!                       Publisher::install        gives the file its name
//!                     map
//!                       MappedSection::change     the program counts in the file from here on
//!                     HeldLock::keep     keeps the lock of the file
//! ```
//!
//! # The move to another name
//!
//! ```text
//! start             begin_or_move        if the program has changed the name
//! continuous_file   move_on              opens the old file
//!                   find_and_map         as above, but
//!                     mark_moved         before `change`: nobody adopts the counts of the old file; undone if `change` fails
//!                     MappedSection::change, HeldLock::keep
//!                                        release the lock of the old file
//!                   remove_moved         locks the old file again, and removes it
//! ```

mod adopt;
mod continuous_file;
pub mod counts;
pub mod mapped_section;
pub mod mode;
mod new_continuous_file;
pub mod numbered;
pub mod request;
pub mod snapshot;
pub mod start;
