//! The written bytes stand where the plan says, for every version, with nothing of a dirty buffer in between.

use super::*;
use crate::error::Error;
use crate::format::{Header, RawVersion};
use crate::native::{Plan, RECORD};
use crate::sink::buffer::Buffer;
use std::vec;
use std::vec::Vec;

/// A build id of five bytes, as a note of this machine.
fn note() -> Vec<u8> {
    let sizes_and_type = [4u32, 5, 3].map(u32::to_ne_bytes).concat();
    [&sizes_and_type[..], b"GNU\0abcde\0\0\0"].concat()
}

/// The same as an entry of the file.
fn entry() -> Vec<u8> {
    [&5u64.to_ne_bytes()[..], b"abcde\0\0\0"].concat()
}

fn bytes(seed: u8, len: usize) -> Vec<u8> {
    (0..len).map(|i| seed.wrapping_add(i as u8) | 1).collect()
}

#[test]
fn parts_stand_where_the_plan_says() {
    let (data, counters, bitmap) = (bytes(1, 128), bytes(2, 27), bytes(3, 13));
    let (names, vtables, vnames) = (bytes(4, 21), bytes(5, 48), bytes(6, 9));
    let mut image = Image::EMPTY;
    image.sections = Sections {
        data: Span::of(&data),
        counters: Span::of(&counters),
        bitmap: Span::of(&bitmap),
        uniform: Span::EMPTY,
        names: Span::of(&names),
        vtables: Span::of(&vtables),
        vnames: Span::of(&vnames),
    };
    let (note, entry) = (note(), entry());
    image.notes[1] = Span::of(&note);
    for version in RawVersion::ALL {
        for flags in [0, 1 << 60] {
            for padding in [Padding::Words, Padding::Pages(4096)] {
                let plan = Plan::of_image(&shape(&image, version.number() | flags, padding)).unwrap();
                let mut file = vec![0xaa; plan.fixed_size() as usize];
                // SAFETY: spans of live vectors; the buffer is as long as said.
                unsafe {
                    write_parts(&image, &plan, &mut Buffer::new(file.as_mut_ptr(), file.len())).unwrap();
                    let short = file.len() - 1;
                    let mut copy = file.clone();
                    let refused = write_parts(&image, &plan, &mut Buffer::new(copy.as_mut_ptr(), short));
                    assert_eq!(refused, Err(Error::NO_SPACE));
                }
                let (header, v, _) = Header::decode(&file).unwrap();
                assert_eq!((header, v), (*plan.header(), version));
                assert_eq!(header.binary_ids_size, entry.len() as u64);
                for chunk in plan.chunks() {
                    let at = chunk.offset as usize;
                    let here = &file[at..at + chunk.len as usize];
                    let expected: &[u8] = match chunk.part {
                        Part::Header => continue,
                        Part::BinaryIds => &entry,
                        Part::Data => &data,
                        Part::Counters => &counters,
                        Part::Bitmap => &bitmap,
                        Part::UniformCounters => &[],
                        Part::Names => &names,
                        Part::VTables => &vtables,
                        Part::VNames => &vnames,
                    };
                    let expected = &expected[..expected.len().min(here.len())];
                    assert_eq!(&here[..expected.len()], expected, "{:?} in {version:?}", chunk.part);
                    let rest = &file[at + expected.len()..at + (chunk.len + chunk.padding) as usize];
                    assert!(rest.iter().all(|b| *b == 0), "dirty behind {:?} in {version:?}", chunk.part);
                }
            }
        }
    }
}

#[test]
fn a_failure_inside_the_binary_ids_is_noticed() {
    struct Refuses(usize);
    impl Sink for Refuses {
        unsafe fn put(&mut self, _: Span) -> Result {
            self.0 = self.0.checked_sub(1).ok_or(Error::SINK)?;
            Ok(())
        }

        crate::sink::in_turn! {}
    }
    let mut image = Image::EMPTY;
    // One id would go with the header.
    let notes = [note(), note()].concat();
    image.notes[0] = Span::of(&notes);
    let plan = Plan::of_image(&shape(&image, 10, Padding::Words)).unwrap();
    // SAFETY: a span of a live vector. The header goes first, then the ids.
    unsafe {
        assert_eq!(write_parts(&image, &plan, &mut Refuses(1)), Err(Error::SINK));
        assert_eq!(write_parts(&image, &plan, &mut Refuses(9)), Ok(()));
    }
}

#[test]
fn a_full_list_of_spans_loses_no_bytes() {
    let (bytes, mut written) = (bytes(1, 100), [0; 100]);
    // SAFETY: an array of that length.
    let mut sink = unsafe { Buffer::new(written.as_mut_ptr(), written.len()) };
    let mut list = Gather::<2> { list: List::new(), sink: &mut sink };
    for piece in bytes.chunks(7) {
        // SAFETY: a part of a vector that lives until the end of the test.
        unsafe { list.add(Span::of(piece)) }.unwrap();
    }
    list.flush().unwrap();
    assert_eq!(written[..], bytes);
}

#[test]
fn a_part_is_left_to_the_function_for_it() {
    let (data, counters, names) = (bytes(1, RECORD.size as usize), bytes(2, 24), bytes(4, 21));
    let mut image = Image::EMPTY;
    (image.sections.data, image.sections.counters) = (Span::of(&data), Span::of(&counters));
    image.sections.names = Span::of(&names);
    let plan = Plan::of_image(&shape(&image, crate::native::RAW_VERSION.number(), Padding::Words)).unwrap();
    let mut file = vec![0xaa; plan.fixed_size() as usize];
    let mut seen = 0;
    let mut note = |_: &mut dyn Sink| {
        seen += 1;
        Ok(())
    };
    // SAFETY: spans of vectors and their plan; the buffer outlives the sink.
    unsafe {
        let mut sink = Buffer::new(file.as_mut_ptr(), file.len());
        write_parts_but(&image, &plan, &mut sink, Some((Part::Names, &mut note))).unwrap();
        assert_eq!(sink.room(), 21);
    }
    assert_eq!(seen, 1);
    for (part, expected) in [(Part::Data, data), (Part::Counters, counters)] {
        let chunk = plan.chunk(part);
        assert_eq!(file[chunk.offset as usize..][..chunk.len as usize], expected);
    }
}
