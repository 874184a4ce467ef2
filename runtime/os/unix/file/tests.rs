//! Files that are larger than 32 bits can say, also where addresses have 32 bits.

use std::ffi::CString;
use std::vec::Vec;
use std::{env, format, fs, process};

use super::*;

/// More than 4 GiB: a number that was cut to 32 bits is a small one.
const LARGE: u64 = (5 << 30) + 12345;

#[test]
fn a_large_file_is_as_any_other() {
    let path = env::temp_dir().join(format!("profrt-large-{}", process::id()));
    let sparse = fs::File::create(&path).and_then(|file| file.set_len(LARGE));
    let name = CString::new(path.to_str().unwrap()).unwrap();
    let all = || -> Result<Vec<u8>> {
        let file = open_or_create_no_link(Path::from(name.as_c_str()).into())?;
        assert_eq!((status(Path::from(name.as_c_str()).into())?.size, file.status()?.size), (LARGE, LARGE));
        assert_eq!(file.try_lock(), Lock::Taken);
        file.unlock();
        // SAFETY: readable bytes.
        unsafe { file.write(&[Span::of(b"end")], 3, Some(LARGE - 3)) }?;
        let mut end = [0; 8];
        assert_eq!(file.read_at(&mut end, LARGE - 3)?, 3);
        assert_eq!(end[..3], *b"end");
        // SAFETY: readable bytes.
        unsafe { file.write(&[Span::of(b"more")], 4, Some(LARGE)) }?;
        // SAFETY: readable bytes.
        unsafe { file.write(&[Span::of(b" and more")], 9, Some(LARGE + 4)) }?;
        // There is room for nothing more than a page.
        file.allocate(4096)?;
        file.set_size(LARGE + 8)?;
        let mut kept = [0; 11];
        file.read_all(&mut kept, LARGE - 3)?;
        Ok(kept.to_vec())
    };
    let read = sparse.is_ok().then(all);
    let _ = fs::remove_file(&path);
    // Not every file system has such files.
    if let Some(read) = read {
        assert_eq!(read.unwrap(), b"endmore and");
    }
}
