//! What the fuzz targets share. An input is one byte that chooses an image, one that chooses what the rest is, and the rest.

// The helpers of the unit tests name the runtime's modules as `crate::`.
pub use profrt::internals::*;

#[path = "../../runtime/merge/tests/drive.rs"]
pub mod drive;
#[path = "../../runtime/merge/tests/loaded.rs"]
pub mod loaded;
#[path = "../../runtime/merge/tests/made.rs"]
pub mod made;
#[path = "../../runtime/merge/tests/naive.rs"]
pub mod naive;

#[path = "../../profdata/tests/coverage/made.rs"]
pub mod objects_made;
#[path = "../../profdata/tests/coverage/read_all.rs"]
pub mod read_coverage;

pub mod merging;
pub mod objects;
pub mod profiles;
pub mod readers;

use std::sync::{LazyLock, Mutex};

use loaded::{Loaded, Pieces};
use made::{BYTES, Function, Made, TEMPORAL};

/// The programs whose images are merged into, as they have run elsewhere.
pub fn programs() -> Vec<Made> {
    let function = |address: u64, counters: usize, bitmap: usize, sites: [usize; 3]| Function {
        address,
        counters: (0..counters).map(|at| if at % 3 == 0 { 0xff } else { 0 }).collect(),
        bitmap: vec![0x21; bitmap],
        sites: sites.map(|sites| (0..sites).map(|site| vec![(0x4000_0040, 3), (7, site as u64)]).collect()),
    };
    let made = |flags: u64, functions: Vec<Function>, names: [usize; 3], paged: bool| Made {
        flags,
        base: 0x4000_0000,
        functions,
        names,
        paged,
        valued: true,
    };
    let many = |unit: usize| {
        vec![
            function(0x4000_0010, 3 * unit, 3, [2, 1, 1]),
            function(0, 11 * unit, 0, [0, 0, 0]),
            function(0x7fff_0000, unit, 1, [0, 9, 0]),
        ]
    };
    vec![
        made(0, many(8), [21, 9, 2], false),
        made(BYTES, many(1), [13, 0, 0], false),
        made(TEMPORAL, many(8), [8, 3, 1], false),
        made(TEMPORAL | BYTES, many(9), [7, 0, 0], false),
        made(0, vec![function(0x4000_0010, 16, 0, [0, 0, 0])], [5, 0, 0], true),
        made(0, vec![function(0x4000_0010, 8, 1, [300, 0, 0])], [1, 0, 0], false),
    ]
}

/// Returns profiles of the official archives of clang 14 to 22, as small as they come.
pub fn real() -> Vec<Vec<u8>> {
    let directory = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/profiles")).expect("profiles/");
    let mut paths: Vec<_> = directory.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a profile")).collect()
}

/// An image and a profile of it.
pub struct Subject {
    /// The image, loaded at another address.
    pub image: Loaded,
    /// What it has written where it ran first.
    pub profile: Vec<u8>,
}

/// All images: those made by hand, and those of real profiles.
pub fn subjects() -> Vec<Subject> {
    let made = programs().into_iter().map(|made| made.profile());
    // Those that the runtime of this raw version reads.
    let real = real().into_iter().filter(|profile| Pieces::of(profile).is_some());
    let subject = |profile: Vec<u8>| Subject { image: Loaded::of(&profile).expect("of this raw version"), profile };
    made.chain(real).map(subject).collect()
}

// Where the leak checker finds them: their memory is never given back.
static SUBJECTS: LazyLock<Mutex<Vec<Subject>>> = LazyLock::new(|| Mutex::new(subjects()));

/// What the bytes behind the first two are.
enum Rest {
    /// The profile, whatever it is.
    Profile,
    /// What stands behind the names: value data.
    Values,
    /// What stands from the counters on.
    Counts,
    /// Changes to the profile: two bytes of a place, and the new byte there.
    Changes,
}

impl Rest {
    fn of(byte: u8) -> Rest {
        match byte % 4 {
            0 => Rest::Profile,
            1 => Rest::Values,
            2 => Rest::Counts,
            _ => Rest::Changes,
        }
    }
}

/// Calls `target` with the image that the input chooses and the profile that it makes.
pub fn with_input(input: &[u8], target: impl FnOnce(&Loaded, &[u8])) {
    let [which, what, rest @ ..] = input else { return };
    let subjects = SUBJECTS.lock().expect("an input before this one has failed");
    let subject = &subjects[usize::from(*which) % subjects.len()];
    let mut profile = subject.profile.clone();
    let plan = Pieces::of(&profile).expect("checked before").plan;
    let mut replace_from = |at: u64| {
        profile.truncate(at as usize);
        profile.extend(rest);
    };
    match Rest::of(*what) {
        Rest::Profile => replace_from(0),
        Rest::Values => replace_from(plan.fixed_size()),
        Rest::Counts => replace_from(plan.chunk(format::layout::Part::Counters).offset),
        Rest::Changes => {
            for change in rest.as_chunks::<3>().0 {
                let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % profile.len();
                profile[at] = change[2];
            }
        }
    }
    target(&subject.image, &profile);
}
