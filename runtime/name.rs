//! The name of the profile file: the pattern in force, where it comes from, and its expansion for this image and process.

#![allow(unsafe_code)]

use core::ffi::CStr;

use crate::error::{Error, Result};
use crate::filename::{
    Fault, NO_BUILD_ID, NO_TEMP_DIR, PatternFlags, SpecifierValues, add_number, expand, parse_flags,
};
use crate::link;
use crate::os;
use crate::path::{CAPACITY, PathBuf};
use crate::report::{Grade, print};
use crate::sections::variables;
use crate::state::request;

pub mod signature;

/// The source of the pattern; a later source overrides an earlier one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameSource {
    /// The name was not needed yet.
    Unset,
    /// `default.profraw`.
    Default,
    /// `__llvm_profile_filename`, from the compiler's command line.
    CommandLine,
    /// `LLVM_PROFILE_FILE`.
    Environment,
    /// `__llvm_profile_set_filename`.
    Program,
}

/// The pattern in force.
#[repr(C)]
pub struct Name {
    /// What the pattern requests besides a name.
    pub flags: PatternFlags,
    /// The source of the pattern.
    pub source: NameSource,
    /// The pattern, or as much of it as a path can have. Invariant: valid (`filename::parse_flags` is not an error) unless `source` is `Unset`.
    pub pattern: PathBuf,
    /// `$TMPDIR` when the pattern was set, if the pattern has `%t`: the environment may be gone at exit.
    temp_dir: PathBuf,
}

/// The default name.
pub const DEFAULT: &[u8] = b"default.profraw";

/// Returns the build id of this image, or no bytes.
fn build_id() -> &'static [u8] {
    let id = link::notes::build_id();
    // SAFETY: the id is constant data of this image.
    unsafe { id.bytes() }
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

impl SpecifierValues for Name {
    fn process(&self) -> u32 {
        os::process_id()
    }

    fn temp_dir(&self) -> &[u8] {
        self.temp_dir.as_bytes()
    }

    fn build_id(&self) -> &[u8] {
        build_id()
    }

    fn push_host(&self, name: &mut PathBuf) -> Result {
        os::host_name(|host| name.push(host)).unwrap_or(Ok(()))
    }

    fn signature(&self) -> u64 {
        signature::signature()
    }
}

impl Name {
    /// No name yet.
    pub const UNSET: Name = Name {
        flags: PatternFlags { merge_pool: 0, continuous: false, temp_dir: false, build_id: false, expands: false },
        source: NameSource::Unset,
        pattern: PathBuf::new(),
        temp_dir: PathBuf::new(),
    };

    /// Returns whether the profile goes to a pool file, which runs share.
    pub fn is_pooled(&self) -> bool {
        self.flags.merge_pool > 0
    }

    /// Sets the pattern, if its source may override the source of the current one. Reports an unusable pattern and sets the default.
    pub fn set(&mut self, pattern: &[u8], source: NameSource) {
        let before = self.source;
        if source < before {
            return;
        }
        let old = self.pattern.as_bytes();
        if before == NameSource::Unset {
            print(Grade::Note, &[b"Set profile file path to \"@\" via @.", pattern, label(source)]);
        } else if before < source || old != pattern {
            let text = b"Override old profile path \"@\" via @ to \"@\" via @.";
            print(Grade::Note, &[text, old, label(before), pattern, label(source)]);
        }
        if let Err(fault) = self.parse(pattern) {
            self.use_default(source);
            return print(Grade::Warning, &[fault, pattern]);
        }
        self.source = source;
        let _ = self.pattern.set(pattern.get(..CAPACITY - 1).unwrap_or(pattern));
        if self.flags.continuous {
            request::want(os::page_size());
        }
    }

    /// Sets the flags of a pattern. Missing values of specifiers are errors now, at the start, and not when the counts are at stake.
    fn parse(&mut self, pattern: &[u8]) -> core::result::Result<(), Fault> {
        parse_flags(pattern, &mut self.flags)?;
        if self.flags.temp_dir {
            let directory = os::env(c"TMPDIR").filter(|name| !name.is_empty()).ok_or(NO_TEMP_DIR)?;
            self.temp_dir.set(directory.to_bytes()).map_err(|_| NO_TEMP_DIR)?;
        }
        if self.flags.build_id && build_id().is_empty() { Err(NO_BUILD_ID) } else { Ok(()) }
    }

    /// Sets the default name, whatever the source of the current one.
    pub fn use_default(&mut self, source: NameSource) {
        (self.source, self.flags) = (source, PatternFlags::default());
        let _ = self.pattern.set(DEFAULT);
    }

    /// Sets the pattern from the environment, the command line, or the default, if no pattern is set yet.
    pub fn ensure(&mut self) {
        if self.source == NameSource::Unset {
            self.learn();
        }
    }

    /// Sets the pattern from the first of: the environment, the command line, the default. A source that may not override the current one
    /// changes nothing: a pattern stays when its variable is gone.
    pub fn learn(&mut self) {
        let environment = os::env(c"LLVM_PROFILE_FILE").map(CStr::to_bytes).filter(|name| !name.is_empty());
        let command_line = variables::profile_filename();
        let (pattern, source) = match environment {
            Some(name) => (name, NameSource::Environment),
            None if command_line.is_empty() => (DEFAULT, NameSource::Default),
            None => (command_line, NameSource::CommandLine),
        };
        self.set(pattern, source);
    }

    /// Returns whether the program itself has chosen the file, by a call or by an absolute name that was compiled in: then a set-uid program may
    /// write the file when it is asked to. (The caller chooses where a relative name leads, and nobody has chosen the default.)
    pub fn is_chosen(&self) -> bool {
        let pattern = self.pattern.as_bytes();
        match self.source {
            NameSource::Program => pattern != DEFAULT,
            NameSource::CommandLine => pattern.first() == Some(&b'/'),
            _ => false,
        }
    }

    /// Returns whether the pattern may be longer than any path.
    pub fn is_too_long(&self) -> bool {
        self.pattern.as_bytes().len() == CAPACITY - 1
    }

    /// Checks that this process may write under the name. Errors: [`Error::NOT_CHOSEN`] (set-uid), [`Error::NO_NAME`], [`Error::NAME_TOO_LONG`].
    pub fn check_allowed(&self) -> Result {
        if os::secure() && !self.is_chosen() {
            Err(Error::NOT_CHOSEN)
        } else if self.pattern.as_bytes().is_empty() {
            Err(Error::NO_NAME)
        } else if self.is_too_long() {
            Err(Error::NAME_TOO_LONG)
        } else {
            Ok(())
        }
    }

    /// Expands the pattern; `%p` is the current process. `number` selects the pool file, or without `%m` the slot (added to the name unless 0).
    /// `None`: the process id selects the pool file; the name gets no number.
    pub fn resolve(&self, number: Option<u32>, path: &mut PathBuf) -> Result {
        if !self.flags.expands {
            path.set(self.pattern.as_bytes())?;
        } else {
            expand(self.pattern.as_bytes(), self, number, path)?;
        }
        match number {
            Some(number) if number > 0 && !self.is_pooled() => add_number(path, u64::from(number)),
            _ => Ok(()),
        }
    }
}
