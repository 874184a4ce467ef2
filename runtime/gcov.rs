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
pub mod run;

#[cfg(test)]
mod tests;
