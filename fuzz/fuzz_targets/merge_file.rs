//! Any bytes as the file that a process finds under its name: merged as the write at exit does, from a real file.

#![no_main]

use std::fs::File;
use std::io::{Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd};

use profrt_fuzz::drive;
use profrt_fuzz::merge::read_old::read_old;

std::thread_local! {
    static FILE: File = {
        // SAFETY: a C string; the descriptor is ours alone.
        unsafe { File::from_raw_fd(libc::memfd_create(c"old".as_ptr(), 0)) }
    };
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    profrt_fuzz::with_input(input, |image, profile| {
        FILE.with(|mut file| {
            file.set_len(0).unwrap();
            file.rewind().unwrap();
            file.write_all(profile).unwrap();
            let fd = profrt_fuzz::os::file::borrowed(file.as_raw_fd());
            image.reset();
            let size = profile.len() as u64;
            let mut old = None;
            // SAFETY: an image in memory that is never freed, and its plan.
            let read = unsafe { read_old(&mut old, &fd, size, false, &image.image, image.loaded_range, &image.plan) };
            let from_file = drive::file_from(image, read.map(|()| old.unwrap()), profile);
            assert_eq!(from_file.is_ok(), drive::file(image, profile).is_ok());
        });
    });
});
