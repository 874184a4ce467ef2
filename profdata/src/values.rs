//! Values of the value sites of one function.

/// The number of value kinds: 0 indirect call targets, 1 sizes of memory operations, 2 vtables.
pub const KINDS: usize = 3;

/// A value that a site has seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Value {
    /// Hash of a function's or a vtable's name ([`crate::name::name_hash`]; 0 for a target without a record), or bytes of a memory
    /// operation.
    pub value: u64,
    /// How often.
    pub count: u64,
}

/// The sites of one kind with the values of each.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct KindSites {
    /// For each site the end of its values in `values`.
    ends: Vec<u32>,
    /// Values of all sites, site after site.
    values: Vec<Value>,
}

impl KindSites {
    /// Returns the number of sites.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is no site.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a site after the last. Returns whether the number of all values is below 2^32; if not, the site has none.
    pub fn push_site(&mut self, values: impl IntoIterator<Item = Value>) -> bool {
        let start = self.values.len();
        self.values.extend(values);
        if u32::try_from(self.values.len()).is_err() {
            self.values.truncate(start);
            self.ends.push(start as u32);
            return false;
        }
        self.ends.push(self.values.len() as u32);
        true
    }

    /// Returns the values of a site; none of a site that is not there.
    pub fn site(&self, site: usize) -> &[Value] {
        let start = match site.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
            None => 0,
        };
        let end = self.ends.get(site).copied().unwrap_or(start);
        self.values.get(start as usize..end as usize).unwrap_or(&[])
    }

    /// Returns the values of a site, to change them.
    pub(crate) fn site_mut(&mut self, site: usize) -> &mut [Value] {
        let len = self.site(site).len();
        let end = self.ends.get(site).map_or(0, |end| *end as usize);
        self.values.get_mut(end.wrapping_sub(len)..end).unwrap_or(&mut [])
    }

    /// Returns the values of each site, in order.
    pub fn sites(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        (0..self.len()).map(|site| self.site(site))
    }

    /// Returns the values of all sites, site after site.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Returns the values of all sites, site after site.
    pub fn values_mut(&mut self) -> &mut [Value] {
        &mut self.values
    }

    /// Removes all sites and keeps the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.values.clear();
    }
}

/// The value sites of one function, kind by kind.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct ValueSites {
    /// Sites by the number of their kind.
    pub kinds: [KindSites; KINDS],
}

impl KindSites {
    /// No sites.
    pub const NONE: KindSites = KindSites { ends: Vec::new(), values: Vec::new() };
}

impl ValueSites {
    /// No sites.
    pub const NONE: ValueSites = ValueSites { kinds: [KindSites::NONE; KINDS] };

    /// Returns whether no kind has a site.
    pub fn is_empty(&self) -> bool {
        self.kinds.iter().all(KindSites::is_empty)
    }

    /// Removes all sites and keeps the memory.
    pub fn clear(&mut self) {
        self.kinds.iter_mut().for_each(KindSites::clear);
    }

    /// Returns the number of sites of each kind.
    pub fn site_counts(&self) -> [usize; KINDS] {
        self.kinds.each_ref().map(KindSites::len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_keep_their_values_apart() {
        let mut kind = KindSites::default();
        let value = |value| Value { value, count: 1 };
        assert!(kind.push_site([value(1), value(2)]));
        assert!(kind.push_site([]));
        assert!(kind.push_site([value(3)]));
        assert_eq!(kind.sites().map(<[Value]>::len).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(kind.site(2), [value(3)]);
        assert_eq!(kind.site(3), []);
    }
}
