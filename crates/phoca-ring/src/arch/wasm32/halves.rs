//! The transform for primes below `2^31`, in vectors of four residues of 32 bits.
//!
//! The residues are moved to the first half of the array before the first stage and back after the last one. Products are
//! Montgomery's with `R = 2^32` ("Modular multiplication without trial division", 1985): a factor `w` is kept as `w·R`
//! modulo `q`, with `w·R·q^-1` modulo `R`. All residues are in `[0, q)` in between.

use core::arch::wasm32::*;

use super::{Words, load, store, subtract_once};
use crate::Buffer;
use crate::arch::{NttKernels, Prologue, Twiddles, portable};
use crate::modulus::Modulus;

pub(super) static NTT_KERNELS: NttKernels = NttKernels {
    name: "simd128, narrow",
    supports: |modulus, degree| degree >= MIN_DEGREE && modulus.bits() <= 31,
    prepare,
    forward: forward::<1>,
    forward_lazy: forward::<4>,
    forward_from,
    forward_lazy_from: forward_from,
    inverse: inverse::<1>,
    inverse_lazy: inverse::<2>,
    butterflies,
};

/// The innermost stages take two vectors at once.
const MIN_DEGREE: usize = 16;

/// `w·R mod q` in the lower half of a word and `w·R·q^-1 mod R` in the upper one. The modulus of a transform is odd.
fn prepare(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let q = modulus.value() as u32;
    // q is its own inverse modulo 8; each step doubles the number of right bits.
    let inverse = (0..4).fold(q, |inverse, _| inverse.wrapping_mul(2_u32.wrapping_sub(q.wrapping_mul(inverse))));
    let mut table = Buffer::zeroed(residues.len());
    for (word, &residue) in table.iter_mut().zip(residues) {
        let value = modulus.mul(residue, 1 << 32) as u32;
        *word = u64::from(value.wrapping_mul(inverse)) << 32 | u64::from(value);
    }
    table
}

/// A factor in each lane.
#[derive(Clone, Copy)]
struct Factor {
    value: v128,
    companion: v128,
}

impl Factor {
    #[inline(always)]
    fn splat(word: u64) -> Self {
        Self { value: u32x4_splat(word as u32), companion: u32x4_splat((word >> 32) as u32) }
    }

    /// Two factors in two lanes each.
    #[inline(always)]
    fn two(words: &Words) -> Self {
        let words = load(words);
        Self { value: u32x4_shuffle::<0, 0, 2, 2>(words, words), companion: u32x4_shuffle::<1, 1, 3, 3>(words, words) }
    }

    #[inline(always)]
    fn four([first, second]: &[Words; 2]) -> Self {
        let (first, second) = (load(first), load(second));
        Self { value: even(first, second), companion: odd(first, second) }
    }
}

/// A modulus in every lane.
#[derive(Clone, Copy)]
struct Lanes {
    q: v128,
}

impl Lanes {
    fn new(modulus: &Modulus) -> Self {
        Self { q: u32x4_splat(modulus.value() as u32) }
    }

    /// `x·w` in `[0, q)` for any lanes.
    #[inline(always)]
    fn product(&self, x: v128, w: Factor) -> v128 {
        // The lower halves of both products are the same, so the upper ones differ by the quotient by R, within (-q, q).
        let multiple = i32x4_mul(x, w.companion);
        let low = i64x2_sub(u64x2_extmul_low_u32x4(x, w.value), u64x2_extmul_low_u32x4(multiple, self.q));
        let high = i64x2_sub(u64x2_extmul_high_u32x4(x, w.value), u64x2_extmul_high_u32x4(multiple, self.q));
        self.raise(odd(low, high))
    }

    /// `(-q, q)` as lanes with a sign to `[0, q)`: the sum is smaller only where it wraps around.
    #[inline(always)]
    fn raise(&self, x: v128) -> v128 {
        u32x4_min(x, i32x4_add(x, self.q))
    }

    /// `x + y`.
    #[inline(always)]
    fn sum(&self, x: v128, y: v128) -> v128 {
        let sum = i32x4_add(x, y);
        u32x4_min(sum, i32x4_sub(sum, self.q))
    }

    /// `(x + w·y, x - w·y)`.
    #[inline(always)]
    fn forward(&self, [x, y]: [v128; 2], w: Factor) -> [v128; 2] {
        let product = self.product(y, w);
        [self.sum(x, product), self.raise(i32x4_sub(x, product))]
    }

    /// `(x + y, (x - y)·w)`.
    #[inline(always)]
    fn inverse(&self, [x, y]: [v128; 2], w: Factor) -> [v128; 2] {
        [self.sum(x, y), self.product(i32x4_sub(i32x4_add(x, self.q), y), w)]
    }
}

/// Lanes 0 and 2 of two vectors.
#[inline(always)]
fn even(x: v128, y: v128) -> v128 {
    u32x4_shuffle::<0, 2, 4, 6>(x, y)
}

/// Lanes 1 and 3 of two vectors.
#[inline(always)]
fn odd(x: v128, y: v128) -> v128 {
    u32x4_shuffle::<1, 3, 5, 7>(x, y)
}

/// Words below `BOUND·q`, which is 1, 2 or 4, to residues in the first half.
fn pack<const BOUND: u64>(modulus: &Modulus, a: &mut [Words]) {
    let (once, twice) = (u64x2_splat(modulus.value()), u64x2_splat(2 * modulus.value()));
    let residues = |words: &Words| {
        let mut x = load(words);
        if BOUND == 4 {
            x = subtract_once(x, twice);
        }
        if BOUND > 1 {
            x = subtract_once(x, once);
        }
        x
    };
    for i in 0..a.len() / 2 {
        let packed = even(residues(&a[2 * i]), residues(&a[2 * i + 1]));
        store(&mut a[i], packed);
    }
}

/// Back from the first half.
fn unpack(a: &mut [Words]) {
    for i in (0..a.len() / 2).rev() {
        let packed = load(&a[i]);
        store(&mut a[2 * i], u64x2_extend_low_u32x4(packed));
        store(&mut a[2 * i + 1], u64x2_extend_high_u32x4(packed));
    }
}

/// One stage, of `a.len() / len` blocks.
#[inline(always)]
fn stage(a: &mut [Words], len: usize, factors: &[u64], butterfly: impl Fn([v128; 2], Factor) -> [v128; 2]) {
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

/// Two blocks of four residues with their factors of the two innermost stages.
fn leaves<'a>(
    a: &'a mut [Words],
    factors: &'a [u64],
) -> impl Iterator<Item = (&'a mut [Words; 2], Factor, Factor)> + use<'a> {
    let (outer, inner) = (&factors[a.len()..2 * a.len()], &factors[2 * a.len()..]);
    let factors = outer.as_chunks().0.iter().zip(inner.as_chunks::<2>().0.as_chunks().0);
    let blocks = a.as_chunks_mut().0.iter_mut();
    blocks.zip(factors).map(|(block, (outer, inner))| (block, Factor::two(outer), Factor::four(inner)))
}

fn forward<const BOUND: u64>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let (lanes, factors) = (Lanes::new(modulus), &twiddles.forward);
    let words = a.as_chunks_mut().0;
    pack::<BOUND>(modulus, words);
    let (a, _) = words.split_at_mut(words.len() / 2);
    let mut blocks = 1;
    while blocks < a.len() {
        stage(a, a.len() / blocks, &factors[blocks..2 * blocks], |x, w| lanes.forward(x, w));
        blocks *= 2;
    }
    for ([u, v], outer, inner) in leaves(a, factors) {
        let (x, y) = (load(u), load(v));
        // Lanes 0 and 1 of the blocks, and 2 and 3; then 0 and 2, and 1 and 3.
        let x = [u64x2_shuffle::<0, 2>(x, y), u64x2_shuffle::<1, 3>(x, y)];
        let [x, y] = lanes.forward(x, outer);
        let x = [u32x4_shuffle::<0, 4, 2, 6>(x, y), u32x4_shuffle::<1, 5, 3, 7>(x, y)];
        let [x, y] = lanes.forward(x, inner);
        store(u, u32x4_shuffle::<0, 4, 1, 5>(x, y));
        store(v, u32x4_shuffle::<2, 6, 3, 7>(x, y));
    }
    unpack(words);
}

fn forward_from(modulus: &Modulus, twiddles: &Twiddles, out: &mut [u64], input: &[u64], prologue: Prologue) {
    portable::apply_prologue(modulus, prologue, out, input);
    forward::<4>(modulus, twiddles, out);
}

fn inverse<const BOUND: u64>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let (lanes, factors) = (Lanes::new(modulus), &twiddles.inverse);
    let words = a.as_chunks_mut().0;
    pack::<BOUND>(modulus, words);
    let (a, _) = words.split_at_mut(words.len() / 2);
    for ([u, v], outer, inner) in leaves(a, factors) {
        let (x, y) = (load(u), load(v));
        let [x, y] = lanes.inverse([even(x, y), odd(x, y)], inner);
        let x = [u32x4_shuffle::<0, 4, 2, 6>(x, y), u32x4_shuffle::<1, 5, 3, 7>(x, y)];
        let [x, y] = lanes.inverse(x, outer);
        store(u, u64x2_shuffle::<0, 2>(x, y));
        store(v, u64x2_shuffle::<1, 3>(x, y));
    }
    let mut blocks = a.len();
    while blocks > 2 {
        blocks /= 2;
        stage(a, a.len() / blocks, &factors[blocks..2 * blocks], |x, w| lanes.inverse(x, w));
    }
    // The last stage divides by n.
    let scale = Factor::splat(factors[0]);
    stage(a, a.len(), &factors[1..2], |x, w| {
        let [sum, product] = lanes.inverse(x, w);
        [lanes.product(sum, scale), product]
    });
    unpack(words);
}

fn butterflies(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 {
    let (lanes, w) = (Lanes::new(modulus), Factor::splat(twiddles.forward[1]));
    let mut columns = [[u32x4_splat(1); 2]; 8];
    for _ in 0..count.div_ceil(4 * 8) {
        columns = columns.map(|x| lanes.forward(x, w));
    }
    u64x2_extract_lane::<0>(columns.as_flattened().iter().fold(u32x4_splat(0), |sum, &x| i32x4_add(sum, x)))
}
