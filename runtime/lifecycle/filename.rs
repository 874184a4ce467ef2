//! Sets the pattern of the profile's name, and expands it for this image and process.

#![allow(unsafe_code)]

use core::ffi::CStr;

use crate::continuous::request;
use crate::error::{Error, Result};
use crate::filename::{Fault, PatternFlags, SpecifierValues, Token, add_number, expand, parse_flags, tokens};
use crate::os;
use crate::path::CAPACITY;
use crate::report::{Grade, print};
use crate::sections::{elf, variables};
use crate::state::member::Member;
use crate::state::output::{NameSource, Output};

/// The default name.
pub const DEFAULT: &[u8] = b"default.profraw";

/// Reports an error in a pattern.
fn complain(fault: Fault, pattern: &[u8]) {
    let parts: [&[u8]; 3] = match fault {
        Fault::MergeTwice => [b"%m specifier can only be specified once in ", pattern, b"."],
        Fault::ContinuousTwice => [b"%c specifier can only be specified once in ", pattern, b"."],
        Fault::NoTempDir => {
            [b"Unable to get the TMPDIR environment variable, referenced in ", pattern, b". Using the default path."]
        }
        Fault::NoBuildId => [b"Unable to get binary ID for filename pattern ", pattern, b". Using the default name."],
    };
    print(Grade::Warning, &parts);
}

/// Returns the name of a source in messages.
#[inline(never)]
fn label(source: NameSource) -> &'static [u8] {
    match source {
        NameSource::Unset | NameSource::Default => b"default setting",
        NameSource::CommandLine => b"command line",
        NameSource::Environment => b"environment variable",
        NameSource::Program => b"runtime API",
    }
}

/// Sets the pattern, if its source may override the source of the current one. Reports an unusable pattern and sets the default.
pub fn set(output: &mut Output, pattern: &[u8], source: NameSource) {
    let before = output.source;
    if source < before {
        return;
    }
    let old = output.pattern.as_bytes();
    let other = old != pattern;
    let first = before == NameSource::Unset;
    if before < source || other {
        let to: &[u8] = if first { b"Set profile file path to \"" } else { b" to \"" };
        let (via, was, by): (&[u8], &[u8], &[u8]) = (b"\" via ", label(before), label(source));
        let parts: [&[u8]; 9] = [b"Override old profile path \"", old, via, was, to, pattern, via, by, b"."];
        print(Grade::Note, parts.get(if first { 4 } else { 0 }..).unwrap_or(&parts));
    }
    let flags = match parse_flags(pattern) {
        Ok(flags) => flags,
        Err(fault) => {
            use_default(output, source);
            return complain(fault, pattern);
        }
    };
    // Report missing values of specifiers now, at the start, and not when the counts are at stake.
    let (mut directory, mut fault): (&[u8], _) = (b"", None);
    if !flags.verbatim {
        for token in tokens(pattern) {
            let found = match token {
                Token::TempDir => {
                    directory = os::env(c"TMPDIR").map_or(b"", CStr::to_bytes);
                    if directory.is_empty() { Some(Fault::NoTempDir) } else { None }
                }
                Token::BuildId if elf::notes::build_id().len == 0 => Some(Fault::NoBuildId),
                _ => None,
            };
            fault = fault.or(found);
        }
    }
    // Short, because a child that is forked meanwhile gets neither the old pattern nor the new one.
    let fits = output.change_pattern(|output| {
        output.source = source;
        output.renamed |= other;
        let fits = put(output, pattern, flags).is_ok();
        if !fits {
            let _ = output.pattern.set(pattern.get(..CAPACITY - 1).unwrap_or(pattern));
        }
        output.too_long = !fits || !flags.verbatim && output.temp_dir.set(directory).is_err();
        fits
    });
    if !fits {
        return;
    }
    if flags.continuous {
        request::want(os::page_size());
    }
    if let Some(fault) = fault {
        complain(fault, pattern);
        use_default(output, source);
    }
}

/// Sets the default name, whatever the source of the current one.
pub fn use_default(output: &mut Output, source: NameSource) {
    output.change_pattern(|output| {
        output.source = source;
        output.renamed |= output.pattern.as_bytes() != DEFAULT;
        output.too_long = false;
        let _ = put(output, DEFAULT, PatternFlags::default());
    });
}

/// Sets the pattern from the environment, the command line, or the default, if no pattern is set yet.
pub fn ensure(output: &mut Output) {
    if output.source == NameSource::Unset {
        learn(output, os::env(VARIABLE));
    }
}

/// The environment variable with the pattern.
pub const VARIABLE: &CStr = c"LLVM_PROFILE_FILE";

/// Sets the pattern from the first of: the environment, the command line, the default. A source that may not override the current one
/// changes nothing: a pattern stays when its variable is gone. `environment`: the value of [`VARIABLE`].
pub fn learn(output: &mut Output, environment: Option<&CStr>) {
    let environment = environment.map(CStr::to_bytes).filter(|name| !name.is_empty());
    let command_line = variables::profile_filename();
    if let Some(name) = environment {
        set(output, name, NameSource::Environment);
    } else if !command_line.is_empty() {
        set(output, command_line, NameSource::CommandLine);
    } else {
        set(output, DEFAULT, NameSource::Default);
    }
}

/// Returns whether the program itself has chosen the file, by a call or by an absolute name that was compiled in: then a set-uid program may
/// write the file when it is asked to. (The caller chooses where a relative name leads, and nobody has chosen the default.)
pub fn is_chosen(output: &Output) -> bool {
    let pattern = output.pattern.as_bytes();
    match output.source {
        NameSource::Program => pattern != DEFAULT,
        NameSource::CommandLine => pattern.first() == Some(&b'/'),
        _ => false,
    }
}

/// Refuses a file that a process with more rights than its caller must not write.
pub fn allow(output: &Output) -> Result {
    if os::secure() && !is_chosen(output) { Err(Error::NOT_CHOSEN) } else { Ok(()) }
}

/// Expands the pattern into `output.name`. `%p` is the current process.
pub fn resolve(output: &mut Output) -> Result {
    let Output { pattern, name, temp_dir, member, flags, .. } = output;
    if flags.verbatim && *member == Member::Undecided {
        return name.set(pattern.as_bytes());
    }
    let id = elf::notes::build_id();
    let values = SpecifierValues {
        process: if flags.has_pid || flags.merge_pool > 0 { os::process_id() } else { 0 },
        temp_dir: temp_dir.as_bytes(),
        // SAFETY: the id is constant data of this image; the span is not empty, so its pointer is not null.
        build_id: if id.len > 0 { unsafe { core::slice::from_raw_parts(id.start, id.len) } } else { &[] },
        member: member.number(),
        host: |name| os::host_name(|host| name.push(host)).unwrap_or(Ok(())),
        signature: super::signature::signature,
    };
    match expand(pattern.as_bytes(), &values, name)? {
        Ok(()) => {}
        Err(fault) => {
            complain(fault, pattern.as_bytes());
            name.set(DEFAULT)?;
        }
    }
    separate(output)
}

/// Makes the name unique to this image and process in continuous mode, where no two of them have the same file, unless `%m` does that. The
/// first process of the executable has the name without a number.
fn separate(output: &mut Output) -> Result {
    let PatternFlags { merge_pool, continuous, .. } = output.flags;
    if merge_pool > 0 || !(continuous || output.member != Member::Undecided) {
        return Ok(());
    }
    if !is_executable() {
        add_number(&mut output.name, super::signature::signature())?;
    }
    match output.member.number() {
        None | Some(0) => Ok(()),
        Some(number) => add_number(&mut output.name, u64::from(number)),
    }
}

/// Returns whether this image is the executable and no shared object; `true` where that is unknown.
pub fn is_executable() -> bool {
    let (own, system) = (elf::notes::program_headers(), os::program_headers());
    own == 0 || system == 0 || own == system
}

/// Stores a pattern and its flags. Fails if it is too long.
fn put(output: &mut Output, pattern: &[u8], flags: PatternFlags) -> Result {
    // The mapped file stays ours until the counts have moved to another one.
    if output.pattern.as_bytes() != pattern && !output.continuous.is_mapped() {
        output.forget_member();
    }
    output.flags = flags;
    output.pattern.set(pattern)
}
