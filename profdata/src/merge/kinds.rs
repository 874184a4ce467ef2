//! The kinds of the inputs, and which of them merge.

use crate::error::{Error, ErrorKind};
use crate::flags::Flags;
use crate::sink::Heading;

/// The kinds of all inputs that had a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    pub(crate) flags: Flags,
    /// Different headings, in the order in which they came.
    pub(crate) headings: Vec<Heading>,
}

/// The flags for which an input without them is of another kind.
const EXCLUSIVE: [(Flags, &str, &str); 2] =
    [(Flags::IR, "IR instrumentation", "front-end instrumentation"), (Flags::BYTE_COVERAGE, "byte coverage", "counts")];

/// The number of headings that are kept. All compilers together have fewer; a hostile file has a million, and each is compared with all.
const MOST: usize = 256;

impl Kinds {
    /// Checks that the kind of an input merges with those before.
    ///
    /// Errors: [`ErrorKind::Incompatible`], unless `mix`.
    pub(crate) fn check(&self, heading: &Heading, mix: bool) -> Result<(), Error> {
        if mix || self.headings.contains(heading) {
            return Ok(());
        }
        for (flag, with, without) in EXCLUSIVE {
            // A text without a kind is of any instrumentation, but it says whether it is of byte coverage.
            let is_known = |heading: &&Heading| flag != Flags::IR || !heading.kind_unknown;
            let kind = |heading: &Heading| if heading.flags.has(flag) { with } else { without };
            let others = self.headings.iter().filter(is_known).filter(|_| is_known(&heading));
            if let Some(other) = others.into_iter().find(|other| kind(other) != kind(heading)) {
                return Err(Error::new(ErrorKind::Incompatible, "variant flags")
                    .expected(format_args!("{}, as inputs before", kind(other)))
                    .found(kind(heading)));
            }
        }
        let flags = self.flags | heading.flags;
        let entry_counts = flags.has(Flags::ENTRY_FIRST) || flags.has(Flags::LOOP_ENTRIES);
        if flags.has(Flags::FUNCTION_ENTRY_ONLY) && entry_counts {
            return Err(Error::new(ErrorKind::Incompatible, "variant flags")
                .expected("function entries only, or entries among other counters, in all inputs"));
        }
        Ok(())
    }

    /// Adds the kind of an input with records.
    ///
    /// Errors: [`ErrorKind::Incompatible`], unless `mix`.
    pub(crate) fn add(&mut self, heading: &Heading, mix: bool) -> Result<(), Error> {
        self.check(heading, mix)?;
        self.flags |= heading.flags;
        if self.headings.len() < MOST && !self.headings.contains(heading) {
            self.headings.push(*heading);
        }
        Ok(())
    }

    /// Returns whether a text without a kind was merged with IR profiles.
    pub(crate) fn is_assumed(&self) -> bool {
        let any = |is: fn(&Heading) -> bool| self.headings.iter().any(is);
        any(|heading| heading.kind_unknown) && any(|heading| heading.flags.has(Flags::IR))
    }

    /// Adds the kinds of another merge, all or none.
    pub(crate) fn absorb(&mut self, other: &Kinds, mix: bool) -> Result<(), Error> {
        other.headings.iter().try_for_each(|heading| self.check(heading, mix))?;
        other.headings.iter().try_for_each(|heading| self.add(heading, mix))?;
        self.flags |= other.flags;
        Ok(())
    }
}
