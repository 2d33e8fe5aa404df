//! The transforms in plain 64-bit integer code.
//!
//! A Shoup product is in `[0, 2q)` for any word, so words may grow as long as they fit in 64 bits. Forward, a stage adds
//! `2q` to their bound; backward, it doubles it. The bound is known before each pass of two stages, as a multiple of `q`,
//! and a pass reduces only where the next bound would not fit. As `q < 2^61`, words below `8q` always fit.

use crate::Buffer;
use crate::arch::{NttKernels, Prologue, Twiddles};
use crate::modulus::{Modulus, Shoup, high_product};

pub(crate) static NTT_KERNELS: NttKernels = NttKernels {
    name: "portable",
    supports: |_, _| true,
    prepare,
    forward,
    forward_lazy,
    forward_from: forward_from::<true>,
    forward_lazy_from: forward_from::<false>,
    inverse,
    inverse_lazy,
    butterflies,
};

/// Each residue followed by its Shoup quotient.
fn prepare(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let mut table = Buffer::zeroed(2 * residues.len());
    for (pair, &residue) in table.as_chunks_mut().0.iter_mut().zip(residues) {
        let Shoup { value, quotient } = modulus.shoup(residue);
        *pair = [value, quotient];
    }
    table
}

fn forward(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    forward_stages::<true>(modulus, twiddles, a);
}

fn forward_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    forward_stages::<false>(modulus, twiddles, a);
}

fn forward_from<const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    apply_prologue(modulus, prologue, out, input);
    forward_stages::<STRICT>(modulus, twiddles, out);
}

fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    inverse_stages::<true>(modulus, twiddles, a);
}

fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    inverse_stages::<false>(modulus, twiddles, a);
}

fn butterflies(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 {
    let butterfly = Butterfly::new(modulus);
    let w = twiddles.forward.as_chunks().0[1];
    // Independent ones, as the columns of a pass are; from words so small that sums of them do not wrap.
    let columns = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16_u64]];
    let mut sum = 0_u64;
    for i in 0..count.div_ceil(16) as u64 {
        for [x0, x1, x2, x3] in columns {
            let [mut x0, mut x1, mut x2, mut x3] = [x0 ^ i, x1 ^ i, x2 ^ i, x3 ^ i];
            butterfly.forward(&mut x0, &mut x2, w);
            butterfly.forward(&mut x1, &mut x3, w);
            butterfly.forward(&mut x0, &mut x1, w);
            butterfly.forward(&mut x2, &mut x3, w);
            sum ^= x0 ^ x1 ^ x2 ^ x3;
        }
    }
    sum
}

/// The constants of the butterflies.
#[derive(Clone, Copy)]
struct Butterfly {
    q: u64,
    twice: u64,
    /// `floor(2^64 / q)`.
    ratio: u64,
}

impl Butterfly {
    fn new(modulus: &Modulus) -> Self {
        Self { q: modulus.value(), twice: 2 * modulus.value(), ratio: modulus.ratio()[0] }
    }

    /// The largest `b` such that all words below `b·q` fit in 64 bits; at least 8.
    fn largest_bound(self) -> u64 {
        u64::MAX / self.q
    }

    /// `y·w` in `[0, 2q)` for any word `y`.
    #[inline(always)]
    fn product(self, y: u64, [w, quotient]: [u64; 2]) -> u64 {
        y.wrapping_mul(w).wrapping_sub(high_product(y, quotient).wrapping_mul(self.q))
    }

    /// Any word to `[0, 2q)`: its product with 1.
    #[inline(always)]
    fn reduce(self, x: u64) -> u64 {
        x - high_product(x, self.ratio) * self.q
    }

    /// `[0, 4q)` to `[0, 2q)`.
    #[inline(always)]
    fn halve(self, x: u64) -> u64 {
        subtract_once(x, self.twice)
    }

    /// `[0, 4q)` to `[0, q)`.
    #[inline(always)]
    fn finish(self, x: u64) -> u64 {
        subtract_once(self.halve(x), self.q)
    }

    /// `(x, y) ← (x + w·y, x - w·y)` for any `y`: from `x < b·q` both are below `(b + 2)·q`.
    #[inline(always)]
    fn forward(self, x: &mut u64, y: &mut u64, w: [u64; 2]) {
        let product = self.product(*y, w);
        *y = *x + self.twice - product;
        *x += product;
    }

    /// `(x, y) ← (x + y, (x - y)·w)` where `offset` is a multiple of `q` above `y`: `y` is then in `[0, 2q)`.
    #[inline(always)]
    fn inverse(self, offset: u64, x: &mut u64, y: &mut u64, w: [u64; 2]) {
        let difference = *x + offset - *y;
        *x += *y;
        *y = self.product(difference, w);
    }

    /// The last stage of the inverse: `(x, y) ← ((x + y)·scale, (x - y)·w)`, in `[0, q)` if strict, else `[0, 2q)`.
    #[inline(always)]
    fn inverse_scaled<const STRICT: bool>(self, offset: u64, x: &mut u64, y: &mut u64, scale: [u64; 2], w: [u64; 2]) {
        let difference = *x + offset - *y;
        *x = self.product(*x + *y, scale);
        *y = self.product(difference, w);
        if STRICT {
            *x = subtract_once(*x, self.q);
            *y = subtract_once(*y, self.q);
        }
    }
}

/// `x - m` unless that is negative, else `x`: one subtraction and one conditional move.
#[inline(always)]
fn subtract_once(x: u64, m: u64) -> u64 {
    let (difference, borrow) = x.overflowing_sub(m);
    core::hint::select_unpredictable(borrow, x, difference)
}

/// The map of a prologue, to words in `[0, 4q)`.
pub(crate) fn apply_prologue(modulus: &Modulus, prologue: Prologue, out: &mut [u64], input: &[u64]) {
    let Prologue { factor, offset, .. } = prologue;
    let butterfly = Butterfly::new(modulus);
    let words = out.iter_mut().zip(input);
    match factor {
        None => words.for_each(|(out, &x)| *out = x + offset),
        Some(Shoup { value, quotient }) => {
            words.for_each(|(out, &x)| *out = butterfly.product(x, [value, quotient]) + offset);
        }
    }
}

/// Cooley–Tukey stages from the widest butterflies to the narrowest, two at a time.
fn forward_stages<const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let butterfly = Butterfly::new(modulus);
    let twiddles = twiddles.forward.as_chunks::<2>().0;
    let n = a.len();
    // Words are below `bound·q`.
    let (mut blocks, mut bound) = (1, 4);
    if n.ilog2() % 2 == 1 {
        forward_single(butterfly, twiddles[1], a);
        (blocks, bound) = (2, 6);
    }
    while n / blocks >= 4 {
        let twiddles = (&twiddles[blocks..2 * blocks], twiddles[2 * blocks..4 * blocks].as_chunks().0);
        let reduce = bound + 4 > butterfly.largest_bound();
        // The bound is even, and `bound / 2 + 4` is again no larger than the largest, because that is at least 8.
        let half = bound / 2 * butterfly.q;
        match (n / blocks == 4, reduce) {
            (false, false) => forward_pass::<false>(butterfly, half, twiddles, a),
            (false, true) => forward_pass::<true>(butterfly, half, twiddles, a),
            (true, false) => forward_last_pass::<STRICT, false>(butterfly, half, twiddles, a),
            (true, true) => forward_last_pass::<STRICT, true>(butterfly, half, twiddles, a),
        }
        bound = if reduce { bound / 2 + 4 } else { bound + 4 };
        blocks *= 4;
    }
    if n == 2 {
        a.iter_mut().for_each(|x| *x = modulus.reduce(*x));
    }
}

/// The twiddles of two stages: one for each block, and two for its halves.
type Pairs<'a> = (&'a [[u64; 2]], &'a [[[u64; 2]; 2]]);

fn forward_single(butterfly: Butterfly, w: [u64; 2], block: &mut [u64]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (x, y) in low.iter_mut().zip(high) {
        butterfly.forward(x, y, w);
    }
}

/// Two stages in one pass, from words below `2·half` where it reduces.
fn forward_pass<const REDUCE: bool>(butterfly: Butterfly, half: u64, (single, double): Pairs<'_>, a: &mut [u64]) {
    let len = a.len() / single.len();
    for ((block, &w), &pair) in a.chunks_exact_mut(len).zip(single).zip(double) {
        let (low, high) = block.split_at_mut(len / 2);
        let (x0, x1) = low.split_at_mut(len / 4);
        let (x2, x3) = high.split_at_mut(len / 4);
        for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
            // Copies, because the compiler cannot know that the four words are distinct and would store in between.
            let [mut y0, mut y1, mut y2, mut y3] = [*x0, *x1, *x2, *x3];
            if REDUCE {
                (y0, y1) = (subtract_once(y0, half), subtract_once(y1, half));
            }
            butterfly.forward(&mut y0, &mut y2, w);
            butterfly.forward(&mut y1, &mut y3, w);
            butterfly.forward(&mut y0, &mut y1, pair[0]);
            butterfly.forward(&mut y2, &mut y3, pair[1]);
            [*x0, *x1, *x2, *x3] = [y0, y1, y2, y3];
        }
    }
}

/// The last two stages, which are within four neighbours, to words in `[0, q)` if strict, else `[0, 4q)`.
fn forward_last_pass<const STRICT: bool, const REDUCE: bool>(
    butterfly: Butterfly,
    half: u64,
    (single, double): Pairs<'_>,
    a: &mut [u64],
) {
    for ((block, &w), &pair) in a.as_chunks_mut().0.iter_mut().zip(single).zip(double) {
        let [mut x0, mut x1, mut x2, mut x3] = *block;
        if REDUCE {
            (x0, x1) = (subtract_once(x0, half), subtract_once(x1, half));
        }
        butterfly.forward(&mut x0, &mut x2, w);
        butterfly.forward(&mut x1, &mut x3, w);
        (x0, x2) = (butterfly.reduce(x0), butterfly.reduce(x2));
        butterfly.forward(&mut x0, &mut x1, pair[0]);
        butterfly.forward(&mut x2, &mut x3, pair[1]);
        *block = [x0, x1, x2, x3];
        if STRICT {
            *block = block.map(|x| butterfly.finish(x));
        }
    }
}

/// Gentleman–Sande stages from the narrowest butterflies to the widest, two at a time.
fn inverse_stages<const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let butterfly = Butterfly::new(modulus);
    let twiddles = twiddles.inverse.as_chunks::<2>().0;
    let n = a.len();
    // Words are below `bound·q`. Each pass turns groups of four blocks into one; `blocks` counts those after the pass.
    let (mut blocks, mut bound) = (n / 4, 2);
    while blocks > 1 {
        let twiddles = (&twiddles[blocks..2 * blocks], twiddles[2 * blocks..4 * blocks].as_chunks().0);
        // A pass multiplies the bound by 4; this one reduces unless the next, which may be the last, then has room.
        let reduce = 16 * bound > butterfly.largest_bound();
        let offset = bound * butterfly.q;
        match (n / blocks == 4, reduce) {
            (false, false) => inverse_pass::<false>(butterfly, offset, twiddles, a),
            (false, true) => inverse_pass::<true>(butterfly, offset, twiddles, a),
            (true, false) => inverse_first_pass::<false>(butterfly, offset, twiddles, a),
            (true, true) => inverse_first_pass::<true>(butterfly, offset, twiddles, a),
        }
        bound = if reduce { bound } else { 4 * bound };
        blocks /= 4;
    }
    let offset = bound * butterfly.q;
    if blocks == 1 {
        let [scale, w, double @ ..] = twiddles else {
            return;
        };
        inverse_last_pair::<STRICT>(butterfly, offset, *scale, *w, [double[0], double[1]], a);
    } else {
        inverse_last_single::<STRICT>(butterfly, offset, twiddles[0], twiddles[1], a);
    }
}

/// Two stages of four words below `offset`, a multiple of `2q`: to words below `offset` again if reduced, else below
/// `4·offset`. Words 1 to 3 are below `4q`, `2q` and `2q` before that.
#[inline(always)]
fn inverse_four<const REDUCE: bool>(
    butterfly: Butterfly,
    offset: u64,
    [mut x0, mut x1, mut x2, mut x3]: [u64; 4],
    w: [u64; 2],
    pair: [[u64; 2]; 2],
) -> [u64; 4] {
    butterfly.inverse(offset, &mut x0, &mut x1, pair[0]);
    butterfly.inverse(offset, &mut x2, &mut x3, pair[1]);
    butterfly.inverse(2 * offset, &mut x0, &mut x2, w);
    butterfly.inverse(butterfly.twice, &mut x1, &mut x3, w);
    if REDUCE {
        (x0, x1) = (subtract_once(subtract_once(x0, 2 * offset), offset), butterfly.halve(x1));
    }
    [x0, x1, x2, x3]
}

/// The first two stages, which are within four neighbours.
fn inverse_first_pass<const REDUCE: bool>(
    butterfly: Butterfly,
    offset: u64,
    (single, double): Pairs<'_>,
    a: &mut [u64],
) {
    for ((block, &w), &pair) in a.as_chunks_mut().0.iter_mut().zip(single).zip(double) {
        *block = inverse_four::<REDUCE>(butterfly, offset, *block, w, pair);
    }
}

/// Two stages in one pass.
fn inverse_pass<const REDUCE: bool>(butterfly: Butterfly, offset: u64, (single, double): Pairs<'_>, a: &mut [u64]) {
    let len = a.len() / single.len();
    for ((block, &w), &pair) in a.chunks_exact_mut(len).zip(single).zip(double) {
        let (low, high) = block.split_at_mut(len / 2);
        let (x0, x1) = low.split_at_mut(len / 4);
        let (x2, x3) = high.split_at_mut(len / 4);
        for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
            [*x0, *x1, *x2, *x3] = inverse_four::<REDUCE>(butterfly, offset, [*x0, *x1, *x2, *x3], w, pair);
        }
    }
}

/// The last two stages with the division by `n`.
fn inverse_last_pair<const STRICT: bool>(
    butterfly: Butterfly,
    offset: u64,
    scale: [u64; 2],
    w: [u64; 2],
    pair: [[u64; 2]; 2],
    a: &mut [u64],
) {
    let (low, high) = a.split_at_mut(a.len() / 2);
    let (x0, x1) = low.split_at_mut(low.len() / 2);
    let (x2, x3) = high.split_at_mut(high.len() / 2);
    for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
        let [mut y0, mut y1, mut y2, mut y3] = [*x0, *x1, *x2, *x3];
        butterfly.inverse(offset, &mut y0, &mut y1, pair[0]);
        butterfly.inverse(offset, &mut y2, &mut y3, pair[1]);
        butterfly.inverse_scaled::<STRICT>(2 * offset, &mut y0, &mut y2, scale, w);
        butterfly.inverse_scaled::<STRICT>(butterfly.twice, &mut y1, &mut y3, scale, w);
        [*x0, *x1, *x2, *x3] = [y0, y1, y2, y3];
    }
}

/// The last stage with the division by `n`, where the number of stages is odd.
fn inverse_last_single<const STRICT: bool>(
    butterfly: Butterfly,
    offset: u64,
    scale: [u64; 2],
    w: [u64; 2],
    a: &mut [u64],
) {
    let (low, high) = a.split_at_mut(a.len() / 2);
    for (x, y) in low.iter_mut().zip(high) {
        butterfly.inverse_scaled::<STRICT>(offset, x, y, scale, w);
    }
}
