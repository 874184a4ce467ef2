//! The first eight bytes of BLAKE3: LLVM's ids of frames and of call stacks.

/// The hash of SHA-256 begins with the same words.
const IV: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];
const BLOCK: usize = 64;
const CHUNK: usize = 1024;

const CHUNK_START: u32 = 1;
const CHUNK_END: u32 = 2;
const PARENT: u32 = 4;
const ROOT: u32 = 8;

/// A chaining value.
type ChainingValue = [u32; 8];
type Message = [u32; 16];

/// What a compression takes; the last one of all is repeated with [`ROOT`].
#[derive(Clone, Copy)]
struct TreeNode {
    value: ChainingValue,
    message: Message,
    counter: u64,
    len: u32,
    flags: u32,
}

/// Returns the first eight bytes of the hash as a little-endian number.
pub(super) fn id(bytes: &[u8]) -> u64 {
    let mut chunks = bytes.chunks(CHUNK);
    let mut last = chunk(chunks.next().unwrap_or(&[]), 0);
    // Values of complete subtrees, the largest first. Each has twice the chunks of the next, or more.
    let mut subtrees: Vec<ChainingValue> = Vec::new();
    for (number, bytes) in (1u64..).zip(chunks) {
        let mut value = last.value();
        for _ in 0..number.trailing_zeros() {
            let Some(left) = subtrees.pop() else { break };
            value = parent(&left, &value).value();
        }
        subtrees.push(value);
        last = chunk(bytes, number);
    }
    while let Some(left) = subtrees.pop() {
        last = parent(&left, &last.value());
    }
    let [low, high, ..] = TreeNode { flags: last.flags | ROOT, ..last }.value();
    u64::from(high) << 32 | u64::from(low)
}

/// Returns the last node of a chunk.
fn chunk(bytes: &[u8], counter: u64) -> TreeNode {
    let mut blocks = bytes.chunks(BLOCK);
    let mut node = TreeNode { value: IV, message: [0; 16], counter, len: 0, flags: CHUNK_START };
    node.fill(blocks.next().unwrap_or(&[]));
    for block in blocks {
        node.value = node.value();
        node.flags = 0;
        node.fill(block);
    }
    node.flags |= CHUNK_END;
    node
}

fn parent(left: &ChainingValue, right: &ChainingValue) -> TreeNode {
    let mut message = [0; 16];
    message.iter_mut().zip(left.iter().chain(right)).for_each(|(to, word)| *to = *word);
    TreeNode { value: IV, message, counter: 0, len: BLOCK as u32, flags: PARENT }
}

impl TreeNode {
    /// Takes the bytes of a block, at most 64.
    fn fill(&mut self, block: &[u8]) {
        let mut padded = [0; BLOCK];
        padded.iter_mut().zip(block).for_each(|(to, byte)| *to = *byte);
        self.message.iter_mut().zip(padded.as_chunks().0).for_each(|(to, word)| *to = u32::from_le_bytes(*word));
        self.len = block.len() as u32;
    }

    /// Compresses.
    fn value(&self) -> ChainingValue {
        let [a, b, c, d, e, f, g, h] = self.value;
        let [i, j, k, l, ..] = IV;
        let counter = [self.counter as u32, (self.counter >> 32) as u32];
        let mut state = [a, b, c, d, e, f, g, h, i, j, k, l, counter[0], counter[1], self.len, self.flags];
        let mut m = self.message;
        for _ in 0..7 {
            round(&mut state, &m);
            m = [m[2], m[6], m[3], m[10], m[7], m[0], m[4], m[13], m[1], m[11], m[12], m[5], m[9], m[14], m[15], m[8]];
        }
        let (low, high) = state.split_at(8);
        let mut value = [0; 8];
        value.iter_mut().zip(low.iter().zip(high)).for_each(|(to, (low, high))| *to = low ^ high);
        value
    }
}

/// Mixes the columns and then the diagonals.
fn round(s: &mut [u32; 16], m: &Message) {
    macro_rules! mix {
        ($a:literal $b:literal $c:literal $d:literal, $x:expr, $y:expr) => {
            s[$a] = s[$a].wrapping_add(s[$b]).wrapping_add($x);
            s[$d] = (s[$d] ^ s[$a]).rotate_right(16);
            s[$c] = s[$c].wrapping_add(s[$d]);
            s[$b] = (s[$b] ^ s[$c]).rotate_right(12);
            s[$a] = s[$a].wrapping_add(s[$b]).wrapping_add($y);
            s[$d] = (s[$d] ^ s[$a]).rotate_right(8);
            s[$c] = s[$c].wrapping_add(s[$d]);
            s[$b] = (s[$b] ^ s[$c]).rotate_right(7);
        };
    }
    mix!(0 4 8 12, m[0], m[1]);
    mix!(1 5 9 13, m[2], m[3]);
    mix!(2 6 10 14, m[4], m[5]);
    mix!(3 7 11 15, m[6], m[7]);
    mix!(0 5 10 15, m[8], m[9]);
    mix!(1 6 11 12, m[10], m[11]);
    mix!(2 7 8 13, m[12], m[13]);
    mix!(3 4 9 14, m[14], m[15]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The input of BLAKE3's published test vectors: bytes that count to 250, again and again.
    fn input(len: usize) -> Vec<u8> {
        (0..len).map(|place| (place % 251) as u8).collect()
    }

    #[test]
    fn ids_are_those_of_the_published_vectors() {
        for (len, first) in [
            (0, 0xaf13_49b9_f5f9_a1a6u64),
            (1, 0x2d3a_dedf_f11b_61f1),
            (17, 0x8462_aa7b_e93b_09fd),
            (64, 0x4eed_7141_ea4a_5cd4),
            (65, 0xde1e_5fa0_be70_df6d),
            (1024, 0x4221_4739_f095_a406),
            (1025, 0xd002_78ae_47eb_27b3),
            (2048, 0xe776_b602_8c7c_d22a),
            (3073, 0x7124_b495_0101_2f81),
            (5121, 0x628b_d2cb_2004_694a),
            (8193, 0xbab6_c09c_b8ce_8cf4),
        ] {
            assert_eq!(id(&input(len)).to_le_bytes(), first.to_be_bytes(), "{len} bytes");
        }
    }
}
