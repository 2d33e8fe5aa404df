//! Products of whole words, and the transform for primes of more than 50 bits, in vectors of two words.
//!
//! A Shoup product takes its high word from products of 32 bits, as an estimate that saves the carries.

use core::arch::wasm32::*;

use super::{Words, load, store, subtract_once};
use crate::arch::{Arch, Kernels, NttKernels, Prologue, Twiddles, portable};
use crate::modulus::{Modulus, Shoup};

/// Products with one scalar; sums are loops that the compiler turns into vectors itself.
pub(super) const fn kernels(arch: Arch) -> Kernels {
    Kernels { arch, mul_scalar_assign, mul_scalar_into, mul_scalar_add_assign, reduce_into, ..portable::KERNELS }
}

/// For every prime.
pub(super) static NTT_KERNELS: NttKernels = NttKernels {
    name: "simd128, wide",
    supports: |_, degree| degree >= MIN_DEGREE,
    forward: forward::<true>,
    forward_lazy: forward::<false>,
    forward_from: forward_from::<true>,
    forward_lazy_from: forward_from::<false>,
    inverse: inverse::<true>,
    inverse_lazy: inverse::<false>,
    butterflies,
    ..portable::NTT_KERNELS
};

/// Smaller transforms are no faster than the portable ones.
const MIN_DEGREE: usize = 16;

fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) {
    let (q, factor) = (Multiples::new(modulus), Factor::splat([w.value, w.quotient]));
    let (pairs, rest) = a.as_chunks_mut();
    for pair in pairs {
        store(pair, q.residues(q.product(load(pair), factor)));
    }
    rest.iter_mut().for_each(|a| *a = modulus.mul_shoup(*a, w));
}

fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
    let (q, factor) = (Multiples::new(modulus), Factor::splat([w.value, w.quotient]));
    map_2(out, a, |_, a| q.residues(q.product(a, factor)));
}

fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup) {
    let (q, factor) = (Multiples::new(modulus), Factor::splat([w.value, w.quotient]));
    map_2(acc, a, |acc, a| subtract_once(i64x2_add(acc, q.residues(q.product(a, factor))), q.once));
}

pub(super) fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) {
    mul_scalar_into(modulus, out, a, modulus.shoup(1));
}

/// `a ← f(a, b)`.
#[inline(always)]
fn map_2(a: &mut [u64], b: &[u64], f: impl Fn(v128, v128) -> v128) {
    let step = |a: &mut Words, b: &Words| store(a, f(load(a), load(b)));
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks_mut(), b.as_chunks());
    for (a, b) in a.iter_mut().zip(b) {
        step(a, b);
    }
    if let ([a], [b]) = (a_rest, b_rest) {
        let mut pair = [*a, 0];
        step(&mut pair, &[*b, 0]);
        [*a, _] = pair;
    }
}

/// Multiples of a modulus in both lanes.
#[derive(Clone, Copy)]
struct Multiples {
    once: v128,
    twice: v128,
}

/// Residues with their Shoup quotients, these as `[low, low, low, low]` and `[high, high, high, high]` of 32 bits.
#[derive(Clone, Copy)]
struct Factor {
    value: v128,
    low: v128,
    high: v128,
}

impl Factor {
    #[inline(always)]
    fn new(value: v128, quotient: v128) -> Self {
        let low = u32x4_shuffle::<0, 2, 0, 2>(quotient, quotient);
        Self { value, low, high: u32x4_shuffle::<1, 3, 1, 3>(quotient, quotient) }
    }

    /// One factor in both lanes.
    #[inline(always)]
    fn splat([value, quotient]: [u64; 2]) -> Self {
        Self::new(u64x2_splat(value), u64x2_splat(quotient))
    }

    /// A factor for each lane.
    #[inline(always)]
    fn pair([first, second]: &[Words; 2]) -> Self {
        let (first, second) = (load(first), load(second));
        Self::new(lower(first, second), upper(first, second))
    }
}

impl Multiples {
    #[inline(always)]
    fn new(modulus: &Modulus) -> Self {
        Self { once: u64x2_splat(modulus.value()), twice: u64x2_splat(2 * modulus.value()) }
    }

    /// `x·w` in `[0, 2q)` for any words.
    #[inline(always)]
    fn product(&self, x: v128, w: Factor) -> v128 {
        // Low halves, then high halves. The quotient is too small by less than 2 for Shoup's rounding and by at most 2 for
        // the carries of the low halves: the rest is below 4q.
        let halves = u32x4_shuffle::<0, 2, 1, 3>(x, x);
        let first = u64x2_shr(u64x2_extmul_low_u32x4(halves, w.high), 32);
        let second = u64x2_shr(u64x2_extmul_high_u32x4(halves, w.low), 32);
        let quotient = i64x2_add(i64x2_add(u64x2_extmul_high_u32x4(halves, w.high), first), second);
        let rest = i64x2_sub(i64x2_mul(x, w.value), i64x2_mul(quotient, self.once));
        subtract_once(rest, self.twice)
    }

    /// `[0, 2q)` to `[0, q)`.
    #[inline(always)]
    fn residues(&self, x: v128) -> v128 {
        subtract_once(x, self.once)
    }

    /// `[0, 4q)` to `[0, q)` if strict, else as it is.
    #[inline(always)]
    fn finish<const STRICT: bool>(&self, x: v128) -> v128 {
        if STRICT { self.residues(subtract_once(x, self.twice)) } else { x }
    }

    /// `(x + w·y, x - w·y)` in `[0, 4q)`, from there.
    #[inline(always)]
    fn forward(&self, [x, y]: [v128; 2], w: Factor) -> [v128; 2] {
        let (x, product) = (subtract_once(x, self.twice), self.product(y, w));
        [i64x2_add(x, product), i64x2_sub(i64x2_add(x, self.twice), product)]
    }

    /// `x + y` in `[0, 4q)` and `(x - y)·w` in `[0, 2q)` for `x` and `y` in `[0, 2q)`.
    #[inline(always)]
    fn inverse(&self, [x, y]: [v128; 2], w: Factor) -> [v128; 2] {
        [i64x2_add(x, y), self.product(i64x2_sub(i64x2_add(x, self.twice), y), w)]
    }
}

#[inline(always)]
fn lower(x: v128, y: v128) -> v128 {
    u64x2_shuffle::<0, 2>(x, y)
}

#[inline(always)]
fn upper(x: v128, y: v128) -> v128 {
    u64x2_shuffle::<1, 3>(x, y)
}

/// One stage, of `a.len() / len` blocks.
#[inline(always)]
fn stage(a: &mut [Words], len: usize, factors: &[Words], butterfly: impl Fn([v128; 2], Factor) -> [v128; 2]) {
    for (block, &w) in a.chunks_exact_mut(len).zip(factors) {
        let w = Factor::splat(w);
        let (low, high) = block.split_at_mut(len / 2);
        for (x, y) in low.iter_mut().zip(high) {
            let outputs = butterfly([load(x), load(y)], w);
            store(x, outputs[0]);
            store(y, outputs[1]);
        }
    }
}

/// The stage within pairs of neighbours, two pairs at a time.
#[inline(always)]
fn narrow_stage(a: &mut [Words], factors: &[Words], butterfly: impl Fn([v128; 2], Factor) -> [v128; 2]) {
    for ([u, v], w) in a.as_chunks_mut().0.iter_mut().zip(factors.as_chunks().0) {
        let inputs = [lower(load(u), load(v)), upper(load(u), load(v))];
        let [x, y] = butterfly(inputs, Factor::pair(w));
        store(u, lower(x, y));
        store(v, upper(x, y));
    }
}

fn forward<const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let (q, factors) = (Multiples::new(modulus), twiddles.forward.as_chunks().0);
    let a = a.as_chunks_mut().0;
    let mut blocks = 1;
    while blocks < a.len() {
        stage(a, a.len() / blocks, &factors[blocks..2 * blocks], |x, w| q.forward(x, w));
        blocks *= 2;
    }
    narrow_stage(a, &factors[blocks..], |x, w| q.forward(x, w).map(|x| q.finish::<STRICT>(x)));
}

fn forward_from<const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    portable::apply_prologue(modulus, prologue, out, input);
    forward::<STRICT>(modulus, twiddles, out);
}

fn inverse<const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let (q, factors) = (Multiples::new(modulus), twiddles.inverse.as_chunks().0);
    let a = a.as_chunks_mut().0;
    let butterfly = |x, w| {
        let [sum, product] = q.inverse(x, w);
        [subtract_once(sum, q.twice), product]
    };
    let mut blocks = a.len();
    narrow_stage(a, &factors[blocks..], butterfly);
    while blocks > 2 {
        blocks /= 2;
        stage(a, a.len() / blocks, &factors[blocks..2 * blocks], butterfly);
    }
    // The last stage divides by n.
    let scale = Factor::splat(factors[0]);
    stage(a, a.len(), &factors[1..2], |x, w| {
        let [sum, product] = q.inverse(x, w);
        [q.product(sum, scale), product].map(|x| q.finish::<STRICT>(x))
    });
}

fn butterflies(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 {
    let (q, w) = (Multiples::new(modulus), Factor::splat(twiddles.forward.as_chunks().0[1]));
    let mut columns = [[u64x2_splat(1); 2]; 8];
    for _ in 0..count.div_ceil(2 * 8) {
        columns = columns.map(|x| q.forward(x, w));
    }
    u64x2_extract_lane::<0>(columns.as_flattened().iter().fold(u64x2_splat(0), |sum, &x| i64x2_add(sum, x)))
}
