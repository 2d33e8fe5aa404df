//! What BLAKE2Xb with 64-byte nodes needs of BLAKE2b (RFC 7693), for the kernels that hash several messages at a time.

use super::XOF_LENGTH;

const IV: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// The initial state of a root hash. Parameters: digest and key of 64 bytes, fanout and depth 1, an output of 4096 bytes.
pub(super) const ROOT: [u64; 8] =
    [IV[0] ^ (64 | (64 << 8) | (1 << 16) | (1 << 24)), IV[1] ^ XOF_LENGTH, IV[2], IV[3], IV[4], IV[5], IV[6], IV[7]];

/// The initial state of node 0. Parameters: digest and leaf length 64, fanout and depth 0, an output of 4096 bytes in
/// the upper half of the node offset, inner length 64.
pub(super) const NODE: [u64; 8] =
    [IV[0] ^ (64 | (64 << 32)), IV[1] ^ XOF_LENGTH, IV[2] ^ (64 << 8), IV[3], IV[4], IV[5], IV[6], IV[7]];

/// The second half of the working vector for `count` bytes hashed so far.
const fn counted(count: u64, last: bool) -> [u64; 8] {
    let end = if last { u64::MAX } else { 0 };
    [IV[0], IV[1], IV[2], IV[3], IV[4] ^ count, IV[5], IV[6] ^ end, IV[7]]
}

/// The key block, padded to 128 bytes.
pub(super) const KEYED: [u64; 8] = counted(128, false);
/// A counter of 8 bytes after the key block.
pub(super) const ROOTED: [u64; 8] = counted(136, true);
/// A root of 64 bytes.
pub(super) const EXPANDED: [u64; 8] = counted(64, true);

/// The message words of all twelve rounds, columns and diagonals, as further arguments of a macro.
macro_rules! with_schedule {
    ($macro:ident!($($arguments:tt)*)) => {
        $macro! { $($arguments)*
            [0 1 2 3 4 5 6 7] [8 9 10 11 12 13 14 15]
            [14 10 4 8 9 15 13 6] [1 12 0 2 11 7 5 3]
            [11 8 12 0 5 2 15 13] [10 14 3 6 7 1 9 4]
            [7 9 3 1 13 12 11 14] [2 6 5 10 4 0 15 8]
            [9 0 5 7 2 4 10 15] [14 1 11 12 6 8 3 13]
            [2 12 6 10 0 11 8 3] [4 13 7 5 15 14 1 9]
            [12 5 1 15 14 13 4 10] [0 7 6 3 9 2 8 11]
            [13 11 7 14 12 1 3 9] [5 0 15 4 8 6 2 10]
            [6 15 14 9 11 3 0 8] [12 2 13 7 1 4 10 5]
            [10 2 8 4 7 6 1 5] [15 11 9 14 3 12 13 0]
            [0 1 2 3 4 5 6 7] [8 9 10 11 12 13 14 15]
            [14 10 4 8 9 15 13 6] [1 12 0 2 11 7 5 3]
        }
    };
}

pub(super) use with_schedule;
