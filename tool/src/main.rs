//! `profrt COMMAND`: the program. All that it does is in the library.

#![forbid(unsafe_code)]

use std::process::ExitCode;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    #[cfg(unix)]
    profrt_tool::signals::block();
    ExitCode::from(profrt_tool::command_line::main(std::env::args_os()))
}
