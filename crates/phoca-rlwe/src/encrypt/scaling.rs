//! How a BFV or BGV message enters the ciphertext ring.

use phoca_ring::{Modulus, Shoup};
use zeroize::Zeroizing;

use super::small::{self, Small};
use crate::context::{Context, Level};

/// Adds `round(q·m/t)` to a polynomial modulo the level's `q`, in coefficient form.
///
/// With `q = floor(q/t)·t + r`, this is `m·floor(q/t) + floor((m·r + floor((t+1)/2)) / t)`: the rounding keeps fresh
/// noise independent of the message. Coefficients of `message` are in `[0, t)`; missing ones are zero.
pub(crate) fn add_scaled(context: &Context, level: &Level, message: &[u64], target: &mut [u64]) {
    accumulate(context, level, message, target, Modulus::add_scaled_assign);
}

/// Subtracts `round(q·m/t)`; otherwise as [`add_scaled`].
pub(crate) fn sub_scaled(context: &Context, level: &Level, message: &[u64], target: &mut [u64]) {
    accumulate(context, level, message, target, Modulus::sub_scaled_assign);
}

fn accumulate(
    context: &Context,
    level: &Level,
    message: &[u64],
    target: &mut [u64],
    combine: impl Fn(&Modulus, &mut [u64], &[u64], Shoup, &[u64]),
) {
    let scaling = level.message_scaling();
    let (t, len) = (&scaling.plain_modulus, message.len());
    let mut roundings = Zeroizing::new(context.buffers().take(len));
    t.scaled_roundings_into(&mut roundings, message, scaling.remainder);
    let reduced_len = if level.has_fast_plain_lift() { 0 } else { 2 * len };
    let mut reduced = Zeroizing::new(context.buffers().take(reduced_len));
    let limbs = level.moduli().iter().zip(&scaling.quotients).zip(target.chunks_exact_mut(context.degree()));
    for ((modulus, &quotient), limb) in limbs {
        let limb = &mut limb[..len];
        if t.value() < modulus.value() {
            combine(modulus, limb, message, quotient, &roundings);
        } else {
            let (message_residues, rounding_residues) = reduced.split_at_mut(len);
            modulus.reduce_into(message_residues, message);
            modulus.reduce_into(rounding_residues, &roundings);
            combine(modulus, limb, message_residues, quotient, rounding_residues);
        }
    }
}

/// Combines each limb of a polynomial in NTT form with the message, taken centred and transformed.
///
/// Coefficients of `message` are in `[0, t)`; missing ones are zero.
pub(crate) fn combine_transformed(
    context: &Context,
    plain_modulus: &Modulus,
    message: &[u64],
    target: &mut [u64],
    combine: impl Fn(&Modulus, &mut [u64], &[u64]),
) {
    let degree = context.degree();
    let words = small::message_words(context, plain_modulus, message);
    let mut values = Zeroizing::new(context.buffers().take(degree));
    for (table, limb) in context.tables().iter().zip(target.chunks_exact_mut(degree)) {
        Small::message(&words, plain_modulus).transform_strict(table, &mut values);
        combine(table.modulus(), limb, &values);
    }
}
