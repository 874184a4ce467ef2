//! The order in which a release puts names, and the records of one name, into the function table.

use crate::error::{Error, ErrorKind};
use crate::maps;
use crate::name::{Name, NameId};
use crate::profile::Profile;
use crate::release::{HashMix, NameOrder, Target};
use crate::sorted;

/// The records of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) name: NameId,
    /// Hash of the name.
    pub(super) hash: u64,
    /// Length of the name.
    pub(super) name_len: u32,
    /// Size of the records in bytes; 0 until it is known, and for a name that is left out.
    pub(super) size: u64,
    start: u32,
    len: u32,
}

/// The records of a profile by their names.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// Places of records in memory, group after group.
    members: Vec<u32>,
    /// For each name the number of its group while they stand in the order of their first records.
    group_of: Vec<u32>,
}

impl Groups {
    /// Groups the records of all names whose bytes are known. Groups stand in the order of their first records, the records of each in
    /// the target's order. `keep` says which bits of function hashes count.
    ///
    /// Errors: two records of one name and hash; 2^32 - 1 records or more.
    pub(super) fn new(profile: &Profile, target: Target, keep: u64) -> Result<Groups, Error> {
        if profile.len() >= u32::MAX as usize {
            return Err(Error::new(ErrorKind::TooLarge, "records").found(profile.len()));
        }
        let mut groups = by_first_record(profile);
        for group in &groups.groups {
            let (start, end) = (group.start as usize, group.start as usize + group.len as usize);
            let Some(members) = groups.members.get_mut(start..end) else { continue };
            if members.len() > 1 {
                if profile.order().is_some() {
                    members
                        .sort_unstable_by_key(|place| profile.stored_record(*place as usize).map(|record| record.hash));
                }
                order_members(profile, members, target.hash_mix(), keep)?;
            }
        }
        Ok(groups)
    }

    /// Puts the groups into the target's order, and removes those of size 0.
    pub(super) fn order(&mut self, profile: &Profile, order: NameOrder) {
        let bytes = |group: &Group| profile.names().get(group.name).bytes.unwrap_or(&[]);
        let is_sorted = profile.order().is_some();
        if let Some(order) = profile.order() {
            self.groups = self.in_order_of(profile, order);
        }
        match order {
            NameOrder::Sorted => {
                self.groups.retain(|group| group.size != 0);
                if is_sorted {
                    return;
                }
                let sorted = sorted::by_bytes(&self.groups, |group| bytes(group));
                self.groups = sorted.iter().filter_map(|place| self.groups.get(*place as usize).copied()).collect();
            }
            NameOrder::StringMap => {
                // Names that are left out have been in LLVM's map too.
                self.groups = maps::string_map_order(&self.groups, |group| maps::bernstein(bytes(group)));
                self.groups.retain(|group| group.size != 0);
            }
        }
    }

    /// Returns the groups in the order of their first records in `order`, which has the records of each name one after the other.
    fn in_order_of(&self, profile: &Profile, order: &[u32]) -> Vec<Group> {
        let mut last = None;
        let groups = order.iter().filter_map(|place| {
            let name = profile.stored_name_id(*place as usize)?;
            if last.replace(name) == Some(name) {
                return None;
            }
            let group = self.groups.get(*self.group_of.get(name.index())? as usize)?;
            Some(*group)
        });
        groups.collect()
    }

    /// Returns the places of a group's records, in order.
    pub(super) fn members(&self, group: &Group) -> &[u32] {
        self.members.get(group.start as usize..).and_then(|rest| rest.get(..group.len as usize)).unwrap_or(&[])
    }
}

/// Groups the records; groups stand in the order of their first records.
fn by_first_record(profile: &Profile) -> Groups {
    let mut result = Groups::default();
    // For each name first the number of its records, then its group.
    let mut counts = vec![0u32; profile.names().len()];
    let names = || (0..profile.len()).map(|record| profile.stored_name_id(record));
    for name in names().flatten() {
        if let Some(count) = counts.get_mut(name.index()) {
            *count += 1;
        }
    }
    let mut group_of = vec![u32::MAX; counts.len()];
    result.members = vec![0; profile.len()];
    let mut start = 0;
    for (record, name) in (0..).zip(names()) {
        let Some(name) = name else { continue };
        let Name { hash, bytes: Some(bytes) } = profile.names().get(name) else { continue };
        let (Some(count), Some(number)) = (counts.get(name.index()), group_of.get_mut(name.index())) else { continue };
        if *number == u32::MAX {
            *number = result.groups.len() as u32;
            result.groups.push(Group { name, hash, name_len: bytes.len() as u32, size: 0, start, len: 0 });
            start += *count;
        }
        let Some(group) = result.groups.get_mut(*number as usize) else { continue };
        if let Some(member) = result.members.get_mut(group.start as usize + group.len as usize) {
            *member = record;
            group.len += 1;
        }
    }
    result.group_of = group_of;
    result
}

/// Puts the records of one name into the order of the small map.
fn order_members(profile: &Profile, members: &mut [u32], mix: HashMix, keep: u64) -> Result<(), Error> {
    let hash = |record: &u32| profile.stored_record(*record as usize).map_or(0, |record| record.hash & keep);
    let mut hashes: Vec<u64> = members.iter().map(hash).collect();
    hashes.sort_unstable();
    if let Some((twice, _)) = hashes.iter().zip(hashes.iter().skip(1)).find(|(a, b)| a == b) {
        let error = Error::new(ErrorKind::Unwritable, "records").expected("one record of each name and hash");
        return Err(error.found(format_args!("two of hash {twice:#x}")));
    }
    let ordered = maps::small_map_order(members, mix, hash);
    members.copy_from_slice(&ordered);
    Ok(())
}

/// Returns the distinct strings in the order of LLVM's string map.
pub(super) fn distinct_in_map_order(strings: &[Vec<u8>], hash: impl Fn(&[u8]) -> u32) -> Vec<&[u8]> {
    let mut seen = std::collections::HashSet::new();
    let distinct: Vec<&[u8]> =
        strings.iter().map(Vec::as_slice).filter(|string| !string.is_empty() && seen.insert(*string)).collect();
    maps::string_map_order(&distinct, |string| hash(string))
}
