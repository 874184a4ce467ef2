//! Test vectors: the values that the conditions of a decision had together (MC/DC).

use super::decisions::Decision;
use super::malformed;
use super::numbering::{Node, Numbering};
use super::region::{Kind, Regions};
use crate::error::{Error, ErrorKind};
use crate::sink::Format;

/// The most comparisons of test vectors for a decision.
const MOST_PAIRS: usize = 1 << 22;

/// The test vectors of a decision that were executed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Vectors {
    conditions: usize,
    /// Of each vector the values of conditions; `None` of those that were not evaluated.
    values: Vec<Option<bool>>,
    results: Vec<bool>,
}

impl Regions {
    /// Returns the test vectors of a decision that were executed, in the order of their bits, with the bitmap of the function in a profile of
    /// this format: since LLVM 19 (raw version 10, indexed version 12) a bit stands for a path through the conditions, before for their
    /// values.
    ///
    /// Errors: the bitmap is too small for the decision; its conditions form a circle.
    pub fn vectors(&self, decision: &Decision, bitmap: &[u8], format: Format) -> Result<Vectors, Error> {
        let Some(Kind::Decision { bitmap: place, .. }) = self.regions.get(decision.region).map(|region| region.kind)
        else {
            return Err(malformed("decision").found("another region"));
        };
        let (place, bitmap) = (place as usize, Bitmap(bitmap));
        let conditions = decision.conditions.len();
        let mut nodes = vec![(0, [None; 2]); conditions];
        for (place, (id, next)) in self.nodes(decision).enumerate() {
            nodes.get_mut(id).into_iter().for_each(|node| *node = (place, next));
        }
        let numbering = Numbering::of(&nodes).ok_or_else(|| malformed("decision").found("a circle of conditions"))?;
        let mut walk = Walk { nodes: &nodes, path: vec![None; conditions], vectors: Vectors::none(conditions) };
        if format.has_path_bits() == Some(true) {
            let start = place.checked_sub(numbering.paths).filter(|_| place <= bitmap.len());
            walk.paths(&numbering, bitmap, start.ok_or_else(|| bitmap.too_small())?);
        } else {
            walk.values(bitmap, place.saturating_mul(8))?;
        }
        Ok(walk.vectors)
    }
}

#[derive(Clone, Copy)]
struct Bitmap<'b>(&'b [u8]);

impl Bitmap<'_> {
    /// Returns the number of bits.
    fn len(self) -> usize {
        self.0.len().saturating_mul(8)
    }

    fn is_set(self, bit: usize) -> bool {
        self.0.get(bit >> 3).is_some_and(|byte| byte >> (bit & 7) & 1 == 1)
    }

    #[cold]
    fn too_small(self) -> Error {
        malformed("bitmap").expected("the bits of all decisions").found(format_args!("{} bits", self.len()))
    }
}

/// Finds the vectors of set bits.
struct Walk<'w> {
    nodes: &'w [Node],
    /// The values on the way, as a vector has them.
    path: Vec<Option<bool>>,
    vectors: Vectors,
}

impl Walk<'_> {
    /// Sets the value of a condition, or that it has none.
    fn set(&mut self, node: usize, value: Option<bool>) {
        let place = self.nodes.get(node).map_or(0, |(place, _)| *place);
        self.path.get_mut(place).into_iter().for_each(|to| *to = value);
    }

    fn push(&mut self, result: bool) {
        self.vectors.values.extend_from_slice(&self.path);
        self.vectors.results.push(result);
    }

    /// Adds the paths whose bits after `start` are set, in the order of the bits.
    fn paths(&mut self, numbering: &Numbering, bitmap: Bitmap<'_>, start: usize) {
        let mut found: Vec<(usize, usize)> = Vec::new();
        // The sides of each condition on the way that are still to be taken.
        let mut way = vec![(0usize, 0usize, 2usize)];
        while let Some((node, number, sides)) = way.last_mut() {
            let Some(side) = sides.checked_sub(1) else {
                let node = *node;
                self.set(node, None);
                way.pop();
                continue;
            };
            *sides = side;
            let (node, number) = (*node, *number);
            self.set(node, Some(side == 0));
            let offset = numbering.offsets.get(node).and_then(|offsets| offsets.get(side)).copied().unwrap_or(0);
            let number = number.saturating_add(offset);
            match self.nodes.get(node).and_then(|(_, next)| next.get(side).copied().flatten()) {
                Some(next) => way.push((next.into(), number, 2)),
                None if bitmap.is_set(start.saturating_add(number)) => {
                    found.push((number, found.len()));
                    self.push(side == 0);
                }
                None => {}
            }
        }
        found.sort_unstable();
        let vectors = std::mem::replace(&mut self.vectors, Vectors::none(self.path.len()));
        for (values, result) in found.into_iter().filter_map(|(_, from)| vectors.get(from)) {
            self.vectors.values.extend_from_slice(values);
            self.vectors.results.push(result);
        }
    }

    /// Adds the vectors whose bits from `start` on are set: a condition that is true adds the power of two of its number.
    fn values(&mut self, bitmap: Bitmap<'_>, start: usize) -> Result<(), Error> {
        let bits = u32::try_from(self.nodes.len()).ok().and_then(|conditions| 1usize.checked_shl(conditions));
        let end = bits.and_then(|bits| start.checked_add(bits)).filter(|end| *end <= bitmap.len().max(start));
        let end = end.ok_or_else(|| bitmap.too_small())?;
        for bit in (start..end).filter(|bit| bitmap.is_set(*bit)) {
            let values = bit.saturating_sub(start);
            self.path.fill(None);
            let (mut node, mut result) = (Some(0), false);
            while let Some(number) = node {
                result = values >> number & 1 == 1;
                self.set(number, Some(result));
                let next =
                    self.nodes.get(number).and_then(|(_, next)| next.get(usize::from(!result)).copied().flatten());
                node = next.map(usize::from);
            }
            self.push(result);
        }
        Ok(())
    }
}

impl Vectors {
    /// Returns no vectors of so many conditions.
    pub(super) fn none(conditions: usize) -> Vectors {
        Vectors { conditions, ..Vectors::default() }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Returns whether no vector was executed.
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Returns the vectors: the values of all conditions, `None` of those that were not evaluated, and what the decision came to.
    pub fn iter(&self) -> impl Iterator<Item = (impl Iterator<Item = Option<bool>> + '_, bool)> {
        (0..self.len()).filter_map(|number| self.get(number)).map(|(values, result)| (values.iter().copied(), result))
    }

    fn get(&self, number: usize) -> Option<(&[Option<bool>], bool)> {
        let start = number.checked_mul(self.conditions)?;
        let values = self.values.get(start..start.checked_add(self.conditions)?)?;
        Some((values, *self.results.get(number)?))
    }

    /// Returns which conditions were shown to decide alone: two vectors with different results differ in no other condition that both evaluated.
    ///
    /// Errors: too many vectors to compare each with each.
    pub fn covered(&self) -> Result<Vec<bool>, Error> {
        let of = |number| self.get(number);
        let with = |wanted: bool| {
            let vectors = (0..self.len()).filter_map(of).filter(move |(_, result)| *result == wanted);
            vectors.map(|(values, _)| values)
        };
        let trues = self.results.iter().filter(|result| **result).count();
        let pairs = trues.saturating_mul(self.len().saturating_sub(trues)).saturating_mul(self.conditions.div_ceil(64));
        if pairs > MOST_PAIRS {
            return Err(Error::new(ErrorKind::TooLarge, "decision").found(format_args!("{} test vectors", self.len())));
        }
        let mut covered = vec![false; self.conditions];
        for (one, other) in with(false).flat_map(|one| with(true).map(move |other| (one, other))) {
            if let Some(place) = only_difference(one, other) {
                covered.get_mut(place).into_iter().for_each(|covered| *covered = true);
            }
        }
        Ok(covered)
    }
}

/// Returns the place of the condition in which two vectors differ, if it is only one.
fn only_difference(one: &[Option<bool>], other: &[Option<bool>]) -> Option<usize> {
    let differs =
        |(one, other): (&Option<bool>, &Option<bool>)| matches!((one, other), (Some(one), Some(other)) if one != other);
    let mut differences = one.iter().zip(other).enumerate().filter(|(_, pair)| differs(*pair));
    let (place, _) = differences.next()?;
    differences.next().is_none().then_some(place)
}
