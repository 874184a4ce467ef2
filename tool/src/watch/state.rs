//! What a watcher must not lose: the sum of all inputs, and the list of what is in it, in one file that is replaced as a whole. A sum and a list
//! that disagree would count an input twice or never.
//!
//! | bytes | what |
//! | --- | --- |
//! | 16 | `profrt-watch-1` and two zero bytes |
//! | 8 | length of the head, little-endian |
//! | | the head, as JSON |
//! | 33 each | the entries of the list: hashes of content, file and path, and a byte for what of it is not in the sum |
//! | | the sum, a partial result of `profdata`; nothing before the first input |
//! | 16 | XXH3 of all bytes before |

use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use super::durable::{publish, read_file};
use super::ledger::{Hashes, Ledger};
use crate::inputs::{WATCHED as MAGIC, display};

/// Numbers that the sum does not have.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    /// Files with the content of another one.
    pub(super) duplicates: u64,
    /// Files that were merged, and changed later: what they have now is in no result.
    pub(super) changed: u64,
}

#[derive(Serialize, Deserialize)]
struct Head {
    /// Number of the watcher, which is in the names of the files that it takes away.
    watcher: u64,
    /// Seed of its hashes.
    seed: u64,
    entries: usize,
    #[serde(default)]
    device: u64,
    counts: Counts,
}

/// The state of a watcher.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) watcher: u64,
    pub(super) hashes: Hashes,
    /// Number of the file system of the directory; 0 before the first look.
    pub(super) device: u64,
    pub(super) counts: Counts,
    pub(super) ledger: Ledger,
    /// The sum as a partial result; empty before the first input.
    pub(super) sum: Vec<u8>,
}

impl State {
    /// Returns the state of a watcher of a directory that has merged nothing.
    pub(super) fn new(root: PathBuf) -> State {
        let random = || RandomState::new().hash_one(std::process::id());
        let hashes = Hashes { seed: random(), root };
        State {
            watcher: random(),
            hashes,
            device: 0,
            counts: Counts::default(),
            ledger: Ledger::default(),
            sum: Vec::new(),
        }
    }

    /// Reads the state of a watcher of a directory; `None` if there is none. Errors: it cannot be read, or is damaged.
    pub(super) fn read(path: &Path, root: &Path) -> Result<Option<State>> {
        let bytes = match read_file(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            result => result.with_context(|| format!("the state {} cannot be read", display(path)))?,
        };
        let state = State::of(&bytes, root).ok_or_else(|| {
            anyhow!(
                "the state {} is damaged\n  cause:    a disk that fails, or somebody has written to it\n  remedy:   bring it back from a \
                 backup; or move it away with the output, keep the output as an input of `profrt merge`, and start anew",
                display(path)
            )
        })?;
        Ok(Some(state))
    }

    fn of(bytes: &[u8], root: &Path) -> Option<State> {
        let (all, hash) = bytes.split_last_chunk()?;
        if XxHash3_128::oneshot(all) != u128::from_le_bytes(*hash) {
            return None;
        }
        let (length, rest) = all.strip_prefix(MAGIC)?.split_first_chunk()?;
        let (head, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let Head { watcher, seed, entries, device, counts } = serde_json::from_slice(head).ok()?;
        let (ledger, sum) = Ledger::take(entries, rest)?;
        Some(State {
            watcher,
            hashes: Hashes { seed, root: root.to_path_buf() },
            device,
            counts,
            ledger,
            sum: sum.to_vec(),
        })
    }

    /// Puts the state in the place of the one before, for good. Errors: those of the system.
    pub(super) fn publish(&self, path: &Path) -> Result<()> {
        let seed = self.hashes.seed;
        let head = Head {
            watcher: self.watcher,
            seed,
            entries: self.ledger.len(),
            device: self.device,
            counts: self.counts.clone(),
        };
        let head = serde_json::to_vec(&head)?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&(head.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&head);
        self.ledger.put(&mut bytes);
        bytes.extend_from_slice(&self.sum);
        bytes.extend_from_slice(&XxHash3_128::oneshot(&bytes).to_le_bytes());
        publish(path, &bytes).with_context(|| format!("{} cannot be written", display(path)))
    }
}
