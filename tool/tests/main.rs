//! The tests of the command `profrt`. One program, for each would link everything once more.

mod common;
#[allow(dead_code, reason = "the tests of profdata use all of it")]
#[path = "../../profdata/tests/coverage/programs.rs"]
mod programs;

mod archives;
mod check;
mod check_formats;
mod check_memprof;
mod check_runtime;
mod convert;
mod convert_pprof;
mod cov;
mod cov_cases;
mod cov_compat;
mod cov_formats;
mod cov_html;
mod cov_outputs;
mod cov_platforms;
mod cov_random;
mod cov_run;
mod cov_rust;
mod doctor;
mod help;
mod inputs;
#[cfg(target_os = "linux")]
mod live;
#[cfg(target_os = "linux")]
mod live_connections;
mod llvm_profdata;
mod losses;
mod merge;
mod merge_account;
mod merge_damage;
mod merge_edges;
mod merge_eras;
mod merge_llvm;
mod merge_sound;
mod profile_page;
#[cfg(unix)]
mod progress;
mod quality;
mod quality_values;
mod rebuild;
mod receive;
#[cfg(unix)]
mod refused;
mod replaced;
mod shared_counters;
mod show_diff;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(target_os = "linux")]
mod watch;
mod who;
