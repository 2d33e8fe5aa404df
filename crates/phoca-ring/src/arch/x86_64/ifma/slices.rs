//! Operations on slices with IFMA, for moduli of at most 50 bits.

use core::arch::x86_64::*;

use super::loops::{in_columns, map_1, map_2, map_3, vectors_at};
use super::{Factor, Lanes, Words, load, load_narrow, splat, store};
use crate::arch::x86_64::columns::{blocks_to_columns, columns_to_blocks};
use crate::arch::x86_64::loops::in_chunks;
use crate::arch::x86_64::{dot_word, entry, linear_word, tensor_word};
use crate::arch::{Arch, Kernels, portable};
use crate::modulus::{Modulus, Shoup};

pub(crate) static KERNELS: Kernels = Kernels {
    arch: Arch::Ifma,
    max_bits: 50,
    add_assign,
    sub_assign,
    negate_assign,
    add_scalar_assign,
    mul_assign,
    mul_into,
    mul_add_assign,
    mul_scalar_assign,
    mul_scalar_into,
    scale_into,
    add_scaled_assign,
    sub_scaled_assign,
    reduce_into,
    sub_mul_scalar_into,
    mul_scalar_add_assign,
    dot_into,
    add_product_into: portable::add_product_into::<false>,
    sub_product_into: portable::add_product_into::<true>,
    dot_pair_into,
    dot_pair_narrow_into: Some(dot_pair_narrow_into),
    tensor_into,
    linear_combination_into,
    round_fractions_into,
    permute_blocks,
    columns_to_blocks,
    blocks_to_columns,
};

entry! {
    pub(super) fn add_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::add_assign;
    pub(super) fn sub_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::sub_assign;
    pub(super) fn negate_assign(modulus: &Modulus, a: &mut [u64]) = vectors::negate_assign;
    pub(super) fn add_scalar_assign(modulus: &Modulus, a: &mut [u64], c: u64) = vectors::add_scalar_assign;
    fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) = vectors::mul_assign;
    fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_into;
    fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) = vectors::mul_add_assign;
    fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) = vectors::mul_scalar_assign;
    fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) = vectors::mul_scalar_into;
    fn scale_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) = vectors::scale_into;
    fn add_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) = vectors::add_scaled_assign;
    fn sub_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) = vectors::sub_scaled_assign;
    fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) = vectors::reduce_into;
    fn sub_mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup)
        = vectors::sub_mul_scalar_into;
    fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup)
        = vectors::mul_scalar_add_assign;
    fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) = vectors::dot_into;
    fn dot_pair_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2]) = vectors::dot_pair_into;
    fn dot_pair_narrow_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u32]]; 2])
        = vectors::dot_pair_narrow_into;
    fn tensor_into(modulus: &Modulus, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) = vectors::tensor_into;
    fn linear_combination_into(modulus: &Modulus, out: &mut [u64], inputs: &[&[u64]], weights: &[u64], input_bits: u32)
        = vectors::linear_combination_into;
    pub(super) fn permute_blocks(out: &mut [u64], input: &[u64], blocks: &[u64], orders: &[[u64; 8]; 8]) = vectors::permute_blocks;
    fn round_fractions_into(out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32) = vectors::round_fractions_into;
}

/// Defines what is the same for every width, from the module's `Barrett` and `mul_scalar_into`.
macro_rules! products_of_residues {
    () => {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
        pub(super) fn mul_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
            let barrett = Barrett::new(modulus);
            map_2(a, b, |a, b| barrett.product(a, b));
        }

        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
        pub(super) fn mul_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
            let barrett = Barrett::new(modulus);
            map_3(out, a, b, |_, a, b| barrett.product(a, b));
        }

        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
        pub(super) fn mul_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
            let barrett = Barrett::new(modulus);
            map_3(acc, a, b, |acc, a, b| barrett.lanes.finish(_mm512_add_epi64(acc, barrett.product(a, b))));
        }

        #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
        pub(super) fn reduce_into(modulus: &Modulus, out: &mut [u64], a: &[u64]) {
            mul_scalar_into(modulus, out, a, modulus.shoup(1));
        }
    };
}
pub(super) use products_of_residues;

mod vectors {
    use super::*;

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn add_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let lanes = Lanes::new(modulus);
        map_2(a, b, |a, b| lanes.finish(_mm512_add_epi64(a, b)));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn sub_assign(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
        let lanes = Lanes::new(modulus);
        map_2(a, b, |a, b| {
            // A negative difference wraps to a large word, and adding q brings it back.
            let difference = _mm512_sub_epi64(a, b);
            _mm512_min_epu64(difference, _mm512_add_epi64(difference, lanes.q))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn negate_assign(modulus: &Modulus, a: &mut [u64]) {
        let lanes = Lanes::new(modulus);
        map_1(a, |a| lanes.finish(_mm512_sub_epi64(lanes.q, a)));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn add_scalar_assign(modulus: &Modulus, a: &mut [u64], c: u64) {
        let (lanes, c) = (Lanes::new(modulus), splat(c));
        map_1(a, |a| lanes.finish(_mm512_add_epi64(a, c)));
    }

    products_of_residues!();

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_scalar_assign(modulus: &Modulus, a: &mut [u64], w: Shoup) {
        let scalar = WideScalar::new(modulus, w);
        map_1(a, |a| scalar.product(a));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
        let scalar = WideScalar::new(modulus, w);
        map_2(out, a, |_, a| scalar.product(a));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn scale_into(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_2(out, a, |_, a| lanes.finish(lanes.product(a, w)));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn add_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        // The terms are below 2q and q + q, so that the sum is below 4q ≤ 2^52.
        map_3(acc, a, b, |acc, a, b| {
            lanes.finish(lanes.halve(lanes.clean(lanes.product_add(_mm512_add_epi64(acc, b), a, w))))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn sub_scaled_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup, b: &[u64]) {
        let (lanes, w) = (Lanes::new(modulus), factor(modulus.shoup(modulus.neg(w.value))));
        map_3(acc, a, b, |acc, a, b| {
            lanes.finish(lanes.halve(lanes.clean(lanes.product_add(
                _mm512_add_epi64(acc, _mm512_sub_epi64(lanes.q, b)),
                a,
                w,
            ))))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn sub_mul_scalar_into(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        map_3(out, a, b, |_, a, b| {
            // Below 3q ≤ 2^52.
            let difference = _mm512_sub_epi64(_mm512_add_epi64(a, lanes.twice), lanes.halve(b));
            lanes.finish(lanes.product(difference, w))
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn mul_scalar_add_assign(modulus: &Modulus, acc: &mut [u64], a: &[u64], w: Shoup) {
        let (lanes, w) = (Lanes::new(modulus), factor(w));
        // Below q + 2q.
        map_2(acc, a, |acc, a| lanes.finish(lanes.halve(lanes.clean(lanes.product_add(acc, a, w)))));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn dot_into(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) {
        dots_into(modulus, [out], a, [b], |words| load(words));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn dot_pair_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2]) {
        dots_into(modulus, out, a, b, |words| load(words));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn dot_pair_narrow_into(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u32]]; 2]) {
        dots_into(modulus, out, a, b, |words| load_narrow(words));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn tensor_into(modulus: &Modulus, out: [&mut [u64]; 3], a: [&[u64]; 2], b: [&[u64]; 2]) {
        let q = u128::from(modulus.value());
        let sum = Sum::new(modulus, 2 * q * q);
        let columns = |start, _: &[&mut [u64]; 3]| {
            let (a0, a1) = (vectors_at::<COLUMNS, _>(a[0], start), vectors_at::<COLUMNS, _>(a[1], start));
            let (b0, b1) = (vectors_at::<COLUMNS, _>(b[0], start), vectors_at::<COLUMNS, _>(b[1], start));
            let mut out = [[_mm512_setzero_si512(); COLUMNS]; 3];
            for v in 0..COLUMNS {
                let (a0, a1, b0, b1) = (load(&a0[v]), load(&a1[v]), load(&b0[v]), load(&b1[v]));
                out[0][v] = sum.of_products([(a0, b0)]);
                out[1][v] = sum.of_products([(a0, b1), (a1, b0)]);
                out[2][v] = sum.of_products([(a1, b1)]);
            }
            out
        };
        in_columns(out, columns, |index, _| tensor_word(modulus, index, a, b));
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn linear_combination_into(
        modulus: &Modulus,
        out: &mut [u64],
        inputs: &[&[u64]],
        weights: &[u64],
        input_bits: u32,
    ) {
        let chunk = if input_bits <= 52 { linear_chunk::<false> } else { linear_chunk::<true> };
        in_chunks(inputs.len(), WEIGHTS, |terms, continued| {
            chunk(modulus, out, continued, &inputs[terms.clone()], &weights[terms], input_bits);
        });
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn permute_blocks(out: &mut [u64], input: &[u64], blocks: &[u64], orders: &[[u64; 8]; 8]) {
        let input = input.as_chunks::<8>().0;
        for (out, &block) in out.as_chunks_mut::<8>().0.iter_mut().zip(blocks) {
            let source = load(&input[block as usize / 8]);
            store(out, _mm512_permutexvar_epi64(load(&orders[block as usize % 8]), source));
        }
    }

    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn round_fractions_into(out: &mut [u64], inputs: &[u64], reciprocals: &[u128], bits: u32) {
        let len = out.len();
        let mask = (1 << 52) - 1;
        let columns = |start, _: &[&mut [u64]; 1]| {
            let (mut low, mut high) = ([splat(mask); COLUMNS], [splat((1 << 51) - 1); COLUMNS]);
            for (input, &reciprocal) in inputs.chunks_exact(len).zip(reciprocals) {
                let input = vectors_at::<COLUMNS, _>(input, start);
                let (r0, r1) = (splat(reciprocal as u64 & mask), splat((reciprocal >> 52) as u64));
                for v in 0..COLUMNS {
                    let y = load(&input[v]);
                    low[v] = _mm512_madd52lo_epu64(low[v], y, r0);
                    high[v] = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(high[v], y, r0), y, r1);
                }
            }
            for v in 0..COLUMNS {
                low[v] = _mm512_srli_epi64::<52>(_mm512_add_epi64(high[v], _mm512_srli_epi64::<52>(low[v])));
            }
            [low]
        };
        in_columns([out], columns, |index, _| portable::round_columns(index, len, inputs, reciprocals, bits));
    }
}

/// Vectors of one output whose sums are in registers at once.
pub(super) const COLUMNS: usize = 4;

/// Terms whose weights are prepared at once.
const WEIGHTS: usize = 64;

/// Products of 52-bit words for which a lane has room, a quarter of what fits.
const TERMS: usize = 1024;

/// Sums of products of the same `a` with `H` sequences `b`, of which `load` brings eight words of any width into lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn dots_into<const H: usize, W: Copy + Into<u64>>(
    modulus: &Modulus,
    out: [&mut [u64]; H],
    a: &[&[u64]],
    b: [&[&[W]]; H],
    load: impl Fn(&[W; 8]) -> __m512i,
) {
    let q = u128::from(modulus.value());
    let sum = Sum::new(modulus, a.len().min(TERMS) as u128 * 4 * q * q);
    in_columns(
        out,
        |start, _| dot_columns::<COLUMNS, H, W>(&sum, start, a, b, &load),
        |index, _| b.map(|b| dot_word(modulus, index, a, b)),
    );
}

/// Sums of products in the vectors from `start`. Each vector of `a` is loaded once.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn dot_columns<const C: usize, const H: usize, W>(
    sum: &Sum,
    start: usize,
    a: &[&[u64]],
    b: [&[&[W]]; H],
    load_factors: impl Fn(&[W; 8]) -> __m512i,
) -> [[__m512i; C]; H] {
    let mut residues = [[_mm512_setzero_si512(); C]; H];
    for first in (0..a.len()).step_by(TERMS) {
        let (mut low, mut high) = (residues, [[_mm512_setzero_si512(); C]; H]);
        for term in first..a.len().min(first + TERMS) {
            let a = vectors_at::<C, _>(a[term], start);
            let mut factors: [&[[W; 8]; C]; H] = [vectors_at(b[0][term], start); H];
            for h in 1..H {
                factors[h] = vectors_at(b[h][term], start);
            }
            for v in 0..C {
                let a = load(&a[v]);
                for h in 0..H {
                    let b = load_factors(&factors[h][v]);
                    low[h][v] = _mm512_madd52lo_epu64(low[h][v], a, b);
                    high[h][v] = _mm512_madd52hi_epu64(high[h][v], a, b);
                }
            }
        }
        for h in 0..H {
            for v in 0..C {
                residues[h][v] = sum.reduce(low[h][v], high[h][v]);
            }
        }
    }
    residues
}

/// The sum of at most [`WEIGHTS`] weighted inputs, and of `out` where it continues a sum; inputs of more than 52 bits are split.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn linear_chunk<const SPLIT: bool>(
    modulus: &Modulus,
    out: &mut [u64],
    continued: bool,
    inputs: &[&[u64]],
    weights: &[u64],
    input_bits: u32,
) {
    let largest = if SPLIT { (1 << 52) + (1 << (input_bits - 52)) } else { 1 << input_bits };
    let sum = Sum::new(modulus, inputs.len() as u128 * largest * u128::from(modulus.value()));
    let [shift, _] = modulus.digit_weights();
    // The input x0 + x1·2^52 counts as x0·w + x1·(2^52·w mod q).
    let mut pairs = [[0; 2]; WEIGHTS];
    for (pair, &weight) in pairs.iter_mut().zip(weights) {
        *pair = [weight, modulus.mul_shoup(weight, shift)];
    }
    in_columns(
        [out],
        |start, [acc]| {
            let acc = continued.then_some(vectors_at(acc, start));
            [linear_columns::<COLUMNS, SPLIT>(&sum, start, acc, inputs, &pairs)]
        },
        |index, [acc]| [linear_word(modulus, index, if continued { acc[index] } else { 0 }, inputs, weights)],
    );
}

/// `acc` plus the sums of weighted inputs in the vectors from `start`, for at most [`WEIGHTS`] terms.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn linear_columns<const C: usize, const SPLIT: bool>(
    sum: &Sum,
    start: usize,
    acc: Option<&[Words; C]>,
    inputs: &[&[u64]],
    pairs: &[[u64; 2]; WEIGHTS],
) -> [__m512i; C] {
    let (mut low, mut high) = ([_mm512_setzero_si512(); C], [_mm512_setzero_si512(); C]);
    if let Some(acc) = acc {
        for v in 0..C {
            low[v] = load(&acc[v]);
        }
    }
    for (input, pair) in inputs.iter().zip(pairs) {
        let input = vectors_at::<C, _>(input, start);
        let (w0, w1) = (splat(pair[0]), splat(pair[1]));
        for v in 0..C {
            let x = load(&input[v]);
            low[v] = _mm512_madd52lo_epu64(low[v], x, w0);
            high[v] = _mm512_madd52hi_epu64(high[v], x, w0);
            if SPLIT {
                let x1 = _mm512_srli_epi64::<52>(x);
                low[v] = _mm512_madd52lo_epu64(low[v], x1, w1);
                high[v] = _mm512_madd52hi_epu64(high[v], x1, w1);
            }
        }
    }
    for v in 0..C {
        low[v] = sum.reduce(low[v], high[v]);
    }
    low
}

/// Products of two residues below `q < 2^50`.
///
/// With `b` bits and `z = x·y` the quotient is `floor(floor(z / 2^(b-2))·ratio / 2^52)` with `ratio = floor(2^(b+50)/q)`.
/// The roundings cost at most 1/2, 1 and 1, so the remainder is below `3q`.
#[derive(Clone, Copy)]
struct Barrett {
    lanes: Lanes,
    shift: __m512i,
    ratio: __m512i,
}

impl Barrett {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus) -> Self {
        Self {
            lanes: Lanes::new(modulus),
            shift: splat(52 - u64::from(modulus.bits())),
            ratio: splat(modulus.product_ratio() >> 12),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product(&self, x: __m512i, y: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let (x_scaled, y_scaled) = (_mm512_sllv_epi64(x, self.shift), _mm512_slli_epi64::<2>(y));
        let high = _mm512_madd52hi_epu64(zero, x_scaled, y_scaled);
        let quotient = _mm512_madd52hi_epu64(zero, high, self.ratio);
        let low = _mm512_madd52lo_epu64(zero, x, y);
        let rest = self.lanes.clean(_mm512_madd52lo_epu64(low, quotient, self.lanes.negated));
        self.lanes.finish(self.lanes.finish(rest))
    }
}

/// A scalar `w` for products with any words: `x0 + x1·2^52` times `w` is `x0·w + x1·(2^52·w mod q)`.
#[derive(Clone, Copy)]
struct WideScalar {
    lanes: Lanes,
    low: Factor,
    high: Factor,
}

impl WideScalar {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn new(modulus: &Modulus, w: Shoup) -> Self {
        let shifted = modulus.shoup(modulus.mul_shoup(1 << 52, w));
        Self { lanes: Lanes::new(modulus), low: factor(w), high: factor(shifted) }
    }

    /// In `[0, q)` for any word.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn product(&self, x: __m512i) -> __m512i {
        // Each of the two lazy products is below 2q, so the sum is below 4q ≤ 2^52.
        let high = self.lanes.product_add(_mm512_setzero_si512(), _mm512_srli_epi64::<52>(x), self.high);
        let sum = self.lanes.clean(self.lanes.product_add(high, x, self.low));
        self.lanes.finish(self.lanes.halve(sum))
    }
}

/// The reduction of sums of products below a bound.
#[derive(Clone, Copy)]
pub(super) struct Sum {
    lanes: Lanes,
    /// `floor(2^52 / q)`.
    inverse: __m512i,
    /// `2^52 mod q`.
    shift: Factor,
    /// `q·2^(52 - bits)`, at most `2^52`, doubled so often that twice the last is above all high parts; the first `folds` count.
    multiples: [u64; MAX_FOLDS],
    folds: usize,
}

/// For high parts below `2^63`.
const MAX_FOLDS: usize = 12;

impl Sum {
    /// For sums below `bound ≤ 2^114`, and what a residue adds.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn new(modulus: &Modulus, bound: u128) -> Self {
        let q = modulus.value();
        let [shift, _] = modulus.digit_weights();
        // Carries of the low parts, which are below 2^64, add less than 2^12.
        let high = (bound >> 52) as u64 + (1 << 12);
        let multiples = core::array::from_fn(|i| q << (52 - modulus.bits()) << i);
        let folds = if high <= 1 << 52 { 0 } else { high.div_ceil(multiples[0]).next_power_of_two().ilog2() as usize };
        Self {
            lanes: Lanes::new(modulus),
            inverse: splat(modulus.ratio()[0] >> 12),
            shift: factor(shift),
            multiples,
            folds,
        }
    }

    /// `Σ x·y` in `[0, q)` for few pairs of residues.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    fn of_products<const T: usize>(&self, pairs: [(__m512i, __m512i); T]) -> __m512i {
        let (mut low, mut high) = (_mm512_setzero_si512(), _mm512_setzero_si512());
        for (x, y) in pairs {
            low = _mm512_madd52lo_epu64(low, x, y);
            high = _mm512_madd52hi_epu64(high, x, y);
        }
        self.reduce(low, high)
    }

    /// `low + high·2^52` in `[0, q)`, for `low` below `2^64`.
    ///
    /// Both parts are multiplied as by Shoup, the lower one by 1, with one sum of their quotients: the rest is below `4q ≤ 2^52`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
    pub(super) fn reduce(&self, low: __m512i, high: __m512i) -> __m512i {
        let lanes = self.lanes;
        let mut high = _mm512_add_epi64(high, _mm512_srli_epi64::<52>(low));
        for &multiple in self.multiples[..self.folds].iter().rev() {
            high = _mm512_min_epu64(high, _mm512_sub_epi64(high, splat(multiple)));
        }
        let quotient = _mm512_madd52hi_epu64(_mm512_setzero_si512(), low, self.inverse);
        let quotient = _mm512_madd52hi_epu64(quotient, high, self.shift.quotient);
        let rest = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(low, high, self.shift.value), quotient, lanes.negated);
        lanes.finish(lanes.halve(lanes.clean(rest)))
    }
}

/// The factor of a Shoup pair in every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn factor(w: Shoup) -> Factor {
    Factor { value: splat(w.value), quotient: splat(w.quotient >> 12) }
}
