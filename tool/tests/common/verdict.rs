//! What `profrt check` says of bytes.

use profrt_tool::check::{State, Verdict, inspect};

/// Checks bytes.
pub fn check(bytes: &[u8]) -> Verdict {
    inspect("input".into(), bytes)
}

/// Whether the bytes are whole profiles; says what is wrong.
pub fn is_whole(bytes: &[u8]) -> bool {
    let verdict = check(bytes);
    if verdict.state != State::Ok {
        eprintln!("{verdict}");
    }
    verdict.state == State::Ok
}
