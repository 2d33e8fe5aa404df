//! Secrets and noise: small signed integers.

use core::f64::consts::TAU;

use rand_core::CryptoRng;
use zeroize::Zeroize;

use crate::RingError;

/// Independent uniform values of {−1, 0, 1}.
///
/// A byte below `3^5 = 243` gives five base-3 digits; other bytes are rejected, independently of what is kept.
pub fn ternary(rng: &mut impl CryptoRng, out: &mut [i8]) {
    const DIGITS: usize = 5;
    const BYTES: usize = 256;
    let mut accepted = [0_u8; BYTES];
    for chunk in out.chunks_mut(DIGITS * BYTES) {
        let wanted = chunk.len().div_ceil(DIGITS);
        fill_below_243(rng, &mut accepted[..wanted]);
        for digits in chunk.chunks_mut(wanted) {
            for (digit, byte) in digits.iter_mut().zip(&mut accepted) {
                let third = ((u16::from(*byte) * 171) >> 9) as u8; // floor(byte / 3) for any byte
                *digit = (*byte - 3 * third) as i8 - 1;
                *byte = third;
            }
        }
    }
    accepted.zeroize();
}

/// Independent uniform bytes of `[0, 243)`.
fn fill_below_243(rng: &mut impl CryptoRng, out: &mut [u8]) {
    let mut raw = [0_u8; 64];
    let mut filled = 0;
    while filled < out.len() {
        rng.fill_bytes(&mut raw);
        for &byte in &raw {
            // Written before it is judged, so that no branch depends on it.
            if filled < out.len() {
                out[filled] = byte;
                filled += usize::from(byte < 243);
            }
        }
    }
    raw.zeroize();
}

/// Independent values of the centred binomial distribution with 21 + 21 bits: the number of ones among 21 random bits
/// minus that among 21 others. Range −21..=21, variance 10.5 (σ ≈ 3.24): the noise of SEAL.
///
/// The difference has the same distribution as the number of ones among 42 bits, minus 21, which is what is computed.
/// Constant time.
pub fn centered_binomial(rng: &mut impl CryptoRng, out: &mut [i8]) {
    const GROUPS: usize = 8;
    let mut words = [0_u64; BINOMIAL_WORDS * GROUPS];
    let (groups, tail) = out.as_chunks_mut::<BINOMIAL_GROUP>();
    for chunk in groups.chunks_mut(GROUPS) {
        let words = &mut words[..BINOMIAL_WORDS * chunk.len()];
        rng.fill_bytes(bytemuck::cast_slice_mut(words));
        for (group, bits) in chunk.iter_mut().zip(words.as_chunks().0) {
            binomial_group(bits, group);
        }
    }
    if !tail.is_empty() {
        let (bits, mut group) = (&mut words[..BINOMIAL_WORDS], [0; BINOMIAL_GROUP]);
        rng.fill_bytes(bytemuck::cast_slice_mut(bits));
        binomial_group(&bits.as_chunks().0[0], &mut group);
        tail.copy_from_slice(&group[..tail.len()]);
        group.zeroize();
    }
    words.zeroize();
}

/// Values made at a time; they use exactly 42 words of 64 bits.
const BINOMIAL_GROUP: usize = 64;
const BINOMIAL_WORDS: usize = 42;

/// 64 values from 64·42 bits: byte `i` of five planes of 64 bytes, and two bits of the last 16 bytes.
fn binomial_group(bits: &[u64; BINOMIAL_WORDS], out: &mut [i8; BINOMIAL_GROUP]) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    for (w, values) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let plane = |p: usize| nibble_counts(bits[8 * p + w]);
        // At most 12 in a group of four bits, then at most 42 in a byte: no carries into the next.
        let mut total = byte_sums(plane(0) + plane(1) + plane(2)) + byte_sums(plane(3) + plane(4));
        let extra = bits[40 + w % 2] >> (2 * (w / 2));
        total += (extra & ONES) + ((extra >> 1) & ONES);
        // 128 is added to keep bytes from borrowing, and its bit flipped back.
        let centred = (total + ONES * (128 - 21)) ^ (ONES << 7);
        *values = centred.to_le_bytes().map(|byte| byte as i8);
    }
}

/// The number of ones in each group of four bits.
fn nibble_counts(x: u64) -> u64 {
    const EVEN: u64 = 0x5555_5555_5555_5555;
    const PAIRS: u64 = 0x3333_3333_3333_3333;
    let x = x - ((x >> 1) & EVEN);
    (x & PAIRS) + ((x >> 2) & PAIRS)
}

/// The sum of both halves of each byte.
fn byte_sums(x: u64) -> u64 {
    const LOW: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    (x & LOW) + ((x >> 4) & LOW)
}

/// Independent normal values of mean 0 and standard deviation `sigma`, redrawn while above `bound` in magnitude, then
/// rounded to the nearest integer.
///
/// Box–Muller on 53-bit uniform values; before the bound, magnitudes end at 8.6·`sigma`. Not constant time: the
/// elementary functions may take a time that depends on their arguments. For encryption noise use
/// [`centered_binomial`].
///
/// # Errors
///
/// [`RingError::InvalidGaussian`] unless `0 ≤ sigma ≤ bound < 2^62`.
pub fn rounded_gaussian(rng: &mut impl CryptoRng, sigma: f64, bound: f64, out: &mut [i64]) -> Result<(), RingError> {
    const LARGEST: f64 = (1_u64 << 62) as f64;
    if !(0.0 <= sigma && sigma <= bound && bound < LARGEST) {
        return Err(RingError::InvalidGaussian { sigma, bound });
    }
    let mut filled = 0;
    while filled < out.len() {
        for value in normal_pair(rng) {
            let value = sigma * value;
            if value.abs() <= bound && filled < out.len() {
                out[filled] = libm::round(value) as i64;
                filled += 1;
            }
        }
    }
    Ok(())
}

/// Two independent values of the standard normal distribution (Box and Muller, 1958).
fn normal_pair(rng: &mut impl CryptoRng) -> [f64; 2] {
    const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
    // In (0, 1], so that the logarithm is finite.
    let radius_draw = ((rng.next_u64() >> 11) + 1) as f64 * UNIT;
    let angle_draw = (rng.next_u64() >> 11) as f64 * UNIT;
    let radius = libm::sqrt(-2.0 * libm::log(radius_draw));
    let (sine, cosine) = libm::sincos(TAU * angle_draw);
    [radius * cosine, radius * sine]
}
