//! Sets of tests, a bit for each.

/// A set of tests by their numbers. The last byte is not zero, so that equal sets have equal bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::cov) struct TestSet(Vec<u8>);

impl TestSet {
    /// Returns the set with these bits, the lowest of each byte first.
    pub(super) fn of(bytes: &[u8]) -> TestSet {
        let len = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        TestSet(bytes.get(..len).unwrap_or(bytes).to_vec())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(in crate::cov) fn insert(&mut self, test: u32) {
        let byte = test as usize / 8;
        if self.0.len() <= byte {
            self.0.resize(byte + 1, 0);
        }
        self.0.get_mut(byte).into_iter().for_each(|byte| *byte |= 1 << (test % 8));
    }

    pub(in crate::cov) fn has(&self, test: u32) -> bool {
        self.0.get(test as usize / 8).is_some_and(|byte| byte >> (test % 8) & 1 == 1)
    }

    pub(in crate::cov) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the tests of another set.
    pub(super) fn add(&mut self, other: &TestSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(byte, other)| *byte |= other);
    }

    /// Returns the numbers in rising order.
    pub(in crate::cov) fn iter(&self) -> impl Iterator<Item = u32> {
        let in_byte = |(place, byte): (u32, &u8)| {
            let byte = *byte;
            (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| place * 8 + bit)
        };
        (0..).zip(&self.0).flat_map(in_byte)
    }

    /// Returns the number of the test if there is only one.
    pub(in crate::cov) fn only(&self) -> Option<u32> {
        let mut tests = self.iter();
        tests.next().filter(|_| tests.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_numbers() {
        let mut set = TestSet::default();
        assert!(set.is_empty() && !set.has(0) && set.only().is_none());
        set.insert(17);
        assert_eq!(set.only(), Some(17));
        let mut other = TestSet::default();
        other.insert(3);
        set.add(&other);
        other.add(&set);
        assert_eq!((set.iter().collect::<Vec<_>>(), set.only()), (vec![3, 17], None));
        assert!(set == other && set.has(3) && !set.has(4) && !set.has(1000));
        assert_eq!(TestSet::of(&[8, 0, 2, 0, 0]), set);
    }
}
