//! Running other programs, with errors that show the command and what it said.

use std::ffi::OsStr;
use std::process::{Command, Output, Stdio};

use anyhow::{Context, Result, bail};

/// The command as a person would type it.
pub fn shown(command: &Command) -> String {
    let mut line = word(command.get_program());
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&word(argument));
    }
    line
}

fn word(text: &OsStr) -> String {
    let text = text.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%<>$".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Runs the command with its output going where ours goes; fails unless it succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("`{}` did not start", shown(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status}); its own message is above", shown(command));
    }
    Ok(())
}

/// Runs the command quietly; its output is shown only when it fails.
pub fn quiet(command: &mut Command) -> Result<()> {
    finished(command).map(drop)
}

/// What the command wrote to its standard output, without the last line end.
pub fn stdout(command: &mut Command) -> Result<String> {
    let output = finished(command)?;
    let text = String::from_utf8(output.stdout).with_context(|| format!("`{}` did not print UTF-8", shown(command)))?;
    Ok(text.trim_end_matches('\n').to_owned())
}

fn finished(command: &mut Command) -> Result<Output> {
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("`{}` did not start", shown(command)))?;
    if !output.status.success() {
        bail!(
            "`{}` failed ({})\n{}{}",
            shown(command),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_command_can_be_pasted_into_a_shell() {
        let mut command = Command::new("cc");
        command.args(["-o", "a b", "it's", ""]);
        assert_eq!(shown(&command), r"cc -o 'a b' 'it'\''s' ''");
    }

    #[test]
    fn a_failure_carries_what_the_command_said() {
        let error =
            quiet(Command::new("sh").args(["-c", "printf 'out-%s' one; printf 'err-%s' two >&2; exit 3"])).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("out-one") && text.contains("err-two") && text.contains("3)"), "{text}");
    }
}
