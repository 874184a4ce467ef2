//! Where in the body of a function the files of its expansions are.

use super::region::{Region, Regions};
use super::united::Place;

impl Regions {
    /// Returns the place of a branch or decision, if that is in the file with a number.
    pub(super) fn place(&self, region: &Region, path: u32) -> Option<Place> {
        let own = (region.start, region.end);
        let site = self.sites.get(region.file as usize).copied().flatten();
        let (file, range, in_macro) = match site.and_then(|number| self.regions.get(number as usize)) {
            None => (region.file, own, None),
            Some(site) => (site.file, (site.start, site.end), Some((self.path(region.file), own))),
        };
        (self.path(file) == path).then_some(Place { range, in_macro, number: 0 })
    }
}
