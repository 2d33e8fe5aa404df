//! Kernels for random streams: BLAKE2Xb for SEAL's, ChaCha20 for the secret one.
//!
//! The root hashes of a stream have the key block in common and differ in one word after it. The 64 nodes of one block
//! hash the same 64-byte root and differ in one word of the initial state only. So they fill the lanes of any vector,
//! every message word is one broadcast, and the upper half of the message is zero and costs nothing. `blake2b_simd`,
//! which cannot know this, is the portable kernel and the oracle of the others.

use blake2b_simd::Params;
use blake2b_simd::many::{HashManyJob, hash_many};

use crate::arch::Arch;

#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
mod blake2b;
pub(crate) mod chacha20;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm32;
#[cfg(target_arch = "x86_64")]
mod x86_64;

/// Bytes of one BLAKE2b digest, root or output node.
pub(crate) const NODE_LEN: usize = 64;
/// Bytes of one block of output: 64 nodes.
pub(crate) const BLOCK_LEN: usize = 4096;
/// The length of the extended output sits in the upper half of BLAKE2's node offset (BLAKE2X, section 2).
pub(crate) const XOF_LENGTH: u64 = (BLOCK_LEN as u64) << 32;

/// Writes blocks `counter`, `counter + 1`, … of the stream of a seed.
pub(crate) type Blake2xbFill = fn(seed: &[u8; NODE_LEN], counter: u64, out: &mut [[u8; BLOCK_LEN]]);

/// The stream for an instruction set; the portable one where this processor does not have it.
pub(crate) fn blake2xb_fill(arch: Arch) -> Blake2xbFill {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::Avx2 if arch.is_available() => x86_64::blake2xb_fill_avx2,
        #[cfg(target_arch = "x86_64")]
        Arch::Ifma if arch.is_available() => x86_64::blake2xb_fill_avx512,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Arch::Simd128 => wasm32::blake2xb_fill_in_threes,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Arch::Relaxed => wasm32::blake2xb_fill,
        _ => blake2xb_fill_portable,
    }
}

fn blake2xb_fill_portable(seed: &[u8; NODE_LEN], mut counter: u64, out: &mut [[u8; BLOCK_LEN]]) {
    // The widest vectors of `blake2b_simd` hold four words.
    const ROOTS: usize = 4;
    let mut root = Params::new();
    root.hash_length(NODE_LEN).key(seed).node_offset(XOF_LENGTH);
    for blocks in out.chunks_mut(ROOTS) {
        let messages: [[u8; 8]; ROOTS] = core::array::from_fn(|i| counter.wrapping_add(i as u64).to_le_bytes());
        let mut jobs = messages.each_ref().map(|message| HashManyJob::new(&root, message));
        hash_many(&mut jobs[..blocks.len()]);
        for (block, job) in blocks.iter_mut().zip(&jobs) {
            expand_portable(job.to_hash().as_array(), block);
        }
        counter = counter.wrapping_add(ROOTS as u64);
    }
}

/// The 64 output nodes over a root hash, one after the other.
fn expand_portable(root: &[u8; NODE_LEN], out: &mut [u8; BLOCK_LEN]) {
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

/// Whether any of these public words is at least `bound`. The time tells nothing more.
pub(crate) fn any_at_least(arch: Arch, words: &[u64], bound: u64) -> bool {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::Avx2 if arch.is_available() => x86_64::any_at_least_avx2(words, bound),
        #[cfg(target_arch = "x86_64")]
        Arch::Ifma if arch.is_available() => x86_64::any_at_least_avx512(words, bound),
        _ => any_at_least_portable(words, bound),
    }
}

/// In a form that compilers turn into vectors.
#[inline(always)]
fn any_at_least_portable(words: &[u64], bound: u64) -> bool {
    words.iter().fold(0, |any, &word| any | u64::from(word >= bound)) != 0
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn every_kernel_gives_the_portable_bytes() {
        let mut kernels = Vec::new();
        for &arch in Arch::all() {
            kernels.push((arch.name(), blake2xb_fill(arch)));
        }
        #[cfg(all(target_arch = "x86_64", feature = "std"))]
        if std::is_x86_feature_detected!("avx2") {
            // Whether or not the processor has what else `Arch::Avx2` needs.
            kernels.push(("avx2 alone", x86_64::blake2xb_fill_avx2));
        }
        // Seeds of edges and of mixed bits; counters that carry into every byte, and wrap; counts around the lanes.
        let mixed = core::array::from_fn(|i| (37 * i * i + 101 * i + 11) as u8);
        for seed in [[0; NODE_LEN], [0xff; NODE_LEN], mixed] {
            for (counter, count) in [(0, 1), (1, 9), (255, 3), ((1 << 32) - 2, 4), (u64::MAX - 6, 17)] {
                let mut expected = vec![[0; BLOCK_LEN]; count];
                blake2xb_fill_portable(&seed, counter, &mut expected);
                for (name, fill) in &kernels {
                    let mut got = vec![[0; BLOCK_LEN]; count];
                    fill(&seed, counter, &mut got);
                    assert!(got == expected, "{name}, {count} blocks from {counter}");
                }
            }
        }
    }

    #[test]
    fn words_at_and_above_a_bound_are_found_anywhere() {
        for &arch in Arch::all() {
            for len in [0, 1, 7, 8, 9, 31, 32, 64, 100] {
                for bound in [1, 1 << 63, (1 << 63) + 1, u64::MAX] {
                    let mut words = vec![bound - 1; len];
                    assert!(!any_at_least(arch, &words, bound), "{}", arch.name());
                    for position in 0..len {
                        for above in [bound, u64::MAX] {
                            words[position] = above;
                            assert!(any_at_least(arch, &words, bound), "{} at {position} of {len}", arch.name());
                        }
                        words[position] = 0;
                    }
                }
            }
        }
    }
}
