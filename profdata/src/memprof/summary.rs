//! The summary of version 4: how many contexts there are, and how many of them are cold.

use super::schema::{Field, Schema};
use super::stacks::StackId;

/// Cold memory lives as long as this on average, in milliseconds, or longer.
const COLD_LIFETIME: f32 = 200.0 * 1000.0;
/// Cold memory has fewer accesses for each byte and second.
const COLD_DENSITY: f32 = 0.05;

/// The summary of allocations. Of each call stack it counts the first allocation. LLVM has numbers for hot contexts, too, which are 0
/// unless an option of its tool asks for them.
#[derive(Clone, Debug, Default)]
pub(super) struct ContextSummary {
    contexts: u64,
    cold: u64,
    max_cold_size: u64,
    max_warm_size: u64,
    seen: Vec<bool>,
}

impl ContextSummary {
    /// Returns the summary of no allocations, of so many call stacks.
    pub(super) fn new(stacks: usize) -> ContextSummary {
        ContextSummary { seen: vec![false; stacks.saturating_add(1)], ..ContextSummary::default() }
    }

    pub(super) fn add(&mut self, stack: StackId, schema: &Schema, block: &[u8]) {
        match self.seen.get_mut(stack.index()) {
            Some(seen) if !*seen => *seen = true,
            _ => return,
        }
        self.contexts += 1;
        let size = schema.get(block, Field::TotalSize);
        if is_cold(schema, block) {
            self.cold += 1;
            self.max_cold_size = self.max_cold_size.max(size);
        } else {
            self.max_warm_size = self.max_warm_size.max(size);
        }
    }

    /// Returns the fields in the order of the section.
    pub(super) fn fields(&self) -> [u64; 6] {
        [self.contexts, self.cold, 0, self.max_cold_size, self.max_warm_size, 0]
    }
}

/// LLVM computes with `float` here, so this does, too.
fn is_cold(schema: &Schema, block: &[u8]) -> bool {
    let get = |field| schema.get(block, field) as f32;
    let count = get(Field::AllocCount);
    let density = get(Field::TotalLifetimeAccessDensity) / count / 100.0;
    density < COLD_DENSITY && get(Field::TotalLifetime) / count >= COLD_LIFETIME
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `llvm-profdata-22` says of single allocations: count, lifetime, density.
    #[test]
    fn cold_allocations_are_those_of_llvm() {
        let schema = Schema::new([1, 10, 23]).unwrap();
        let is_cold = |count: u32, lifetime: u64, density: u64| {
            let block = [&count.to_le_bytes()[..], &lifetime.to_le_bytes(), &density.to_le_bytes()].concat();
            is_cold(&schema, &block)
        };
        for (count, lifetime, density) in [
            (1, 200_000, 4),
            (2, 600_000, 9),
            (3, 600_000, 14),
            (7, 1_400_000, 34),
            (u32::MAX, 858_993_458_999_999, 0),
            (16_777_217, 3_355_443_391_000, 0),
        ] {
            assert!(is_cold(count, lifetime, density), "{count} {lifetime} {density}");
        }
        for (count, lifetime, density) in [
            (1, 199_999, 4),
            (1, 300_000, 5),
            (2, 600_000, 10),
            (3, 599_999, 14),
            (3, 600_000, 15),
            (0, 600_000, 0),
            (0, 0, 0),
            (7, 1_400_000, 35),
            (u32::MAX, u64::MAX, u64::MAX),
            (16_777_217, 3_355_442_900_000, 0),
        ] {
            assert!(!is_cold(count, lifetime, density), "{count} {lifetime} {density}");
        }
    }
}
