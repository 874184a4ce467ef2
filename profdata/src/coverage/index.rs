//! Functions by their names, and by the files that they have regions in.

use std::sync::OnceLock;

use hashbrown::HashSet;

use super::function::Function;
use super::layout::Layout;
use super::lists::Lists;
use super::region::{Position, Range};
use super::rules::Rules;

/// Numbers of functions in several orders.
#[derive(Debug)]
pub(super) struct Index {
    /// All but dummies that lose, in order.
    pub(super) kept: Vec<u32>,
    /// The same, by the hashes of their names.
    pub(super) by_name: Vec<u32>,
    /// The same of each file.
    by_file: Vec<Vec<u32>>,
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
        let by_file = by_file(&kept, functions, lists);
        let bodies = by_file.iter().map(|_| OnceLock::new()).collect();
        let layouts = by_file.iter().map(|_| OnceLock::new()).collect();
        Index { kept, by_name, by_file, bodies, layouts }
    }

    pub(super) fn bodies(&self, path: u32) -> Option<&OnceLock<Vec<Range>>> {
        self.bodies.get(path as usize)
    }

    pub(super) fn layout(&self, path: u32) -> Option<&OnceLock<Option<Layout>>> {
        self.layouts.get(path as usize)
    }

    pub(super) fn named(&self, functions: &[Function<'_>], name_hash: u64) -> &[u32] {
        let name = |number: &u32| functions.get(*number as usize).map_or(0, |function| function.name_hash);
        let start = self.by_name.partition_point(|number| name(number) < name_hash);
        let rest = self.by_name.get(start..).unwrap_or(&[]);
        let len = rest.partition_point(|number| name(number) == name_hash);
        rest.get(..len).unwrap_or(&[])
    }

    pub(super) fn in_file(&self, path: u32) -> &[u32] {
        self.by_file.get(path as usize).map_or(&[], Vec::as_slice)
    }
}

/// Returns the functions of each file.
fn by_file(kept: &[u32], functions: &[Function<'_>], lists: &Lists<'_>) -> Vec<Vec<u32>> {
    let mut by_file = vec![Vec::new(); lists.paths.len()];
    for number in kept {
        let paths = functions.get(*number as usize).into_iter().flat_map(|function| function.paths(lists));
        for path in paths.flatten() {
            let functions = by_file.get_mut(path as usize).filter(|functions| functions.last() != Some(number));
            functions.into_iter().for_each(|functions| functions.push(*number));
        }
    }
    by_file
}
