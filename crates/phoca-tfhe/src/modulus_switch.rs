//! Switching an LWE ciphertext to the modulus `2N`, in which blind rotation counts.

use alloc::vec::Vec;

use crate::Torus;
use crate::lwe::LweCiphertext;

/// What the body takes over from the rounding of the mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModulusSwitch {
    /// Nothing.
    Plain,
    /// The mean of what the rounding of the mask adds to the phase of a binary key: with rounding errors `e_i` the phase changes by `-Σ e_i·s_i`, whose mean is `-Σ e_i / 2` (cf. ePrint 2025/809). The
    /// variance of what remains is half of the plain one.
    CenteredMean,
}

/// Each word of a ciphertext, rounded to a multiple of `2^-log2_modulus`, as that multiple in `[0, 2^log2_modulus)`: words of the
/// mask to the nearest one, and the body down. A phase in `[i, i + 1)` so becomes `i`, and the boxes of a
/// [`LookupTable`](crate::lookup::LookupTable), which are half open, end equally far from their message on both sides.
pub fn modulus_switch<T: Torus>(
    ciphertext: &LweCiphertext<T>,
    log2_modulus: u32,
    kind: ModulusSwitch,
    exponents: &mut Vec<usize>,
) {
    let shift = 64 - log2_modulus;
    let round = |word: u64| word.wrapping_add(1 << (shift - 1)) >> shift;
    exponents.clear();
    let mut error = 0_i128;
    for word in ciphertext.mask() {
        let word = word.to_u64();
        let rounded = round(word);
        error += i128::from((rounded << shift).wrapping_sub(word) as i64);
        exponents.push(rounded as usize);
    }
    let mean = match kind {
        ModulusSwitch::Plain => 0,
        ModulusSwitch::CenteredMean => (error >> 1) as u64,
    };
    exponents.push((ciphertext.body().to_u64().wrapping_add(mean) >> shift) as usize);
}
