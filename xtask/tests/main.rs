//! The tests of archives, packages, installing and documents. One program, for each would link everything once more.

mod common;

mod as_a_crate;
mod builds;
mod cfgs;
mod consoles;
mod dist;
mod install;
mod languages;
mod package;
mod pieces;
mod publish;
mod rustc;
