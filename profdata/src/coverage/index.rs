//! Functions by their names, and by the files that they have regions in.

use std::sync::OnceLock;

use hashbrown::HashSet;

use super::function::Function;
use super::layout::Layout;
use super::lists::Lists;
use super::region::Position;
use super::region::Range;
use super::rules::Rules;

/// Numbers of functions in several orders.
#[derive(Debug)]
pub(super) struct Index {
    /// All but dummies that lose, in order.
    kept: Vec<u32>,
    /// The same, by the hashes of their names.
    by_name: Vec<u32>,
    /// The same by file, with repetitions.
    by_file: Vec<u32>,
    /// Where those of each file end in `by_file`.
    ends: Vec<usize>,
    /// Where the bodies in each file are; found when the first is asked for.
    bodies: Vec<OnceLock<Vec<Range>>>,
    /// Where code stands in each source; looked at when it is asked for.
    layouts: Vec<OnceLock<Option<Layout>>>,
}

impl Index {
    /// `place`: where the body of a function is.
    pub(super) fn new(
        functions: &[Function<'_>],
        objects: &[u32],
        lists: &Lists<'_>,
        rules: Rules,
        place: impl Fn(&Function<'_>) -> Option<(u32, Position)>,
    ) -> Index {
        let get = |number: &u32| functions.get(*number as usize);
        let name = |number: &u32| get(number).map_or(0, |function| function.name_hash);
        let is_dummy = |number: &u32| get(number).is_some_and(|function| function.is_dummy);
        let object = |number: &u32| objects.partition_point(|end| *end <= *number);
        // Those of which functions win against dummies.
        let group = |number: &u32| (name(number), if rules == Rules::Own { 0 } else { object(number) });
        let mut by_name: Vec<u32> = (0..).zip(functions).map(|(number, _)| number).collect();
        by_name.sort_unstable_by_key(|number| (group(number), is_dummy(number), *number));
        // Of each group, dummies stand last: of those at one place only the first stays, and only if no function stands there; for `llvm-cov` a
        // group is one place. The first function of a group stands where its dummy in the same object would.
        let mut places = Vec::with_capacity(by_name.len());
        for same in by_name.chunk_by(|one, other| group(one) == group(other)) {
            let (mut kept, dummies) = same.split_at(same.partition_point(|number| !is_dummy(number)).max(1));
            let place = |number: &u32| get(number).filter(|_| rules == Rules::Own).and_then(&place);
            let mut taken: HashSet<_> =
                if dummies.is_empty() { HashSet::new() } else { kept.iter().map(place).collect() };
            let (stay, lost): (Vec<u32>, Vec<u32>) = dummies.iter().partition(|number| taken.insert(place(number)));
            let first = kept.split_off_first().copied().unwrap_or_default();
            let dummy = lost.into_iter().find(|dummy| *dummy < first && object(dummy) == object(&first));
            places.push((dummy.unwrap_or(first), first));
            places.extend(kept.iter().chain(&stay).map(|number| (*number, *number)));
        }
        by_name = places.iter().map(|(_, number)| *number).collect();
        places.sort_unstable();
        let kept: Vec<u32> = places.iter().map(|(_, number)| *number).collect();
        let (by_file, ends) = by_file(&kept, functions, lists);
        let bodies = ends.iter().map(|_| OnceLock::new()).collect();
        let layouts = ends.iter().map(|_| OnceLock::new()).collect();
        Index { kept, by_name, by_file, ends, bodies, layouts }
    }

    pub(super) fn bodies(&self, path: u32) -> Option<&OnceLock<Vec<Range>>> {
        self.bodies.get(path as usize)
    }

    pub(super) fn layout(&self, path: u32) -> Option<&OnceLock<Option<Layout>>> {
        self.layouts.get(path as usize)
    }

    pub(super) fn by_name(&self) -> &[u32] {
        &self.by_name
    }

    pub(super) fn kept(&self) -> &[u32] {
        &self.kept
    }

    pub(super) fn named(&self, functions: &[Function<'_>], name_hash: u64) -> &[u32] {
        let name = |number: &u32| functions.get(*number as usize).map_or(0, |function| function.name_hash);
        let start = self.by_name.partition_point(|number| name(number) < name_hash);
        let rest = self.by_name.get(start..).unwrap_or(&[]);
        let len = rest.partition_point(|number| name(number) == name_hash);
        rest.get(..len).unwrap_or(&[])
    }

    pub(super) fn in_file(&self, path: u32) -> &[u32] {
        let path = path as usize;
        let start = path.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(path).and_then(|end| self.by_file.get(start..*end)).unwrap_or(&[])
    }
}

/// Returns the functions of each file, and where those of each end.
fn by_file(kept: &[u32], functions: &[Function<'_>], lists: &Lists<'_>) -> (Vec<u32>, Vec<usize>) {
    // The number of functions of each file, then where the next one of each goes.
    let mut ends = vec![0usize; lists.paths.len()];
    for_each(kept, functions, lists, |path, _| {
        if let Some(count) = ends.get_mut(path) {
            *count = count.saturating_add(1);
        }
    });
    let mut sum = 0usize;
    for end in &mut ends {
        (*end, sum) = (sum, sum.saturating_add(*end));
    }
    let mut by_file = vec![0; sum];
    for_each(kept, functions, lists, |path, number| {
        if let Some(end) = ends.get_mut(path)
            && let Some(slot) = by_file.get_mut(*end)
        {
            *slot = number;
            *end = end.saturating_add(1);
        }
    });
    (by_file, ends)
}

/// Calls `each` for every file of every function, once.
fn for_each(kept: &[u32], functions: &[Function<'_>], lists: &Lists<'_>, mut each: impl FnMut(usize, u32)) {
    // The last function that was seen with a file, plus one.
    let mut seen = vec![0u64; lists.paths.len()];
    for number in kept {
        let Some(function) = functions.get(*number as usize) else { continue };
        let list = lists.get(function.list);
        for place in function.files() {
            let path = usize::try_from(place).ok().and_then(|place| list.get(place)).map(|path| *path as usize);
            let Some(path) = path else { continue };
            let stamp = u64::from(*number).saturating_add(1);
            if let Some(seen) = seen.get_mut(path)
                && *seen != stamp
            {
                *seen = stamp;
                each(path, *number);
            }
        }
    }
}
