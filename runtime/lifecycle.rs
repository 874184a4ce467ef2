//! From the start of a program to its exit: when the profile file is written, and the messages about failures.
//!
//! | when | modules |
//! | --- | --- |
//! | at the start, at exit, at a reset | `start`, `value_limits` |
//! | at calls of the program | `api`, `heap`, `side_files`, `program_stream` (a stream in the file's place) |
//! | at writes | `write`, `content`, `mismatch` (the message) |
//! | at forks and signals | `fork`, `signals` |

pub mod api;
pub mod content;
pub mod fork;
pub mod heap;
pub mod mismatch;
pub mod program_stream;
pub mod side_files;
pub mod signals;
pub mod start;
pub mod value_limits;
pub mod write;
