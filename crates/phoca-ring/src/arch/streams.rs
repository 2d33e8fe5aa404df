//! Kernels for random streams: the output nodes of BLAKE2Xb for SEAL's, ChaCha20 for the secret one.
//!
//! The 64 nodes of one block hash the same 64-byte root and differ in one word of the initial state only, so they fill
//! the lanes of any vector, every message word is one broadcast, and the upper half of the message is zero and costs
//! nothing. `blake2b_simd`, which cannot know this, is the portable kernel and the oracle of the others.

use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};

use crate::arch::Arch;

pub(crate) mod chacha20;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// Bytes of one BLAKE2b digest, root or output node.
pub(crate) const NODE_LEN: usize = 64;
/// Bytes of one block of output: 64 nodes.
pub(crate) const BLOCK_LEN: usize = 4096;
/// The length of the extended output sits in the upper half of BLAKE2's node offset (BLAKE2X, section 2).
pub(crate) const XOF_LENGTH: u64 = (BLOCK_LEN as u64) << 32;

/// Writes the 64 output nodes over a root hash, one after the other.
pub(crate) type Blake2xbExpand = fn(root: &[u8; NODE_LEN], out: &mut [u8; BLOCK_LEN]);

/// The expansion for an instruction set; the portable one where this processor does not have it.
pub(crate) fn blake2xb_expand(arch: Arch) -> Blake2xbExpand {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::Avx2 if arch.is_available() => x86_64::blake2xb_expand_avx2,
        #[cfg(target_arch = "x86_64")]
        Arch::Ifma if arch.is_available() => x86_64::blake2xb_expand_avx512,
        _ => blake2xb_expand_portable,
    }
}

fn blake2xb_expand_portable(root: &[u8; NODE_LEN], out: &mut [u8; BLOCK_LEN]) {
    const BATCH: usize = 8;
    let mut node = Params::new();
    node.hash_length(NODE_LEN).fanout(0).max_depth(0).max_leaf_length(NODE_LEN as u32).inner_hash_length(NODE_LEN);
    let mut offset = XOF_LENGTH;
    for outputs in out.as_chunks_mut::<{ BATCH * NODE_LEN }>().0 {
        let mut jobs: [HashManyJob<'_>; BATCH] =
            core::array::from_fn(|i| HashManyJob::new(node.node_offset(offset + i as u64), root));
        hash_many(&mut jobs);
        for (output, job) in outputs.as_chunks_mut::<NODE_LEN>().0.iter_mut().zip(&jobs) {
            *output = *job.to_hash().as_array();
        }
        offset += BATCH as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_gives_the_portable_bytes() {
        for seed in 0..8 {
            let root = core::array::from_fn(|i| (37 * i + 101 * seed + i * i * seed) as u8);
            let mut expected = [0; BLOCK_LEN];
            blake2xb_expand_portable(&root, &mut expected);
            for &arch in Arch::all() {
                let mut got = [0; BLOCK_LEN];
                blake2xb_expand(arch)(&root, &mut got);
                assert!(got == expected, "{}", arch.name());
            }
            #[cfg(all(target_arch = "x86_64", feature = "std"))]
            if std::is_x86_feature_detected!("avx2") {
                let mut got = [0; BLOCK_LEN];
                x86_64::blake2xb_expand_avx2(&root, &mut got);
                assert!(got == expected, "avx2, whether or not the processor has what else `Arch::Avx2` needs");
            }
        }
    }
}
