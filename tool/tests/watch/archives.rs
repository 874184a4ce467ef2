//! Archives count whole or not at all.

use super::*;

#[test]
fn an_archive_counts_whole_and_is_removed() {
    let place = Place::new();
    place.put("night.tar", tar_of(&[("a.proftext", &profile_of(1)), ("b.proftext", &profile_of(20))]));
    place.once_well(&["--delete"]);
    assert_eq!((place.main(), place.names("in").len()), (21, 0));
}

#[test]
fn an_archive_with_a_member_that_is_not_whole_stays_as_a_whole() {
    let good = ("a.proftext", &*profile_of(300));
    for bad in [damaged(20), FRONT_END.to_owned(), "no profile".to_owned(), String::new()] {
        let place = Place::new();
        place.put("first.proftext", profile_of(4000));
        place.once_well(&["--delete"]);
        let tar = tar_of(&[good, ("b.profraw", &bad)]);
        for content in [&tar[..], &tar[..700]] {
            place.put("night.tar", content);
            for arguments in [&[][..], &["--delete"]] {
                place.once_badly(arguments, &["night.tar"]);
                assert_eq!((place.main(), place.names("in")), (4000, set_of(["night.tar"])), "{bad}");
                assert_eq!(fs::read(place.path("in/night.tar")).unwrap(), content);
            }
        }
    }
}

#[test]
fn an_archive_with_members_that_are_no_profiles_is_not_removed() {
    let place = Place::new();
    place.put("night.tar", tar_of(&[("notes.txt", "of that night"), ("a.proftext", &profile_of(300))]));
    place.once_badly(&["--delete"], &["notes.txt is no profile, and would be removed"]);
    assert_eq!((place.main(), place.names("in").len()), (0, 1));
    (0..2).for_each(|_| place.once_well(&[]));
    assert_eq!((place.main(), place.names("in").len()), (300, 1));
}
