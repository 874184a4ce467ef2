//! From the start of a program to its exit: the name of the profile file, when it is written, and the messages about failures.
//!
//! | when | modules |
//! | --- | --- |
//! | at the start | `start`, `filename` and `signature` (the name), `run` (which file is from an earlier run), `continuous_start` |
//! | at calls of the program | `api`, `side_files`, `program_stream` (a stream in the file's place), `value_limits` |
//! | at writes | `write`, `merged_content`, `later_writes`, `value_scratch`, `mismatch` (the message) |
//! | in continuous mode | `continuous_mode`, `continuous_file`, `numbered` (files of several processes), `adopt` (counts of earlier runs) |
//! | at forks and signals | `fork`, `signals`, `signal_list` |

mod adopt;
pub mod api;
mod continuous_file;
pub mod continuous_mode;
pub mod continuous_start;
pub mod filename;
pub mod fork;
pub mod later_writes;
pub mod merged_content;
pub mod mismatch;
mod numbered;
pub mod program_stream;
mod run;
pub mod side_files;
pub mod signal_list;
pub mod signals;
pub mod signature;
pub mod start;
pub mod value_limits;
mod value_scratch;
pub mod write;
