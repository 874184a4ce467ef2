//! Object files with coverage mappings.

use crate::objects_made::{elf, functions, list, numbers, object, units};

/// Returns the object file of an input: the input, one with this mapping, or one with this file list.
pub fn of_input(mode: u8, rest: &[u8]) -> Vec<u8> {
    match mode % 3 {
        0 => rest.to_vec(),
        1 => object(&list(&[b"/d", b"a.c", b"/b.h"]), [(1, 2, rest), (1, 0, &[1, 0, 0, 1, 0, 1, 1, 0, 1])]),
        _ => {
            let functions = functions([(1, 2, rest, &[2, 0, 1, 0, 1, 5, 1, 1, 0, 1, 0][..])]);
            elf(&[("__llvm_covmap", &units(&[(u32::from(mode >> 5), rest)])), ("__llvm_covfun", &functions)])
        }
    }
}

/// Returns the first inputs.
pub fn seeds() -> Vec<Vec<u8>> {
    let names = list(&[b"/d", b"a.c", b"/b.h"]);
    // A difference, an expansion, a gap, what is skipped, a branch, and a decision of two conditions.
    let mapping = numbers(
        [
            [2, 1, 2, 2, 1, 5, 2, 9, 10].as_slice(),
            &[1, 1, 1, 9, 2, 12, 1, 1, 0, 5, 2, 0, 3, 0, 1 << 31 | 7, 16, 1, 1, 0, 5, 32, 5, 2, 1, 1, 0, 4],
            &[40, 3, 2, 1, 1, 0, 9, 48, 1, 2, 1, 2, 0, 0, 1, 0, 3, 48, 5, 3, 2, 0, 0, 0, 4, 0, 9],
            &[3, 0, 1, 1, 0, 4],
            &[1, 5, 1, 1, 0, 2],
        ]
        .concat(),
    );
    let whole = object(&names, [(1, 2, &mapping[..]), (3, 0, &[1, 0, 0, 1, 0, 1, 1, 0, 1])]);
    let with = |mode: u8, bytes: &[u8]| [&[mode], bytes].concat();
    vec![with(0, &whole), with(1, &mapping), with(6 << 5 | 2, &names), with(4 << 5, &names)]
}
