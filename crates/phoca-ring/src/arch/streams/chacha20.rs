//! ChaCha20 (Bernstein, 2008): the original variant with a 64-bit block counter and a zero 64-bit nonce.

use chacha20::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use crate::arch::Arch;

/// Bytes that a kernel makes at a time: sixteen blocks.
pub(crate) const CHUNK_LEN: usize = 1024;
/// ChaCha20 blocks of 64 bytes in a chunk.
pub(crate) const CHUNK_BLOCKS: u64 = 16;

/// "expand 32-byte k".
#[cfg(any(target_arch = "x86_64", all(target_arch = "wasm32", target_feature = "simd128")))]
pub(super) const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// Writes the key stream from block `counter` on.
pub(crate) type ChaCha20Fill = fn(key: &[u8; 32], counter: u64, out: &mut [[u8; CHUNK_LEN]]);

/// The key stream for an instruction set; that of the crate `chacha20` where this processor does not have it.
pub(crate) fn chacha20_fill(arch: Arch) -> ChaCha20Fill {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::Ifma if arch.is_available() => super::x86_64::chacha20_fill_avx512,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        Arch::Simd128 | Arch::Relaxed => super::wasm32::chacha20_fill,
        _ => chacha20_fill_portable,
    }
}

/// The crate `chacha20` chooses among its own kernels.
fn chacha20_fill_portable(key: &[u8; 32], counter: u64, out: &mut [[u8; CHUNK_LEN]]) {
    let mut stream = ChaCha20Rng::from_seed(*key);
    stream.set_word_pos(u128::from(counter) * 16);
    stream.fill_bytes(out.as_flattened_mut());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_gives_the_portable_bytes() {
        let key = core::array::from_fn(|i| (91 * i + 5) as u8);
        // The counter carries into its upper half, and wraps.
        for counter in [0, 1, (1 << 32) - 7, u64::MAX - 20] {
            let mut expected = [[0; CHUNK_LEN]; 3];
            chacha20_fill_portable(&key, counter, &mut expected);
            for &arch in Arch::all() {
                let mut got = [[0; CHUNK_LEN]; 3];
                chacha20_fill(arch)(&key, counter, &mut got);
                assert!(got == expected, "{} from block {counter}", arch.name());
            }
        }
    }
}
