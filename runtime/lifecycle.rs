//! From the start of a program to its exit: the name of the profile file, when it is written, and the messages about failures.

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
