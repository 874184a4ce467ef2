//! Where in the body of a function the files of its expansions are.

use super::region::{Kind, Region, Regions};
use super::united::{Place, Range};

/// For each file of a function the outermost expansion that it is in: the file of the body, and the range there; `None` of files of bodies.
pub(super) struct Sites(Vec<Option<(u32, Range)>>);

impl Sites {
    /// Looks at all expansions. The file of one comes after that which it is in.
    pub(super) fn of(regions: &Regions) -> Sites {
        let mut sites: Vec<Option<(u32, Range)>> = vec![None; regions.files() as usize];
        for region in regions.iter() {
            if let Kind::Expansion { file, .. } = region.kind {
                let around = sites.get(region.file as usize).copied().flatten();
                let site = around.unwrap_or((region.file, (region.start, region.end)));
                sites.get_mut(file as usize).into_iter().for_each(|to| *to = Some(site));
            }
        }
        Sites(sites)
    }

    /// Returns the place of a branch or decision, if that is in the file with a number.
    pub(super) fn place(&self, regions: &Regions, region: &Region, path: u32) -> Option<Place> {
        let own = (region.start, region.end);
        let (file, range, in_macro) = match self.0.get(region.file as usize).copied().flatten() {
            None => (region.file, own, None),
            Some((file, range)) => (file, range, Some((regions.path(region.file), own))),
        };
        (regions.path(file) == path).then_some(Place { range, in_macro })
    }
}
