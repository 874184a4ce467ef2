//! From the start of a program to its exit: the name of the profile file, when it is written, and the messages about failures.
//!
//! | when | modules |
//! | --- | --- |
//! | at the start | `start`, `filename` and `signature` (the name), `run` (which file is from an earlier run) |
//! | at calls of the program | `api`, `side_files`, `program_stream` (a stream in the file's place), `value_limits` |
//! | at writes | `write`, `merged_content`, `mismatch` (the message) |
//! | at forks and signals | `fork`, `fork_request`, `signals`, `signal_list` |

pub mod api;
pub mod filename;
pub mod fork;
pub mod fork_request;
pub mod merged_content;
pub mod mismatch;
pub mod program_stream;
pub mod run;
pub mod side_files;
pub mod signal_list;
pub mod signals;
pub mod signature;
pub mod start;
pub mod value_limits;
pub mod write;
