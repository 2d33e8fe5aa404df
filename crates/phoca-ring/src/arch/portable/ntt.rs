//! The transforms in plain 64-bit integer code.

use crate::Buffer;
use crate::arch::{NttKernels, Twiddles};
use crate::modulus::{Modulus, Shoup};

pub(crate) static NTT_KERNELS: NttKernels =
    NttKernels { name: "portable", supports: |_, _| true, prepare, forward, forward_lazy, inverse, inverse_lazy };

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

fn inverse(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    inverse_stages::<true>(modulus, twiddles, a);
}

fn inverse_lazy(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    inverse_stages::<false>(modulus, twiddles, a);
}

/// The constants of the lazy butterflies.
#[derive(Clone, Copy)]
struct Butterfly {
    q: u64,
    twice: u64,
}

impl Butterfly {
    fn new(modulus: &Modulus) -> Self {
        Self { q: modulus.value(), twice: 2 * modulus.value() }
    }

    /// `y·w` in `[0, 2q)` for any word `y`.
    #[inline(always)]
    fn product(self, y: u64, [w, quotient]: [u64; 2]) -> u64 {
        let estimate = ((u128::from(y) * u128::from(quotient)) >> 64) as u64;
        y.wrapping_mul(w).wrapping_sub(estimate.wrapping_mul(self.q))
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

    /// `(x, y) ← (x + w·y, x - w·y)`, all in `[0, 4q)`.
    #[inline(always)]
    fn forward(self, x: &mut u64, y: &mut u64, w: [u64; 2]) {
        let sum = self.halve(*x);
        let product = self.product(*y, w);
        *x = sum + product;
        *y = sum + self.twice - product;
    }

    /// `(x, y) ← (x + y, (x - y)·w)`, all in `[0, 2q)`.
    #[inline(always)]
    fn inverse(self, x: &mut u64, y: &mut u64, w: [u64; 2]) {
        let difference = *x + self.twice - *y;
        *x = self.halve(*x + *y);
        *y = self.product(difference, w);
    }

    /// The last stage of the inverse: `(x, y) ← ((x + y)·scale, (x - y)·w)`.
    #[inline(always)]
    fn inverse_scaled<const STRICT: bool>(self, x: &mut u64, y: &mut u64, scale: [u64; 2], w: [u64; 2]) {
        let difference = *x + self.twice - *y;
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

/// Cooley–Tukey stages from the widest butterflies to the narrowest, two at a time.
fn forward_stages<const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let butterfly = Butterfly::new(modulus);
    let twiddles = twiddles.forward.as_chunks::<2>().0;
    let n = a.len();
    let mut blocks = 1;
    if n.ilog2() % 2 == 1 {
        forward_single(butterfly, twiddles[1], a);
        blocks = 2;
    }
    while n / blocks > 4 {
        let (single, double) = (&twiddles[blocks..2 * blocks], &twiddles[2 * blocks..4 * blocks]);
        for ((block, &w), pair) in a.chunks_exact_mut(n / blocks).zip(single).zip(double.as_chunks().0) {
            forward_pair(butterfly, w, *pair, block);
        }
        blocks *= 4;
    }
    if n / blocks == 4 {
        let (single, double) = (&twiddles[blocks..2 * blocks], &twiddles[2 * blocks..4 * blocks]);
        for ((block, &w), pair) in a.as_chunks_mut().0.iter_mut().zip(single).zip(double.as_chunks().0) {
            forward_last::<STRICT>(butterfly, w, *pair, block);
        }
    } else if STRICT {
        a.iter_mut().for_each(|x| *x = butterfly.finish(*x));
    }
}

fn forward_single(butterfly: Butterfly, w: [u64; 2], block: &mut [u64]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (x, y) in low.iter_mut().zip(high) {
        butterfly.forward(x, y, w);
    }
}

/// Two stages of one block in one pass.
fn forward_pair(butterfly: Butterfly, w: [u64; 2], pair: [[u64; 2]; 2], block: &mut [u64]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (x0, x1) = low.split_at_mut(low.len() / 2);
    let (x2, x3) = high.split_at_mut(high.len() / 2);
    for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
        // Copies, because the compiler cannot know that the four words are distinct and would store in between.
        let [mut y0, mut y1, mut y2, mut y3] = [*x0, *x1, *x2, *x3];
        butterfly.forward(&mut y0, &mut y2, w);
        butterfly.forward(&mut y1, &mut y3, w);
        butterfly.forward(&mut y0, &mut y1, pair[0]);
        butterfly.forward(&mut y2, &mut y3, pair[1]);
        [*x0, *x1, *x2, *x3] = [y0, y1, y2, y3];
    }
}

/// The last two stages, which are within four neighbours.
#[inline(always)]
fn forward_last<const STRICT: bool>(butterfly: Butterfly, w: [u64; 2], pair: [[u64; 2]; 2], block: &mut [u64; 4]) {
    let [mut x0, mut x1, mut x2, mut x3] = *block;
    butterfly.forward(&mut x0, &mut x2, w);
    butterfly.forward(&mut x1, &mut x3, w);
    butterfly.forward(&mut x0, &mut x1, pair[0]);
    butterfly.forward(&mut x2, &mut x3, pair[1]);
    *block = [x0, x1, x2, x3];
    if STRICT {
        *block = block.map(|x| butterfly.finish(x));
    }
}

/// Gentleman–Sande stages from the narrowest butterflies to the widest, two at a time.
fn inverse_stages<const STRICT: bool>(modulus: &Modulus, twiddles: &Twiddles, a: &mut [u64]) {
    let butterfly = Butterfly::new(modulus);
    let twiddles = twiddles.inverse.as_chunks::<2>().0;
    let n = a.len();
    // Each pass turns groups of four blocks into one; `blocks` counts those after the pass.
    let mut blocks = n / 4;
    while blocks > 1 {
        let (single, double) = (&twiddles[blocks..2 * blocks], &twiddles[2 * blocks..4 * blocks]);
        let pairs = single.iter().zip(double.as_chunks().0);
        if n / blocks == 4 {
            for (block, (&w, pair)) in a.as_chunks_mut().0.iter_mut().zip(pairs) {
                inverse_first(butterfly, w, *pair, block);
            }
        } else {
            for (block, (&w, pair)) in a.chunks_exact_mut(n / blocks).zip(pairs) {
                inverse_pair(butterfly, w, *pair, block);
            }
        }
        blocks /= 4;
    }
    if blocks == 1 {
        let [scale, w, double @ ..] = twiddles else { return };
        inverse_last_pair::<STRICT>(butterfly, *scale, *w, [double[0], double[1]], a);
    } else {
        inverse_last_single::<STRICT>(butterfly, twiddles[0], twiddles[1], a);
    }
}

/// The first two stages, which are within four neighbours.
#[inline(always)]
fn inverse_first(butterfly: Butterfly, w: [u64; 2], pair: [[u64; 2]; 2], block: &mut [u64; 4]) {
    let [mut x0, mut x1, mut x2, mut x3] = *block;
    butterfly.inverse(&mut x0, &mut x1, pair[0]);
    butterfly.inverse(&mut x2, &mut x3, pair[1]);
    butterfly.inverse(&mut x0, &mut x2, w);
    butterfly.inverse(&mut x1, &mut x3, w);
    *block = [x0, x1, x2, x3];
}

/// Two stages of one block in one pass.
fn inverse_pair(butterfly: Butterfly, w: [u64; 2], pair: [[u64; 2]; 2], block: &mut [u64]) {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let (x0, x1) = low.split_at_mut(low.len() / 2);
    let (x2, x3) = high.split_at_mut(high.len() / 2);
    for (((x0, x1), x2), x3) in x0.iter_mut().zip(x1).zip(x2).zip(x3) {
        let [mut y0, mut y1, mut y2, mut y3] = [*x0, *x1, *x2, *x3];
        butterfly.inverse(&mut y0, &mut y1, pair[0]);
        butterfly.inverse(&mut y2, &mut y3, pair[1]);
        butterfly.inverse(&mut y0, &mut y2, w);
        butterfly.inverse(&mut y1, &mut y3, w);
        [*x0, *x1, *x2, *x3] = [y0, y1, y2, y3];
    }
}

/// The last two stages with the division by `n`.
fn inverse_last_pair<const STRICT: bool>(
    butterfly: Butterfly,
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
        butterfly.inverse(&mut y0, &mut y1, pair[0]);
        butterfly.inverse(&mut y2, &mut y3, pair[1]);
        butterfly.inverse_scaled::<STRICT>(&mut y0, &mut y2, scale, w);
        butterfly.inverse_scaled::<STRICT>(&mut y1, &mut y3, scale, w);
        [*x0, *x1, *x2, *x3] = [y0, y1, y2, y3];
    }
}

/// The last stage with the division by `n`, where the number of stages is odd.
fn inverse_last_single<const STRICT: bool>(butterfly: Butterfly, scale: [u64; 2], w: [u64; 2], a: &mut [u64]) {
    let (low, high) = a.split_at_mut(a.len() / 2);
    for (x, y) in low.iter_mut().zip(high) {
        butterfly.inverse_scaled::<STRICT>(x, y, scale, w);
    }
}
