//! Remainders in words, with quotients by `q` that are rounded from doubles.
//!
//! A quotient is wrong by less than one, so the remainder, computed modulo `2^64`, is right but for one `q`.

use core::arch::wasm32::*;

use super::{MAGIC, Words, load, store, words};
use crate::arch::portable;
use crate::modulus::Modulus;

/// Any words.
pub(super) fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) {
    // Quotients are to be below 2^36: then they are off by less than 2^-16 and, for a double that is off by 2^10, by 2^-18.
    if modulus.bits() <= 28 {
        return words::reduce_into(modulus, out, a);
    }
    let remainder = Remainder::new(modulus);
    let ((pairs, rest), (a, a_rest)) = (out.as_chunks_mut(), a.as_chunks());
    for (out, a) in pairs.iter_mut().zip(a) {
        let a = load(a);
        let [high, low] = [u64x2_shr(a, 32), v128_and(a, u64x2_splat(0xffff_ffff))].map(double);
        let rounded = f64x2_add(f64x2_mul(high, f64x2_splat(4_294_967_296.0)), low);
        store(out, remainder.of(a, rounded));
    }
    rest.iter_mut().zip(a_rest).for_each(|(out, &a)| *out = modulus.reduce(a));
}

/// `x + a·b`, or `x - a·b` where `NEGATIVE`.
pub(super) fn add_product_into<const NEGATIVE: bool>(
    modulus: &Modulus,
    out: &mut [u64],
    x: &[u64],
    [a, b]: [&[u64]; 2],
) {
    // Sums are below 2^(2·bits + 2). Their two roundings are less than 2^(bits - 49)·q ≤ q/4, and those of the quotient, at
    // most 2^(bits + 2), less than 1/8.
    if modulus.bits() > 47 {
        return portable::add_product_into::<NEGATIVE>(modulus, out, x, [a, b]);
    }
    let remainder = Remainder::new(modulus);
    let step = |out: &mut Words, [x, a, b]: [&Words; 3]| {
        let [x, a, b] = [x, a, b].map(load);
        let b = if NEGATIVE { i64x2_sub(remainder.q, b) } else { b };
        let rounded = f64x2_add(f64x2_mul(double(a), double(b)), double(x));
        store(out, remainder.of(i64x2_add(i64x2_mul(a, b), x), rounded));
    };
    let (pairs, rest) = out.as_chunks_mut();
    let ([x, a, b], rests) = split([x, a, b]);
    for (i, out) in pairs.iter_mut().enumerate() {
        step(out, [&x[i], &a[i], &b[i]]);
    }
    if let [word] = rest {
        let mut pair = [0; 2];
        step(&mut pair, rests.each_ref());
        [*word, _] = pair;
    }
}

/// Pairs of words, and what is left with a zero behind it.
fn split(inputs: [&[u64]; 3]) -> ([&[Words]; 3], [Words; 3]) {
    (
        inputs.map(|input| input.as_chunks().0),
        inputs.map(|input| [input.as_chunks::<2>().1.first().copied().unwrap_or(0), 0]),
    )
}

/// Words below `2^52` as doubles.
#[inline(always)]
fn double(words: v128) -> v128 {
    let magic = f64x2_splat(MAGIC);
    f64x2_sub(v128_or(words, magic), magic)
}

/// A modulus and its inverse in both lanes.
struct Remainder {
    q: v128,
    inverse: v128,
}

impl Remainder {
    fn new(modulus: &Modulus) -> Self {
        Self { q: u64x2_splat(modulus.value()), inverse: f64x2_splat(1.0 / modulus.value() as f64) }
    }

    /// `x mod q` from `x` modulo `2^64` and as a double, with a quotient below `2^51` that is off by less than 1/2 before it
    /// is rounded.
    #[inline(always)]
    fn of(&self, exact: v128, rounded: v128) -> v128 {
        let magic = f64x2_splat(MAGIC);
        let quotient = v128_xor(f64x2_add(f64x2_mul(rounded, self.inverse), magic), magic);
        let rest = i64x2_sub(exact, i64x2_mul(quotient, self.q));
        i64x2_add(rest, v128_and(i64x2_lt(rest, i64x2_splat(0)), self.q))
    }
}
