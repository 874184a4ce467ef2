//! The plan of a profile in bytes. A function in a file, and so an archive member, of its own: it copies a header, which takes
//! `memcpy`, and a program that only dumps into a buffer may have none.

use super::Plan;
use crate::error::Result;
use crate::format::header::Header;
use crate::format::{RawVersion, Word};

/// The plan of a file with this header, as a reader must see it. Errors: [`crate::error::Error::OVERFLOW`].
pub fn of_header(header: Header, version: RawVersion, word: Word) -> Result<Plan> {
    let plan = Plan { header, version, word };
    plan.check()?;
    Ok(plan)
}
