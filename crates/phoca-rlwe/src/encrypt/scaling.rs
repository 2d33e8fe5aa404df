//! How a BFV or BGV message enters the ciphertext ring.

use phoca_ring::Modulus;

use crate::context::{Context, Level, MessageScaling};

/// Adds `round(q·m/t)` to a polynomial modulo the level's `q`, in coefficient form.
///
/// With `q = floor(q/t)·t + r`, this is `m·floor(q/t) + floor((m·r + floor((t+1)/2)) / t)`: the rounding keeps fresh
/// noise independent of the message. Coefficients of `message` are in `[0, t)`; missing ones are zero.
pub(crate) fn add_scaled(context: &Context, level: &Level, message: &[u64], target: &mut [u64]) {
    accumulate(context, level, message, target, Modulus::add);
}

/// Subtracts `round(q·m/t)`; otherwise as [`add_scaled`].
pub(crate) fn sub_scaled(context: &Context, level: &Level, message: &[u64], target: &mut [u64]) {
    accumulate(context, level, message, target, Modulus::sub);
}

fn accumulate(
    context: &Context,
    level: &Level,
    message: &[u64],
    target: &mut [u64],
    combine: impl Fn(&Modulus, u64, u64) -> u64,
) {
    let scaling = level.message_scaling();
    let mut roundings = context.buffers().take(message.len());
    for (rounding, &m) in roundings.iter_mut().zip(message) {
        *rounding = scaling.rounding(m);
    }
    let limbs = level.moduli().iter().zip(&scaling.quotients).zip(target.chunks_exact_mut(context.degree()));
    for ((modulus, &quotient), limb) in limbs {
        for (word, (&m, &rounding)) in limb.iter_mut().zip(message.iter().zip(&*roundings)) {
            // Below 2q + t: a word.
            *word = combine(modulus, *word, modulus.reduce(modulus.mul_shoup_lazy(m, quotient) + rounding));
        }
    }
    roundings.wipe();
}

impl MessageScaling {
    /// `floor((m·r + floor((t+1)/2)) / t)` with `r = q mod t`, for `m` in `[0, t)`. Constant time.
    #[inline]
    fn rounding(&self, m: u64) -> u64 {
        let t = self.plain_modulus.value();
        // m·r = quotient·t + rest, where Shoup's quotient is at most one too small.
        let mut quotient = ((u128::from(m) * u128::from(self.remainder.quotient)) >> 64) as u64;
        let mut rest = m.wrapping_mul(self.remainder.value).wrapping_sub(quotient.wrapping_mul(t)) + t.div_ceil(2);
        // rest < 2t + (t+1)/2: at most two multiples of t are left in it.
        for _ in 0..2 {
            let reduced = rest.wrapping_sub(t);
            let below = ((reduced as i64) >> 63) as u64;
            rest = (rest & below) | (reduced & !below);
            quotient += 1 & !below;
        }
        quotient
    }
}

/// Combines each limb of a polynomial in NTT form with the message, lifted centred and transformed.
///
/// Coefficients of `message` are in `[0, t)`; missing ones are zero.
pub(crate) fn combine_lifted(
    context: &Context,
    message: &[u64],
    target: &mut [u64],
    combine: impl Fn(&Modulus, &mut [u64], &[u64]),
) {
    let degree = context.degree();
    let mut lifted = context.buffers().take(degree);
    for (table, limb) in context.tables().iter().zip(target.chunks_exact_mut(degree)) {
        lift_centered(context.plain_modulus(), message, table.modulus(), &mut lifted);
        table.forward(&mut lifted);
        combine(table.modulus(), limb, &lifted);
    }
    lifted.wipe();
}

/// Writes the residues of the centred representatives of `message`: `m` below `(t+1)/2`, else `m − t`.
///
/// `out` has `n` words; those past the message become zero.
pub(crate) fn lift_centered(plain_modulus: u64, message: &[u64], modulus: &Modulus, out: &mut [u64]) {
    let threshold = plain_modulus.div_ceil(2);
    // m + (q − t mod q) is m − t modulo q.
    let offset = modulus.neg(modulus.reduce(plain_modulus));
    let lift = |m: u64| {
        let above = ((threshold.wrapping_sub(m).wrapping_sub(1) as i64) >> 63) as u64;
        m + (offset & above)
    };
    if plain_modulus <= modulus.value() {
        out.iter_mut().zip(message).for_each(|(word, &m)| *word = lift(m));
    } else {
        out.iter_mut().zip(message).for_each(|(word, &m)| *word = modulus.reduce(lift(m)));
    }
    out[message.len()..].fill(0);
}
