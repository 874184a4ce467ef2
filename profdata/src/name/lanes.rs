//! MD5 of several names at once. The steps of one MD5 wait for each other, so a processor has time for more of them: each name has a
//! lane of a vector.

use wide::u32x8;

/// Names that are hashed at once.
pub(crate) const LANES: usize = 8;

/// Bytes of a block, which MD5 takes at once.
const BLOCK: usize = 64;

/// By how many bits the sums of each round are rotated.
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// For each step, counted from 1, the absolute value of its sine times 2^32.
#[rustfmt::skip]
const SINES: [[u32; 16]; 4] = [
    [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee, 0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be, 0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
    ],
    [
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa, 0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed, 0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
    ],
    [
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c, 0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05, 0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
    ],
    [
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039, 0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1, 0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ],
];

const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];

/// Returns what [`name_hash`](super::name_hash) returns for each name.
pub(crate) fn name_hashes(names: &[&[u8]; LANES]) -> [u64; LANES] {
    let mut hashes = [0; LANES];
    let mut state = START.map(u32x8::splat);
    let blocks = names.map(|name| block_count(name.len()));
    for number in 0..blocks.into_iter().max().unwrap_or(0) {
        compress(&mut state, &transpose(&names.map(|name| block(name, number))));
        let [low, high, ..] = state.map(u32x8::to_array);
        // The lanes of shorter names go on with blocks that mean nothing.
        let words = low.into_iter().zip(high);
        for ((hash, words), blocks) in hashes.iter_mut().zip(words).zip(blocks) {
            if number + 1 == blocks {
                *hash = u64::from(words.1) << 32 | u64::from(words.0);
            }
        }
    }
    hashes
}

/// Returns the number of blocks: after the name follow the byte 0x80 and eight bytes with its length.
const fn block_count(len: usize) -> usize {
    len.saturating_add(8) / BLOCK + 1
}

/// Returns a block of a name; after the last one a block that means nothing.
fn block(name: &[u8], number: usize) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    if let Some(rest) = name.get(number.saturating_mul(BLOCK)..) {
        let part = rest.get(..BLOCK).unwrap_or(rest);
        block.get_mut(..part.len()).into_iter().for_each(|block| block.copy_from_slice(part));
        block.get_mut(part.len()).into_iter().for_each(|end| *end = 0x80);
    }
    if number + 1 == block_count(name.len()) {
        let bits = (name.len() as u64).wrapping_mul(8).to_le_bytes();
        block.last_chunk_mut().into_iter().for_each(|block| *block = bits);
    }
    block
}

/// Returns the words of blocks: in each lane of a vector the word of one block.
#[allow(clippy::indexing_slicing, reason = "there is a block for each lane, and each has 16 words")]
fn transpose(blocks: &[[u8; BLOCK]; LANES]) -> [u32x8; 16] {
    let words = blocks.map(|block| {
        let mut words = [0; 16];
        words.iter_mut().zip(block.as_chunks().0).for_each(|(word, bytes)| *word = u32::from_le_bytes(*bytes));
        words
    });
    std::array::from_fn(|number| u32x8::new(std::array::from_fn(|lane| words[lane][number])))
}

/// Takes a block into the state of each lane.
#[allow(clippy::indexing_slicing, reason = "steps are below 16, and so are words after the remainder")]
fn compress(state: &mut [u32x8; 4], block: &[u32x8; 16]) {
    let [mut a, mut b, mut c, mut d] = *state;
    macro_rules! round {
        ($round:literal, $step:ident => $word:expr, $mixed:expr) => {
            for $step in 0..16 {
                let rotation = ROTATIONS[$round][$step % 4];
                let sum = a + $mixed + block[$word % 16] + u32x8::splat(SINES[$round][$step]);
                (a, d, c, b) = (d, c, b, b + (sum << rotation | sum >> (32 - rotation)));
            }
        };
    }
    round!(0, step => step, d ^ (b & (c ^ d)));
    round!(1, step => 5 * step + 1, c ^ (d & (b ^ c)));
    round!(2, step => 3 * step + 5, b ^ c ^ d);
    round!(3, step => 7 * step, c ^ (b | !d));
    for (sum, part) in state.iter_mut().zip([a, b, c, d]) {
        *sum += part;
    }
}

#[cfg(test)]
mod tests {
    use super::super::name_hash;
    use super::*;

    #[test]
    fn each_lane_has_the_hash_of_its_name() {
        let text: Vec<u8> = (0..200u32).map(|number| (number * 7) as u8).collect();
        // Around the ends of blocks, and shorter names next to longer ones.
        for len in 0..text.len() {
            let names: [&[u8]; LANES] =
                std::array::from_fn(|lane| if lane % 3 == 0 { &text[..len] } else { &text[len - len / (lane + 1)..] });
            assert_eq!(name_hashes(&names), names.map(name_hash), "{len}");
        }
    }
}
