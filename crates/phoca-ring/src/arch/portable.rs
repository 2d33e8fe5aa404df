//! Kernels in plain 64-bit integer code: the reference for all others.
//!
//! The transforms are Harvey's ("Faster arithmetic for number-theoretic transforms", 2014): lazy butterflies with Shoup
//! products, two stages per pass over the memory, with reductions only where words would outgrow 64 bits.

use crate::arch::{Arch, Kernels, NttKernels};
use crate::columns::PLACES;
use crate::modulus::{Modulus, Shoup};

mod ntt;

pub(crate) use ntt::NTT_KERNELS;
// Nobody but the vectors' transforms applies one on its own.
#[cfg_attr(
    all(target_family = "wasm", not(target_feature = "simd128")),
    allow(unused_imports, reason = "a build without vectors")
)]
pub(crate) use ntt::apply_prologue;

/// All kernels for slices.
pub(crate) static SLICE_KERNELS: &[&Kernels] = &[&KERNELS];

/// All transforms.
pub(crate) static TRANSFORMS: &[&NttKernels] = &[&NTT_KERNELS];

pub(crate) static KERNELS: Kernels = Kernels {
    arch: Arch::Portable,
    max_bits: 61,
    add_assign,
    sub_assign,
    negate_assign,
    add_scalar_assign,
    mul_assign,
    mul_into,
    mul_add_assign,
    mul_scalar_assign,
    mul_scalar_into,
    scale_into: mul_scalar_into,
    add_scaled_assign,
    sub_scaled_assign,
    reduce_into,
    sub_mul_scalar_into,
    mul_scalar_add_assign,
    dot_into,
    add_product_into: add_product_into::<false>,
    sub_product_into: add_product_into::<true>,
    dot_pair_into,
    dot_pair_narrow_into: None,
    tensor_into,
    linear_combination_into,
    round_fractions_into,
    permute_blocks,
    columns_to_blocks,
    blocks_to_columns,
};

pub(crate) fn add_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = modulus.add(*a, b);
    }
}

pub(crate) fn sub_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = modulus.sub(*a, b);
    }
}

pub(crate) fn negate_assign(modulus: &Modulus, a: &mut [u64]) {
    for a in a {
        *a = modulus.neg(*a);
    }
}

pub(crate) fn add_scalar_assign(modulus: &Modulus, a: &mut [u64], c: u64) {
    for a in a {
        *a = modulus.add(*a, c);
    }
}

pub(crate) fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
    for (a, &b) in a.iter_mut().zip(b) {
        *a = modulus.mul_residues(*a, b);
    }
}

pub(crate) fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = modulus.mul_residues(a, b);
    }
}

pub(crate) fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    for ((acc, &a), &b) in acc.iter_mut().zip(a).zip(b) {
        *acc = modulus.add(*acc, modulus.mul_residues(a, b));
    }
}

pub(crate) fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) {
    for a in a {
        *a = modulus.mul_shoup(*a, w);
    }
}

pub(crate) fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = modulus.mul_shoup(a, w);
    }
}

pub(crate) fn add_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
    for ((acc, &a), &b) in acc.iter_mut().zip(a).zip(b) {
        *acc = modulus.reduce_once(*acc + modulus.reduce_once(modulus.mul_shoup(a, w) + b));
    }
}

pub(crate) fn sub_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
    for ((acc, &a), &b) in acc.iter_mut().zip(a).zip(b) {
        *acc = modulus.sub(*acc, modulus.reduce_once(modulus.mul_shoup(a, w) + b));
    }
}

pub(crate) fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = modulus.reduce(a);
    }
}

pub(crate) fn sub_mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup) {
    let fourfold = 4 * modulus.value();
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = modulus.mul_shoup(a + fourfold - b, w);
    }
}

pub(crate) fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup) {
    for (acc, &a) in acc.iter_mut().zip(a) {
        *acc = modulus.add(*acc, modulus.mul_shoup(a, w));
    }
}

/// Words of 64 or 32 bits.
pub(crate) trait Word: Copy + Into<u128> {}

impl Word for u64 {}
impl Word for u32 {}

/// Columns whose double-word sums are in registers at once.
const COLUMNS: usize = 4;

/// The words `b` may be of 32 bits, here and below.
pub(crate) fn dot_into<W: Word>(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[W]]) {
    // Products are below 4q·q, so this many are below 2^(64 + bits).
    if a.len() as u64 > 1 << (62 - modulus.bits()) {
        return dot_many(modulus, out, a, b);
    }
    // 7·4q² is below 2^(62 + bits) up to 57 bits.
    if (3..=57).contains(&modulus.bits()) {
        dot_few::<true, _>(modulus, out, a, b);
    } else {
        dot_few::<false, _>(modulus, out, a, b);
    }
}

/// A sum of two products, whichever kernels sum them, where `b` may be a secret.
pub(crate) fn add_product_into<const NEGATIVE: bool>(
    modulus: &Modulus,
    out: &mut [u64],
    x: &[u64],
    [a, b]: [&[u64]; 2],
) {
    // So that what is in between stays in the first cache.
    const BLOCK: usize = 512;
    const ONES: [u64; BLOCK] = [1; BLOCK];
    let mut negated = [0; BLOCK];
    let terms = x.chunks(BLOCK).zip(a.chunks(BLOCK)).zip(b.chunks(BLOCK));
    for (out, ((x, a), mut b)) in out.chunks_mut(BLOCK).zip(terms) {
        if NEGATIVE {
            let negated = &mut negated[..b.len()];
            negated.copy_from_slice(b);
            modulus.negate_assign(negated);
            b = negated;
        }
        modulus.dot_into(out, &[x, a], &[&ONES[..x.len()], b]);
    }
    if NEGATIVE {
        // In a way that the compiler keeps.
        negated.fill(0);
        zeroize::optimization_barrier(&negated);
    }
}

pub(crate) fn dot_pair_into<W: Word>(
    modulus: &Modulus,
    [out0, out1]: [&mut [u64]; 2],
    a: &[&[u64]],
    [b0, b1]: [&[&[W]]; 2],
) {
    dot_into(modulus, out0, a, b0);
    dot_into(modulus, out1, a, b1);
}

fn dot_few<const NARROW: bool, W: Word>(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[W]]) {
    match a.len() {
        1 => dot_terms::<1, NARROW, _>(modulus, out, a, b),
        2 => dot_terms::<2, NARROW, _>(modulus, out, a, b),
        3 => dot_terms::<3, NARROW, _>(modulus, out, a, b),
        4 => dot_terms::<4, NARROW, _>(modulus, out, a, b),
        5 => dot_terms::<5, NARROW, _>(modulus, out, a, b),
        6 => dot_terms::<6, NARROW, _>(modulus, out, a, b),
        7 => dot_terms::<MAX_FEW, NARROW, _>(modulus, out, a, b),
        _ => dot_many(modulus, out, a, b),
    }
}

fn dot_terms<const T: usize, const NARROW: bool, W: Word>(
    modulus: &Modulus,
    out: &mut [u64],
    a: &[&[u64]],
    b: &[&[W]],
) {
    let pairs: [(&[u64], &[W]); T] = core::array::from_fn(|j| (&a[j][..out.len()], &b[j][..out.len()]));
    let reduction = ShortReduction::<NARROW>::new(modulus);
    for (index, out) in out.iter_mut().enumerate() {
        let products = pairs.iter().map(|(a, b)| u128::from(a[index]) * b[index].into());
        *out = reduction.reduce(products.sum());
    }
}

fn dot_many<W: Word>(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[W]]) {
    let terms = terms_per_reduction(2 * modulus.bits() + 2);
    let (blocks, rest) = out.as_chunks_mut::<COLUMNS>();
    let done = blocks.len() * COLUMNS;
    for (index, block) in blocks.iter_mut().enumerate() {
        *block = dot_columns(modulus, terms, index * COLUMNS, a, b);
    }
    for (index, word) in rest.iter_mut().enumerate() {
        [*word] = dot_columns(modulus, terms, done + index, a, b);
    }
}

#[inline]
fn dot_columns<const C: usize, W: Word>(
    modulus: &Modulus,
    terms: usize,
    start: usize,
    a: &[&[u64]],
    b: &[&[W]],
) -> [u64; C] {
    let mut residues = [0; C];
    for (a, b) in a.chunks(terms).zip(b.chunks(terms)) {
        let mut sums = residues.map(u128::from);
        for (a, b) in a.iter().zip(b) {
            for ((sum, &a), &b) in sums.iter_mut().zip(&a[start..start + C]).zip(&b[start..start + C]) {
                *sum += u128::from(a) * b.into();
            }
        }
        residues = sums.map(|sum| modulus.reduce_u128(sum));
    }
    residues
}

/// With the kernels of the modulus, which may be others than these.
pub(crate) fn tensor_into(modulus: &Modulus, out: [&mut [u64]; 3], [a0, a1]: [&[u64]; 2], [b0, b1]: [&[u64]; 2]) {
    let [out0, out1, out2] = out;
    modulus.mul_into(out0, a0, b0);
    modulus.dot_into(out1, &[a0, a1], &[b1, b0]);
    modulus.mul_into(out2, a1, b1);
}

/// The meaning is that of `Modulus::round_fractions_into`, for any words whose products and sums fit.
pub(crate) fn round_fractions_into(out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32) {
    let len = out.len();
    let (blocks, rest) = out.as_chunks_mut::<COLUMNS>();
    let done = blocks.len() * COLUMNS;
    for (index, block) in blocks.iter_mut().enumerate() {
        *block = round_columns(index * COLUMNS, len, inputs, reciprocals, bits);
    }
    for (index, word) in rest.iter_mut().enumerate() {
        [*word] = round_columns(done + index, len, inputs, reciprocals, bits);
    }
}

/// `C` words of rounded sums of fractions from `start`; the inputs have `len` words each.
#[inline]
pub(crate) fn round_columns<const C: usize>(
    start: usize,
    len: usize,
    inputs: &[u64],
    reciprocals: &[u128],
    bits: u32,
) -> [u64; C] {
    let mut sums = [(1_u128 << (bits - 1)) - 1; C];
    for (input, &reciprocal) in inputs.chunks_exact(len).zip(reciprocals) {
        for (sum, &y) in sums.iter_mut().zip(&input[start..start + C]) {
            *sum += u128::from(y) * reciprocal;
        }
    }
    sums.map(|sum| (sum >> bits) as u64)
}

pub(crate) fn permute_blocks(out: &mut [u64], input: &[u64], blocks: &[u64], orders: &[[u64; 8]; 8]) {
    let input = input.as_chunks::<8>().0;
    for (out, &block) in out.as_chunks_mut::<8>().0.iter_mut().zip(blocks) {
        let (source, order) = (&input[block as usize / 8], &orders[block as usize % 8]);
        *out = order.map(|place| source[place as usize % 8]);
    }
}

pub(crate) fn columns_to_blocks(out: &mut [u64], matrix: &[u64], columns: &[u32]) {
    let blocks = out.as_chunks_mut::<8>().0;
    for (k, &column) in columns.iter().enumerate() {
        let (block, places) = (&mut blocks[column as usize / 32], &PLACES[column as usize % 32]);
        let rows = matrix.chunks_exact(columns.len());
        rows.zip(places).for_each(|(row, &place)| block[place as usize % 8] = row[k]);
    }
}

pub(crate) fn blocks_to_columns(matrix: &mut [u64], input: &[u64], columns: &[u32]) {
    let blocks = input.as_chunks::<8>().0;
    for (k, &column) in columns.iter().enumerate() {
        let (block, places) = (&blocks[column as usize / 32], &PLACES[column as usize % 32]);
        let rows = matrix.chunks_exact_mut(columns.len());
        rows.zip(places).for_each(|(row, &place)| row[k] = block[place as usize % 8]);
    }
}

pub(crate) fn linear_combination_into(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64], _: u32) {
    match inputs.len() {
        2 => linear_terms::<2>(modulus, out, inputs, weights),
        3 => linear_terms::<3>(modulus, out, inputs, weights),
        4 => linear_terms::<4>(modulus, out, inputs, weights),
        5 => linear_terms::<5>(modulus, out, inputs, weights),
        6 => linear_terms::<6>(modulus, out, inputs, weights),
        7 => linear_terms::<MAX_FEW>(modulus, out, inputs, weights),
        _ => linear_many(modulus, out, inputs, weights),
    }
}

fn linear_terms<const T: usize>(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64]) {
    let inputs: [&[u64]; T] = core::array::from_fn(|j| &inputs[j][..out.len()]);
    let weights: [u64; T] = core::array::from_fn(|j| weights[j]);
    let reduction = ShortReduction::<false>::new(modulus);
    for (index, out) in out.iter_mut().enumerate() {
        let terms = inputs.iter().zip(&weights);
        *out = reduction.reduce(terms.map(|(input, &weight)| u128::from(input[index]) * u128::from(weight)).sum());
    }
}

/// A shorter Barrett reduction than any double word needs, for sums below `2^(64 + bits)`, or `2^(62 + bits)` if narrow.
///
/// `s = floor(sum / 2^shift)` is then a word. The quotient `floor(s·floor(2^(bits + 62) / q) / 2^(bits + 62 - shift))` is
/// below `sum / q` by at most `2^shift / q` for the first rounding, `s / 2^(bits + 62 - shift)` for the second and 1 for
/// the last. With `shift = bits` these are 2, 4 and 1: the remainder is below `7q`. If narrow, `shift = bits - 2`, the
/// quotient is the high word of the product, and they are 1/2, 1 and 1.
#[derive(Clone, Copy)]
struct ShortReduction<const NARROW: bool> {
    q: u64,
    ratio: u64,
    shift: u32,
}

/// The most terms of the sums with loops of their own; sums of 7 products of words below `2^61` and residues fit.
const MAX_FEW: usize = 7;

impl<const NARROW: bool> ShortReduction<NARROW> {
    /// At least 3 bits if narrow.
    fn new(modulus: &Modulus) -> Self {
        let shift = if NARROW { modulus.bits() - 2 } else { modulus.bits() };
        Self { q: modulus.value(), ratio: modulus.product_ratio(), shift }
    }

    #[inline(always)]
    fn reduce(self, sum: u128) -> u64 {
        let (high, low) = ((sum >> 64) as u64, sum as u64);
        let scaled = high << (64 - self.shift) | low >> self.shift;
        let quotient = ((u128::from(scaled) * u128::from(self.ratio)) >> if NARROW { 64 } else { 62 }) as u64;
        let mut remainder = low.wrapping_sub(quotient.wrapping_mul(self.q));
        if !NARROW {
            remainder = remainder.min(remainder.wrapping_sub(4 * self.q));
        }
        for multiple in [2 * self.q, self.q] {
            remainder = remainder.min(remainder.wrapping_sub(multiple));
        }
        remainder
    }
}

fn linear_many(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64]) {
    let terms = terms_per_reduction(modulus.bits() + 61);
    let (blocks, rest) = out.as_chunks_mut::<COLUMNS>();
    let done = blocks.len() * COLUMNS;
    for (index, block) in blocks.iter_mut().enumerate() {
        *block = linear_columns(modulus, terms, index * COLUMNS, inputs, weights);
    }
    for (index, word) in rest.iter_mut().enumerate() {
        [*word] = linear_columns(modulus, terms, done + index, inputs, weights);
    }
}

#[inline]
fn linear_columns<const C: usize>(
    modulus: &Modulus,
    terms: usize,
    start: usize,
    inputs: &[&[u64]],
    weights: &[u64],
) -> [u64; C] {
    let mut residues = [0; C];
    for (inputs, weights) in inputs.chunks(terms).zip(weights.chunks(terms)) {
        let mut sums = residues.map(u128::from);
        for (input, &weight) in inputs.iter().zip(weights) {
            for (sum, &a) in sums.iter_mut().zip(&input[start..start + C]) {
                *sum += u128::from(a) * u128::from(weight);
            }
        }
        residues = sums.map(|sum| modulus.reduce_u128(sum));
    }
    residues
}

/// How many products below `2^product_bits`, with `product_bits ≤ 124`, fit in 128 bits together with one residue.
fn terms_per_reduction(product_bits: u32) -> usize {
    (1 << (128 - product_bits).min(16)) - 1
}
