//! The contents of a section, whatever its version.

use super::data_access::DataAccesses;
use super::schema::{Field, Schema};
use super::stacks::{StackId, Stacks};
use crate::error::{Error, ErrorKind};

/// The sum of MemProf sections.
///
/// Merged sections have all allocations of all inputs, equal ones too: so does LLVM, which leaves it to the compiler to combine those of
/// one call stack. Of calls they have each call stack once, with the callees of all inputs, and of data accesses the sums.
#[derive(Clone, Debug)]
pub struct MemProf {
    /// 2 to 4.
    pub(super) version: u64,
    pub(super) schema: Schema,
    pub(super) stacks: Stacks,
    /// Functions that have a record; some may be there twice.
    pub(super) functions: Vec<u64>,
    pub(super) allocations: Vec<Site>,
    /// The block of each allocation.
    pub(super) blocks: Vec<u8>,
    /// Each call, and each of its callees.
    pub(super) calls: Vec<Call>,
    /// The number of calls that were left after equal ones were last removed.
    distinct_calls: usize,
    pub(super) data_accesses: DataAccesses,
}

/// A place in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Site {
    pub(super) function: u64,
    pub(super) stack: StackId,
}

/// A call, or one of the functions that it calls.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Call {
    pub(super) function: u64,
    pub(super) stack: StackId,
    pub(super) callee: Option<u64>,
}

/// An allocation of a function, in a [`MemProf`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Allocation<'a> {
    /// MD5 of the function's name: its first 8 bytes.
    pub function: u64,
    /// Call stack of the allocation.
    pub stack: StackId,
    block: &'a [u8],
    schema: &'a Schema,
}

impl Allocation<'_> {
    /// Returns a field of its block; 0 if the section does not have it.
    pub fn get(&self, field: Field) -> u64 {
        self.schema.get(self.block, field)
    }
}

impl MemProf {
    /// Returns a section without records.
    pub(super) fn new(version: u64, schema: Schema) -> MemProf {
        MemProf {
            version,
            schema,
            stacks: Stacks::default(),
            functions: Vec::new(),
            allocations: Vec::new(),
            blocks: Vec::new(),
            calls: Vec::new(),
            distinct_calls: 0,
            data_accesses: DataAccesses::default(),
        }
    }

    /// Returns the version: 2 to 4.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Returns which fields the blocks of allocations have.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the call stacks.
    pub fn stacks(&self) -> &Stacks {
        &self.stacks
    }

    /// Returns the allocations.
    pub fn allocations(&self) -> impl Iterator<Item = Allocation<'_>> {
        (0..).zip(&self.allocations).map(|(number, site)| Allocation {
            function: site.function,
            stack: site.stack,
            block: self.block(number),
            schema: &self.schema,
        })
    }

    /// Returns the block of an allocation.
    pub(super) fn block(&self, number: usize) -> &[u8] {
        let size = self.schema.size();
        let start = number.saturating_mul(size);
        self.blocks.get(start..start.saturating_add(size)).unwrap_or(&[])
    }

    /// Adds a call, or a callee of it.
    pub(super) fn add_call(&mut self, call: Call) {
        self.calls.push(call);
        // The calls of many inputs are mostly the same.
        if self.calls.len() >= self.distinct_calls.saturating_mul(2).max(1024) {
            self.calls.sort_unstable();
            self.calls.dedup();
            self.distinct_calls = self.calls.len();
        }
    }

    /// Returns whether another section can be added to this one.
    pub fn merges_with(&self, other: &MemProf) -> bool {
        self.version == other.version && self.schema == other.schema
    }

    /// Adds all that another section has.
    ///
    /// Errors: [`ErrorKind::Incompatible`]: its version or its fields are others. [`ErrorKind::TooLarge`]: there are 2^31 frames.
    pub fn absorb(&mut self, other: &MemProf) -> Result<(), Error> {
        if !self.merges_with(other) {
            let shape = |of: &MemProf| format!("version {} with the fields {:?}", of.version, of.schema.ids());
            let error = Error::new(ErrorKind::Incompatible, "MemProf.Version");
            return Err(error.expected(shape(self)).found(shape(other)));
        }
        let stacks = self.stacks.absorb(&other.stacks)?;
        let stack = |stack: StackId| stacks.get(stack.index()).copied().unwrap_or(StackId::EMPTY);
        self.functions.extend_from_slice(&other.functions);
        self.functions.sort_unstable();
        self.functions.dedup();
        self.allocations.extend(other.allocations.iter().map(|site| Site { stack: stack(site.stack), ..*site }));
        self.blocks.extend_from_slice(&other.blocks);
        for call in &other.calls {
            self.add_call(Call { stack: stack(call.stack), ..*call });
        }
        self.data_accesses.absorb(&other.data_accesses)
    }
}
