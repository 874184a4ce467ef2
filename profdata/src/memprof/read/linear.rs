//! Versions 3 and 4: arrays of frames and of call stacks, and a hash table of records.
//!
//! The array of call stacks has 32-bit words. A stack is its length, then the numbers of its frames, the one that allocates or calls first.
//! Where it goes on like a stack that stands later in the array, it ends with a jump: a negative number of words, seen as `i32`.

use super::{SectionInput, record, schema, table};
use crate::error::{Error, ErrorKind};
use crate::memprof::data_access::DataAccesses;
use crate::memprof::section::MemProf;
use crate::memprof::stacks::{Frame, StackId, Stacks};
use crate::read::indexed::cursor::Cursor;

/// Reads the section after its version.
pub(super) fn section(input: SectionInput<'_>, mut cursor: Cursor<'_>, version: u64) -> Result<MemProf, Error> {
    let mut offset = |field| input.offset(&mut cursor, field);
    let stacks = offset("MemProf.CallStackPayloadOffset")?;
    let payload = offset("MemProf.RecordPayloadOffset")?;
    let records = offset("MemProf.RecordTableOffset")?;
    let mut data_accesses = None;
    if version >= 4 {
        let mut after = cursor;
        if after.u64() == Some(0) {
            cursor = after;
        } else {
            data_accesses = Some(input.offset(&mut cursor, "MemProf.DataAccessOffset")?);
        }
        // The summary follows from the records.
        let fields = cursor.u32().ok_or_else(|| cursor.too_short("MemProf.NumSummaryFields"))?;
        let summary = cursor.take_items(fields.into(), 8);
        summary.ok_or_else(|| cursor.too_large("MemProf.NumSummaryFields", fields.into()))?;
    }
    let mut read = MemProf::new(version, schema(&mut cursor)?);

    let frames = frames(input.range(cursor.offset(), stacks, "MemProf.CallStackPayloadOffset")?, &mut read.stacks)?;
    let array = input.range(stacks, payload, "MemProf.RecordPayloadOffset")?;
    let mut tree = Tree::new(array, frames)?;
    table::walk(input, (payload, records), true, |function, data| {
        record(&mut read, function, data, |read, cursor| {
            let start = cursor.u32().ok_or_else(|| cursor.too_short("MemProf.CallStackId"))?;
            tree.stack(start, &mut read.stacks)
        })
    })?;
    if let Some(place) = data_accesses {
        let mut cursor = input.range(place, input.bytes.len(), "MemProf.DataAccessOffset")?;
        read.data_accesses = DataAccesses::read(&mut cursor)?;
    }
    Ok(read)
}

/// Reads the frames, and returns their numbers.
fn frames(cursor: Cursor<'_>, stacks: &mut Stacks) -> Result<Vec<u32>, Error> {
    let (frames, rest) = cursor.rest().as_chunks::<{ Frame::SIZE }>();
    if !rest.is_empty() {
        return Err(cursor.malformed("MemProf.Frames").expected("a multiple of 17 bytes").found(cursor.rest().len()));
    }
    let malformed = || cursor.malformed("MemProf.Frame").expected("a truth value in the last byte");
    frames.iter().map(|bytes| stacks.frame(Frame::from_bytes(bytes).ok_or_else(malformed)?)).collect()
}

/// The array of call stacks.
struct Tree<'a> {
    words: &'a [[u8; 4]],
    /// Where it starts, for errors.
    place: usize,
    frames: Vec<u32>,
    /// Of each word that was read as a frame: how many frames are left with it, and the stack from it on.
    seen: Vec<(u32, StackId)>,
    /// Words of the stack that is being read.
    path: Vec<(usize, u32)>,
}

impl<'a> Tree<'a> {
    fn new(array: Cursor<'a>, frames: Vec<u32>) -> Result<Tree<'a>, Error> {
        let (words, rest) = array.rest().as_chunks();
        if !rest.is_empty() {
            return Err(array.malformed("MemProf.CallStacks").expected("a multiple of 4 bytes"));
        }
        Ok(Tree {
            words,
            place: array.offset(),
            frames,
            seen: vec![(0, StackId::EMPTY); words.len()],
            path: Vec::new(),
        })
    }

    fn word(&self, place: usize) -> Result<u32, Error> {
        let word = self.words.get(place).map(|word| u32::from_le_bytes(*word));
        word.ok_or_else(|| self.malformed(place).expected(format_args!("less than {} words", self.words.len())))
    }

    #[cold]
    fn malformed(&self, word: usize) -> Error {
        let place = self.place.saturating_add(word.saturating_mul(4));
        Error::new(ErrorKind::Malformed, "MemProf.CallStacks").at(place as u64)
    }

    /// Returns the stack that starts at a word. A word is read once as a frame: all stacks that come to it have the same rest.
    fn stack(&mut self, start: u32, stacks: &mut Stacks) -> Result<StackId, Error> {
        let mut at = start as usize;
        let mut left = self.word(at)?;
        at = at.saturating_add(1);
        self.path.clear();
        let mut stack = StackId::EMPTY;
        while left > 0 {
            let mut word = self.word(at)?;
            if (word as i32) < 0 {
                at = at.saturating_add((word as i32).unsigned_abs() as usize);
                word = self.word(at)?;
            }
            match self.seen.get(at).copied() {
                Some((known, rest)) if known == left => {
                    stack = rest;
                    break;
                }
                Some((0, _)) => {}
                _ => return Err(self.malformed(at).expected("stacks that share all of their rest")),
            }
            let frame = self.frames.get(word as usize).copied();
            let frame = frame.ok_or_else(|| {
                self.malformed(at).expected(format_args!("a frame below {}", self.frames.len())).found(word)
            })?;
            self.path.push((at, frame));
            at = at.saturating_add(1);
            left -= 1;
        }
        while let Some((at, frame)) = self.path.pop() {
            stack = stacks.call(stack, frame)?;
            left = left.saturating_add(1);
            if let Some(seen) = self.seen.get_mut(at) {
                *seen = (left, stack);
            }
        }
        Ok(stack)
    }
}
