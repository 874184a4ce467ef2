//! The order in which a release puts names, and the records of one name, into the function table.

use crate::error::{Error, ErrorKind};
use crate::name::{NameId, Names};
use crate::profile::Profile;
use crate::release::{HashMix, NameOrder, Target};

mod maps;

/// The records of one name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) name: NameId,
    start: u32,
    len: u32,
}

/// The records of a profile by their names, in the order of insertion.
#[derive(Debug, Default)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// Places of records in the profile, group after group.
    members: Vec<u32>,
}

impl Groups {
    /// Groups the records of all names whose bytes are known. `keep` says which bits of function hashes count.
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
                order_members(profile, members, target.hash_mix(), keep)?;
            }
        }
        match target.name_order() {
            NameOrder::Sorted => sort(&mut groups.groups, profile.names()),
            NameOrder::StringMap => {
                let name = |group: &Group| profile.names().get(group.name).bytes.unwrap_or(&[]);
                groups.groups = maps::string_map_order(&groups.groups, |group| maps::bernstein(name(group)));
            }
        }
        Ok(groups)
    }

    /// Returns the places of a group's records, in order.
    pub(super) fn members(&self, group: &Group) -> &[u32] {
        self.members.get(group.start as usize..).and_then(|rest| rest.get(..group.len as usize)).unwrap_or(&[])
    }

    /// Keeps only the groups for which `keep` returns true.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&[u32]) -> bool) {
        let mut groups = std::mem::take(&mut self.groups);
        groups.retain(|group| keep(self.members(group)));
        self.groups = groups;
    }
}

/// Groups the records; groups stand in the order of their first records.
fn by_first_record(profile: &Profile) -> Groups {
    let mut result = Groups::default();
    // For each name first the number of its records, then its group.
    let mut counts = vec![0u32; profile.names().len()];
    let names = || (0..profile.len()).map(|record| profile.name_id(record));
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
        if profile.names().get(name).bytes.is_none() {
            continue;
        }
        let (Some(count), Some(number)) = (counts.get(name.index()), group_of.get_mut(name.index())) else { continue };
        if *number == u32::MAX {
            *number = result.groups.len() as u32;
            result.groups.push(Group { name, start, len: 0 });
            start += *count;
        }
        let Some(group) = result.groups.get_mut(*number as usize) else { continue };
        if let Some(member) = result.members.get_mut(group.start as usize + group.len as usize) {
            *member = record;
            group.len += 1;
        }
    }
    result
}

/// Puts the records of one name into the order of the small map.
fn order_members(profile: &Profile, members: &mut [u32], mix: HashMix, keep: u64) -> Result<(), Error> {
    let hash = |record: &u32| profile.record(*record as usize).map_or(0, |record| record.hash & keep);
    let mut hashes: Vec<u64> = members.iter().map(hash).collect();
    hashes.sort_unstable();
    if let Some((twice, _)) = hashes.iter().zip(hashes.iter().skip(1)).find(|(a, b)| a == b) {
        let error = Error::new(ErrorKind::Unwritable, "records").expected("one record of each name and hash");
        return Err(error.found(format_args!("two of hash {twice:#x}")));
    }
    let ordered = maps::small_map_order(members, |record| (hash(record), mix));
    members.copy_from_slice(&ordered);
    Ok(())
}

/// Sorts groups by the bytes of their names.
fn sort(groups: &mut [Group], names: &Names) {
    let bytes = |group: &Group| names.get(group.name).bytes.unwrap_or(&[]);
    if groups.is_sorted_by(|a, b| bytes(a) < bytes(b)) {
        return;
    }
    let Some(first) = groups.first() else { return };
    // Mangled names begin alike. What follows the common beginning tells most of them apart without a look at the rest.
    let first = bytes(first);
    let common = groups.iter().fold(first.len(), |common, group| {
        let same = first.iter().zip(bytes(group)).take(common).take_while(|(a, b)| a == b);
        same.count()
    });
    let key = |group: &Group| {
        let rest = bytes(group).get(common..).unwrap_or(&[]);
        let mut word = [0; 8];
        word.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        u64::from_be_bytes(word)
    };
    let mut keyed: Vec<(u64, Group)> = groups.iter().map(|group| (key(group), *group)).collect();
    keyed.sort_unstable_by(|(a, group_a), (b, group_b)| a.cmp(b).then_with(|| bytes(group_a).cmp(bytes(group_b))));
    groups.iter_mut().zip(keyed).for_each(|(group, (_, sorted))| *group = sorted);
}

/// Returns the distinct strings in the order of LLVM's string map.
pub(super) fn distinct_in_map_order(strings: &[Vec<u8>], hash: impl Fn(&[u8]) -> u32) -> Vec<&[u8]> {
    let mut seen = std::collections::HashSet::new();
    let distinct: Vec<&[u8]> =
        strings.iter().map(Vec::as_slice).filter(|string| !string.is_empty() && seen.insert(*string)).collect();
    maps::string_map_order(&distinct, |string| hash(string))
}
