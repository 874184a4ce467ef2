//! Standard error. Where it is closed or full nobody can be told, and the command goes on.

/// Writes a text, in colors where standard error is a terminal.
macro_rules! complain {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(anstream::stderr(), $($text)*);
    }};
}

/// Writes a line, in colors where standard error is a terminal.
macro_rules! complainln {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(anstream::stderr(), $($text)*);
    }};
}

/// Writes a line as it is.
macro_rules! warn_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}
