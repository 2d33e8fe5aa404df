//! How a BFV or BGV message enters the ciphertext ring.

use phoca_ring::Modulus;

use crate::context::Level;

/// Adds `round(q·m/t)` to a polynomial modulo the level's `q`, in coefficient form.
///
/// With `q = floor(q/t)·t + r`, this is `m·floor(q/t) + floor((m·r + floor((t+1)/2)) / t)`: the rounding keeps fresh
/// noise independent of the message. Coefficients of `message` are in `[0, t)`; missing ones are zero.
pub(crate) fn add_scaled(level: &Level, message: &[u64], degree: usize, target: &mut [u64]) {
    accumulate(level, message, degree, target, Modulus::add);
}

/// Subtracts `round(q·m/t)`; otherwise as [`add_scaled`].
pub(crate) fn sub_scaled(level: &Level, message: &[u64], degree: usize, target: &mut [u64]) {
    accumulate(level, message, degree, target, Modulus::sub);
}

fn accumulate(
    level: &Level,
    message: &[u64],
    degree: usize,
    target: &mut [u64],
    combine: impl Fn(&Modulus, u64, u64) -> u64,
) {
    let scaling = level.message_scaling();
    let plain_modulus = &scaling.plain_modulus;
    let half = plain_modulus.value().div_ceil(2);
    let limbs = level
        .moduli()
        .iter()
        .zip(&scaling.quotients)
        .zip(target.chunks_exact_mut(degree));
    for ((modulus, &quotient), limb) in limbs {
        for (word, &m) in limb.iter_mut().zip(message) {
            // m·remainder = rounded·t + rest, where Shoup's quotient is at most one too small.
            let mut rounded = high_product(m, scaling.remainder.quotient);
            let mut rest = m
                .wrapping_mul(scaling.remainder.value)
                .wrapping_sub(rounded.wrapping_mul(plain_modulus.value()))
                + half;
            // rest < 2t + (t+1)/2: at most two multiples of t are left in it.
            for _ in 0..2 {
                let reduced = rest.wrapping_sub(plain_modulus.value());
                let keep = ((reduced as i64) >> 63) as u64;
                rest = (rest & keep) | (reduced & !keep);
                rounded += 1 & !keep;
            }
            let scaled = modulus.mul_shoup_lazy(m, quotient);
            *word = combine(modulus, *word, modulus.reduce(scaled + rounded));
        }
    }
}

/// Writes the residues of the centred representatives of `message`: `m` below `(t+1)/2`, else `m − t`.
///
/// `out` has `n` words; those past the message become zero.
pub(crate) fn lift_centered(plain_modulus: u64, message: &[u64], modulus: &Modulus, out: &mut [u64]) {
    let threshold = plain_modulus.div_ceil(2);
    // m + (q − t mod q) is m − t modulo q.
    let offset = modulus.neg(modulus.reduce(plain_modulus));
    for (word, &m) in out.iter_mut().zip(message) {
        let above = ((threshold.wrapping_sub(m).wrapping_sub(1) as i64) >> 63) as u64;
        *word = modulus.reduce(m + (offset & above));
    }
    out[message.len()..].fill(0);
}

fn high_product(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}
