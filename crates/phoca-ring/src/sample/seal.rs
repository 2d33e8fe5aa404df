//! The expansion of a seed to a uniform polynomial, as each version of SEAL does it.
//!
//! All draw 64-bit words `x` for prime after prime, coefficient after coefficient, reject `x ≥ b` and keep `x mod q`,
//! where `b = M − (M mod q) − 1` and `M` is the largest word. (The largest multiple of `q` would be one more; SEAL's
//! bound is part of the format.) They differ in how words are made of the stream and in what replaces a rejected one.
//! The values that come out are the stored ones: coefficients or NTT values, whichever form the polynomial is in.

use alloc::vec::Vec;

use crate::Modulus;
use crate::arch::streams;
use crate::random::SealStream;

/// Words that are reduced at a time, in the first cache.
const BLOCK: usize = 512;

/// The uniform polynomial of SEAL 3.6, 3.7 and 4.x: `k` limbs of `degree` words in `[0, q_j)`.
///
/// Draws all `k·degree` words at once; each rejected one is replaced by the next 8 bytes after them, as often as needed.
///
/// ```
/// use phoca_ring::Modulus;
/// use phoca_ring::random::{SealGenerator, SealStream, Seed};
/// use phoca_ring::sample::uniform_seal;
///
/// let moduli = [Modulus::new(0xffff_ee001)?, Modulus::new(0xffff_c4001)?];
/// let mut stream = SealStream::new(SealGenerator::Blake2xb, &Seed::from_bytes([1; 64]));
/// let mut a = vec![0; 2 * 4096];
/// uniform_seal(&mut stream, &moduli, 4096, &mut a);
/// assert!(a[4096..].iter().all(|&word| word < moduli[1].value()));
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
///
/// # Panics
///
/// Unless `out` holds `moduli.len()·degree` words.
pub fn uniform_seal(stream: &mut SealStream, moduli: &[Modulus], degree: usize, out: &mut [u64]) {
    check_length(moduli, degree, out);
    let mut rejected = Vec::new();
    for (j, (modulus, limb)) in moduli.iter().zip(out.chunks_exact_mut(degree)).enumerate() {
        let bound = rejection_bound(u64::MAX, modulus);
        stream.fill(bytemuck::cast_slice_mut(limb));
        for (c, words) in limb.chunks_mut(BLOCK).enumerate() {
            let mut drawn = [0; BLOCK];
            let drawn = &mut drawn[..words.len()];
            drawn.iter_mut().zip(&*words).for_each(|(drawn, &word)| *drawn = u64::from_le(word));
            if streams::any_at_least(modulus.arch(), drawn, bound) {
                let positions = (j * degree + c * BLOCK..).zip(&*drawn);
                rejected.extend(positions.filter(|&(_, &word)| word >= bound).map(|(position, _)| position));
            }
            modulus.reduce_into(words, drawn);
        }
    }
    for position in rejected {
        let modulus = &moduli[position / degree];
        let bound = rejection_bound(u64::MAX, modulus);
        let mut draws = core::iter::repeat_with(|| stream.next_u64());
        let drawn = draws.find(|&drawn| drawn < bound).expect("the draws never end");
        out[position] = modulus.reduce(drawn);
    }
}

/// The uniform polynomial of SEAL 3.5: as [`uniform_seal`], but a word is two 32-bit draws, the first of them the high
/// half, and a rejected word is replaced at once by the two draws that follow.
///
/// # Panics
///
/// Unless `out` holds `moduli.len()·degree` words.
pub fn uniform_seal_3_5(stream: &mut SealStream, moduli: &[Modulus], degree: usize, out: &mut [u64]) {
    sequential(moduli, degree, out, u64::MAX, || stream.next_u64().rotate_left(32));
}

/// The uniform polynomial of SEAL 3.4: as [`uniform_seal_3_5`], but a word has 63 bits: the first draw shifted left by
/// 31, with the second shifted right by one below it; the bound is that of `M = 2^63 − 1`.
///
/// # Panics
///
/// Unless `out` holds `moduli.len()·degree` words.
pub fn uniform_seal_3_4(stream: &mut SealStream, moduli: &[Modulus], degree: usize, out: &mut [u64]) {
    sequential(moduli, degree, out, u64::MAX >> 1, || stream.next_u64().rotate_left(32) >> 1);
}

fn sequential(moduli: &[Modulus], degree: usize, out: &mut [u64], largest: u64, mut draw: impl FnMut() -> u64) {
    check_length(moduli, degree, out);
    for (modulus, limb) in moduli.iter().zip(out.chunks_exact_mut(degree)) {
        let bound = rejection_bound(largest, modulus);
        for word in limb {
            let mut drawn = draw();
            while drawn >= bound {
                drawn = draw();
            }
            *word = modulus.reduce(drawn);
        }
    }
}

fn rejection_bound(largest: u64, modulus: &Modulus) -> u64 {
    largest - largest % modulus.value() - 1
}

fn check_length(moduli: &[Modulus], degree: usize, out: &[u64]) {
    assert!(degree != 0 && Some(out.len()) == moduli.len().checked_mul(degree), "the output holds k·n words");
}
