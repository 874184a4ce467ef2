//! Continuous mode: counters and bitmaps are pages of the profile's file, so that a process killed at any instruction has
//! counted everything.
//!
//! The file is written whole first, with counters and bitmaps on pages of their own, and gets its name; then its pages take
//! the place of the memory that the program counts in. There are two ways to do that:
//! - **in place**: the linker has given the section pages of its own (`profrt-continuous.o`), and the file is mapped over
//!   them. The program's code does not know.
//! - **moved**: the file is mapped anywhere and the compiler's bias variable says how far away.
//!
//! Here is what is pure or touches memory only; when it is done, and with which file, is said by `lifecycle::continuous_mode`.

pub mod counts;
pub mod mapped_section;
pub mod method;
pub mod snapshot;
pub mod stamp;
