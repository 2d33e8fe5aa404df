//! The passes of the transform and the step of a blind rotation, for any vector type.
//!
//! Points lie in memory as vectors of real parts, each followed by the vector of the imaginary parts. The last stages of a
//! forward transform work on blocks of `W²` points, which are `W` complex vectors in registers: half of the stages between
//! vectors, then, after a transposition, the other half. The inverse starts there. So the points of a block are in transposed
//! order, which no product of values cares about.
//!
//! A step of a blind rotation is three sweeps. The first one takes the digits of the rotated polynomials through the first
//! stages. The second one, block by block, ends the forward transforms, multiplies by the key and begins the inverse ones. The
//! third one ends these and adds the results.
#![allow(
    clippy::needless_range_loop,
    reason = "compilers unroll a loop over a constant range, and then keep arrays in registers"
)]

use core::ops::Range;

use super::{Complex, Lanes, Step};
use crate::fourier::Tables;

/// What takes the points that leave the last pass of an inverse.
trait Sink<V, const W: usize> {
    fn put(&mut self, index: usize, points: Complex<V>);
}

/// The factors of the stages below a node: node `t` of stage `s` has the factor `2^s + t`.
trait Factors<V, const W: usize> {
    fn get(&self, node: usize) -> Complex<V>;
}

#[inline(always)]
pub(crate) fn forward<V: Lanes<W>, const W: usize>(tables: &Tables, words: &[u64], values: &mut [f64]) {
    let [low, high] = halves(words);
    for ((pair, low), high) in values.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0.iter_mut().zip(low).zip(high) {
        let [re, im] = [low, high].map(|words| V::from_words(V::load_words(words)));
        store(pair, Complex { re, im });
    }
    first_passes::<V, W>(tables, values, &mut Ahead::nothing());
    for (block, values) in values.chunks_exact_mut(2 * W * W).enumerate() {
        let points = forward_block::<V, W>(tables, block, load_block(values));
        store_block(values, points);
    }
}

#[inline(always)]
pub(crate) fn backward_add<V: Lanes<W>, const W: usize>(tables: &Tables, values: &mut [f64], words: &mut [u64]) {
    for (block, values) in values.chunks_exact_mut(2 * W * W).enumerate() {
        let points = inverse_block::<V, W>(tables, block, load_block(values));
        store_block(values, points);
    }
    let mut sink = AddScaled::new(words, V::splat(tables.scale));
    last_passes::<V, W>(tables, values, &mut sink, &mut Ahead::nothing());
}

/// `acc += GGSW ⊡ (X^exponent - 1)·acc`.
#[inline(always)]
pub(crate) fn select_rotated<V: Lanes<W>, const W: usize>(
    tables: &Tables,
    step: &Step<'_>,
    acc: &mut [u64],
    scratch: &mut [f64],
) {
    let degree = tables.degree;
    let rows = step.polynomials * step.decomposition.levels as usize;
    let (values, blocks) = scratch.split_at_mut(rows * degree);
    let mut ahead = Ahead::of(step.next, (rows + step.polynomials) * butterflies(degree / 2, W));
    for (row, values) in values.chunks_exact_mut(degree).enumerate() {
        let (polynomial, level) = (row % step.polynomials, row / step.polynomials);
        let words = &acc[polynomial * degree..][..degree];
        rotated_digits::<V, W>(words, step, level as u32, values);
        first_passes::<V, W>(tables, values, &mut ahead);
    }
    multiply::<V, W>(tables, step, values, blocks, &mut ahead);
    for (values, words) in values.chunks_exact_mut(degree).zip(acc.chunks_exact_mut(degree)) {
        last_passes::<V, W>(tables, values, &mut Add::new(words), &mut ahead);
    }
}

/// The second sweep: each row's block of points becomes its block of values, in `blocks`, and the first rows of `values` take
/// the sums of products with the columns of the key.
#[inline(always)]
fn multiply<V: Lanes<W>, const W: usize>(
    tables: &Tables,
    step: &Step<'_>,
    values: &mut [f64],
    blocks: &mut [f64],
    ahead: &mut Ahead<'_>,
) {
    let (degree, len) = (tables.degree, 2 * W * W);
    let column_len = blocks.len();
    for (block, keys) in step.key.chunks_exact(column_len * step.polynomials).enumerate() {
        for (row, digits) in blocks.chunks_exact_mut(len).enumerate() {
            let points = load_block(&values[row * degree + block * len..][..len]);
            store_block(digits, forward_block::<V, W>(tables, block, points));
            ahead.touch::<V, W>(butterflies(W * W, W));
        }
        for (column, key) in keys.chunks_exact(column_len).enumerate() {
            let sum = inverse_block::<V, W>(tables, block, products(key, blocks));
            ahead.touch::<V, W>(butterflies(W * W, W));
            store_block(&mut values[column * degree + block * len..][..len], sum);
        }
    }
}

/// The sum of products of each row's block of values with a column of the key.
#[inline(always)]
fn products<V: Lanes<W>, const W: usize>(key: &[f64], blocks: &[f64]) -> [Complex<V>; W] {
    let len = 2 * W * W;
    let mut sum = [Complex { re: V::splat(0.0), im: V::splat(0.0) }; W];
    for (key, digits) in key.chunks_exact(len).zip(blocks.chunks_exact(len)) {
        let (key, digits) = (key.as_chunks::<W>().0, digits.as_chunks::<W>().0);
        for lane in 0..W {
            let sum = &mut sum[lane];
            let (digit_re, digit_im) = (V::load(&digits[2 * lane]), V::load(&digits[2 * lane + 1]));
            let (re, im) = (V::load(&key[2 * lane]), V::load(&key[2 * lane + 1]));
            sum.re = digit_im.neg_mul_add(im, digit_re.mul_add(re, sum.re));
            sum.im = digit_im.mul_add(re, digit_re.mul_add(im, sum.im));
        }
    }
    sum
}

/// All passes of a forward transform before the blocks.
#[inline(always)]
fn first_passes<V: Lanes<W>, const W: usize>(tables: &Tables, values: &mut [f64], ahead: &mut Ahead<'_>) {
    let mut depth = 0;
    for &stages in &tables.passes {
        match stages {
            1 => middle_pass::<V, W, 2, false>(tables, depth, values, ahead),
            2 => middle_pass::<V, W, 4, false>(tables, depth, values, ahead),
            _ => middle_pass::<V, W, 8, false>(tables, depth, values, ahead),
        }
        depth += stages;
    }
}

/// The stages of one pass on the nodes of a depth.
#[inline(always)]
fn middle_pass<V: Lanes<W>, const W: usize, const R: usize, const INVERSE: bool>(
    tables: &Tables,
    depth: u32,
    values: &mut [f64],
    ahead: &mut Ahead<'_>,
) {
    let nodes = 1 << depth;
    for (node, values) in values.chunks_exact_mut(tables.degree / nodes).enumerate() {
        let factors = Broadcast::new(tables, nodes + node);
        let mut parts = Parts::<W, R>::of(values);
        for index in 0..parts.len {
            let mut points = parts.get::<V>(index);
            match INVERSE {
                true => inverse_stages(&mut points, &factors),
                false => forward_stages(&mut points, &factors),
            }
            parts.put(index, points);
            ahead.touch::<V, W>(R / 2 * R.ilog2() as usize);
        }
    }
}

/// All passes of an inverse after the blocks.
#[inline(always)]
fn last_passes<V: Lanes<W>, const W: usize>(
    tables: &Tables,
    values: &mut [f64],
    sink: &mut impl Sink<V, W>,
    ahead: &mut Ahead<'_>,
) {
    let mut depth: u32 = tables.passes.iter().sum();
    for &stages in tables.passes[1..].iter().rev() {
        depth -= stages;
        match stages {
            1 => middle_pass::<V, W, 2, true>(tables, depth, values, ahead),
            2 => middle_pass::<V, W, 4, true>(tables, depth, values, ahead),
            _ => middle_pass::<V, W, 8, true>(tables, depth, values, ahead),
        }
    }
    match tables.passes[0] {
        1 => last_pass::<V, W, 2>(tables, values, sink, ahead),
        2 => last_pass::<V, W, 4>(tables, values, sink, ahead),
        _ => last_pass::<V, W, 8>(tables, values, sink, ahead),
    }
}

#[inline(always)]
fn last_pass<V: Lanes<W>, const W: usize, const R: usize>(
    tables: &Tables,
    values: &mut [f64],
    sink: &mut impl Sink<V, W>,
    ahead: &mut Ahead<'_>,
) {
    let factors = Broadcast::new(tables, 1);
    let parts = Parts::<W, R>::of(values);
    for index in 0..parts.len {
        let mut points = parts.get::<V>(index);
        inverse_stages(&mut points, &factors);
        for part in 0..R {
            sink.put(index + part * parts.len, points[part]);
        }
        ahead.touch::<V, W>(R / 2 * R.ilog2() as usize);
    }
}

/// The last stages of a forward transform on a block.
#[inline(always)]
fn forward_block<V: Lanes<W>, const W: usize>(
    tables: &Tables,
    block: usize,
    mut points: [Complex<V>; W],
) -> [Complex<V>; W] {
    forward_stages(&mut points, &Broadcast::new(tables, tables.blocks + block));
    points = transpose(points);
    forward_stages(&mut points, &Vectors::new(tables, block));
    points
}

/// The first stages of an inverse on a block.
#[inline(always)]
fn inverse_block<V: Lanes<W>, const W: usize>(
    tables: &Tables,
    block: usize,
    mut points: [Complex<V>; W],
) -> [Complex<V>; W] {
    inverse_stages(&mut points, &Vectors::new(tables, block));
    points = transpose(points);
    inverse_stages(&mut points, &Broadcast::new(tables, tables.blocks + block));
    points
}

#[inline(always)]
fn transpose<V: Lanes<W>, const W: usize>(mut points: [Complex<V>; W]) -> [Complex<V>; W] {
    let (mut re, mut im) = ([points[0].re; W], [points[0].im; W]);
    for lane in 0..W {
        (re[lane], im[lane]) = (points[lane].re, points[lane].im);
    }
    let (re, im) = (V::transpose(re), V::transpose(im));
    for lane in 0..W {
        points[lane] = Complex { re: re[lane], im: im[lane] };
    }
    points
}

/// `log2 R` stages between `R` vectors.
#[inline(always)]
fn forward_stages<V: Lanes<W>, const W: usize, const R: usize>(
    points: &mut [Complex<V>; R],
    factors: &impl Factors<V, W>,
) {
    let mut nodes = 1;
    while nodes < R {
        let half = R / (2 * nodes);
        for node in 0..nodes {
            let factor = factors.get(nodes + node);
            for index in 2 * half * node..2 * half * node + half {
                let (a, b) = (points[index], times(points[index + half], factor));
                points[index] = Complex { re: a.re.add(b.re), im: a.im.add(b.im) };
                points[index + half] = Complex { re: a.re.sub(b.re), im: a.im.sub(b.im) };
            }
        }
        nodes *= 2;
    }
}

/// The inverse of [`forward_stages`], times `R`.
#[inline(always)]
fn inverse_stages<V: Lanes<W>, const W: usize, const R: usize>(
    points: &mut [Complex<V>; R],
    factors: &impl Factors<V, W>,
) {
    let mut nodes = R / 2;
    while nodes > 0 {
        let half = R / (2 * nodes);
        for node in 0..nodes {
            let factor = factors.get(nodes + node);
            for index in 2 * half * node..2 * half * node + half {
                let (a, b) = (points[index], points[index + half]);
                points[index] = Complex { re: a.re.add(b.re), im: a.im.add(b.im) };
                points[index + half] = times_conjugate(Complex { re: a.re.sub(b.re), im: a.im.sub(b.im) }, factor);
            }
        }
        nodes /= 2;
    }
}

#[inline(always)]
fn times<V: Lanes<W>, const W: usize>(a: Complex<V>, w: Complex<V>) -> Complex<V> {
    Complex { re: a.im.neg_mul_add(w.im, a.re.mul(w.re)), im: a.re.mul_add(w.im, a.im.mul(w.re)) }
}

#[inline(always)]
fn times_conjugate<V: Lanes<W>, const W: usize>(a: Complex<V>, w: Complex<V>) -> Complex<V> {
    Complex { re: a.im.mul_add(w.im, a.re.mul(w.re)), im: a.re.neg_mul_add(w.im, a.im.mul(w.re)) }
}

/// Factors of a node's subtree, the same in every lane.
struct Broadcast<'a> {
    tables: &'a Tables,
    root: usize,
}

impl<'a> Broadcast<'a> {
    #[inline(always)]
    fn new(tables: &'a Tables, root: usize) -> Self {
        Self { tables, root }
    }
}

impl<V: Lanes<W>, const W: usize> Factors<V, W> for Broadcast<'_> {
    #[inline(always)]
    fn get(&self, node: usize) -> Complex<V> {
        let stage = node.ilog2();
        let [re, im] = self.tables.nodes[(self.root << stage) + node - (1 << stage)];
        Complex { re: V::splat(re), im: V::splat(im) }
    }
}

/// Factors of the last stages on a block, where each lane has its own.
struct Vectors<'a, const W: usize> {
    /// `2·W` vectors.
    vectors: &'a [[f64; W]],
}

impl<'a, const W: usize> Vectors<'a, W> {
    #[inline(always)]
    fn new(tables: &'a Tables, block: usize) -> Self {
        Self { vectors: tables.lanes[block * 2 * W * W..][..2 * W * W].as_chunks().0 }
    }
}

impl<V: Lanes<W>, const W: usize> Factors<V, W> for Vectors<'_, W> {
    #[inline(always)]
    fn get(&self, node: usize) -> Complex<V> {
        Complex { re: V::load(&self.vectors[2 * node]), im: V::load(&self.vectors[2 * node + 1]) }
    }
}

/// `R` parts of one length of some points.
struct Parts<'a, const W: usize, const R: usize> {
    parts: [&'a mut [[[f64; W]; 2]]; R],
    /// The complex vectors in each part.
    len: usize,
}

impl<'a, const W: usize, const R: usize> Parts<'a, W, R> {
    #[inline(always)]
    fn of(values: &'a mut [f64]) -> Self {
        let mut rest = values.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0;
        let len = rest.len() / R;
        let parts = core::array::from_fn(|_| {
            let (part, others) = core::mem::take(&mut rest).split_at_mut(len);
            rest = others;
            part
        });
        Self { parts, len }
    }

    #[inline(always)]
    fn get<V: Lanes<W>>(&self, index: usize) -> [Complex<V>; R] {
        let mut points = [load(&self.parts[0][index]); R];
        for part in 1..R {
            points[part] = load(&self.parts[part][index]);
        }
        points
    }

    #[inline(always)]
    fn put<V: Lanes<W>>(&mut self, index: usize, points: [Complex<V>; R]) {
        for part in 0..R {
            store(&mut self.parts[part][index], points[part]);
        }
    }
}

#[inline(always)]
fn load<V: Lanes<W>, const W: usize>([re, im]: &[[f64; W]; 2]) -> Complex<V> {
    Complex { re: V::load(re), im: V::load(im) }
}

#[inline(always)]
fn store<V: Lanes<W>, const W: usize>([re, im]: &mut [[f64; W]; 2], point: Complex<V>) {
    point.re.store(re);
    point.im.store(im);
}

/// Memory that the next step reads, asked for little by little: a processor keeps track of some dozen requests only.
struct Ahead<'a> {
    lines: &'a [[f64; 8]],
    asked: usize,
    /// Lines for each butterfly, and those that are due, both times [`Ahead::ONE`].
    rate: usize,
    due: usize,
}

impl<'a> Ahead<'a> {
    const ONE: usize = 1 << 16;

    #[inline(always)]
    fn nothing() -> Self {
        Self { lines: &[], asked: 0, rate: 0, due: 0 }
    }

    /// All of `memory` during so many butterflies.
    #[inline(always)]
    fn of(memory: &'a [f64], butterflies: usize) -> Self {
        let lines = memory.as_chunks().0;
        Self { lines, asked: 0, rate: lines.len() * Self::ONE / butterflies + 1, due: 0 }
    }

    /// Asks for what is due after some butterflies.
    #[inline(always)]
    fn touch<V: Lanes<W>, const W: usize>(&mut self, butterflies: usize) {
        self.due += self.rate * butterflies;
        let due = self.due / Self::ONE;
        self.due %= Self::ONE;
        for line in self.lines.iter().skip(self.asked).take(due) {
            V::prefetch(&line[0]);
        }
        self.asked += due;
    }
}

/// The butterflies of vectors in a transform of so many points, or in all stages between as many.
#[inline(always)]
const fn butterflies(points: usize, width: usize) -> usize {
    points / (2 * width) * points.ilog2() as usize
}

/// `W` complex vectors.
#[inline(always)]
fn load_block<V: Lanes<W>, const W: usize>(values: &[f64]) -> [Complex<V>; W] {
    let vectors = values.as_chunks::<W>().0.as_chunks::<2>().0;
    let mut points = [load(&vectors[0]); W];
    for lane in 1..W {
        points[lane] = load(&vectors[lane]);
    }
    points
}

#[inline(always)]
fn store_block<V: Lanes<W>, const W: usize>(values: &mut [f64], points: [Complex<V>; W]) {
    let vectors = values.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0;
    for lane in 0..W {
        store(&mut vectors[lane], points[lane]);
    }
}

/// The constants of one digit.
#[derive(Clone, Copy)]
struct Digit<V: Lanes<W>, const W: usize> {
    offset: V::Words,
    shift: u32,
    bits: u32,
}

impl<V: Lanes<W>, const W: usize> Digit<V, W> {
    /// The digits of `rotated - plain`, or of `-rotated - plain`.
    #[inline(always)]
    fn of_difference<const NEGATED: bool>(self, rotated: &[u64; W], plain: &[u64; W]) -> V {
        let (rotated, plain) = (V::load_words(rotated), V::load_words(plain));
        let sum = match NEGATED {
            true => V::sub_words(self.offset, V::add_words(rotated, plain)),
            false => V::add_words(self.offset, V::sub_words(rotated, plain)),
        };
        V::digit(sum, self.shift, self.bits)
    }
}

/// One digit of each coefficient of `(X^exponent - 1)·f`, as points: a coefficient of the lower half and one of the upper half.
#[inline(always)]
fn rotated_digits<V: Lanes<W>, const W: usize>(words: &[u64], step: &Step<'_>, level: u32, values: &mut [f64]) {
    let (degree, decomposition) = (words.len(), step.decomposition);
    let digit = Digit::<V, W> {
        offset: V::splat_words(decomposition.offset()),
        shift: 64 - decomposition.bits * (level + 1),
        bits: decomposition.bits,
    };
    // X^exponent is X^shift or its negation. The first coefficients of X^shift·f, `shift` many, are negated ones.
    let (shift, negative) = (step.exponent % degree, step.exponent >= degree);
    let half = degree / 2;
    // Where in each half negation ends, in the other half it does nowhere.
    let (turn, upper) = (shift % half, shift >= half);
    let (before, after) = ((true ^ negative, upper ^ negative), (upper ^ negative, negative));
    let mixed = turn / W * W;
    digits_between(words, shift, 0..mixed, before, digit, values);
    let end = match turn % W {
        0 => mixed,
        _ => {
            let mut rotated = [[0; W]; 2];
            for (start, rotated) in [mixed, mixed + half].into_iter().zip(&mut rotated) {
                for (index, word) in (start..).zip(rotated) {
                    let from = words[(degree + index - shift) % degree];
                    *word = if (index < shift) ^ negative { from.wrapping_neg() } else { from };
                }
            }
            let plain = [mixed, mixed + half].map(|start| vector(words, start));
            let pair = &mut values.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0[mixed / W];
            let re = digit.of_difference::<false>(&rotated[0], plain[0]);
            store(pair, Complex { re, im: digit.of_difference::<false>(&rotated[1], plain[1]) });
            mixed + W
        }
    };
    digits_between(words, shift, end..half, after, digit, values);
}

/// [`rotated_digits`] of a range of whole vectors in which the rotated coefficients of each half are negated, or not.
#[inline(always)]
fn digits_between<V: Lanes<W>, const W: usize>(
    words: &[u64],
    shift: usize,
    range: Range<usize>,
    negated: (bool, bool),
    digit: Digit<V, W>,
    values: &mut [f64],
) {
    match negated {
        (false, false) => digits_with_signs::<V, W, false, false>(words, shift, range, digit, values),
        (false, true) => digits_with_signs::<V, W, false, true>(words, shift, range, digit, values),
        (true, false) => digits_with_signs::<V, W, true, false>(words, shift, range, digit, values),
        (true, true) => digits_with_signs::<V, W, true, true>(words, shift, range, digit, values),
    }
}

#[inline(always)]
fn digits_with_signs<V: Lanes<W>, const W: usize, const LOW: bool, const HIGH: bool>(
    words: &[u64],
    shift: usize,
    range: Range<usize>,
    digit: Digit<V, W>,
    values: &mut [f64],
) {
    let (degree, half, len) = (words.len(), words.len() / 2, range.len());
    let vectors = |start: usize| words[start..start + len].as_chunks::<W>().0;
    let rotated = |start: usize| vectors((degree + start - shift) % degree);
    let plain = vectors(range.start).iter().zip(vectors(range.start + half));
    let rotated = rotated(range.start).iter().zip(rotated(range.start + half));
    let pairs = values[2 * range.start..2 * range.end].as_chunks_mut::<W>().0.as_chunks_mut::<2>().0;
    for (pair, ((plain_low, plain_high), (low, high))) in pairs.iter_mut().zip(plain.zip(rotated)) {
        let re = digit.of_difference::<LOW>(low, plain_low);
        store(pair, Complex { re, im: digit.of_difference::<HIGH>(high, plain_high) });
    }
}

#[inline(always)]
fn vector<const W: usize>(words: &[u64], start: usize) -> &[u64; W] {
    match words[start..].first_chunk() {
        Some(vector) => vector,
        None => unreachable!("a polynomial ends with a whole vector"),
    }
}

/// Adds points, scaled, to the coefficients of a polynomial.
struct AddScaled<'a, V, const W: usize> {
    low: &'a mut [[u64; W]],
    high: &'a mut [[u64; W]],
    scale: V,
}

impl<'a, V, const W: usize> AddScaled<'a, V, W> {
    #[inline(always)]
    fn new(words: &'a mut [u64], scale: V) -> Self {
        let [low, high] = halves_mut(words);
        Self { low, high, scale }
    }
}

impl<V: Lanes<W>, const W: usize> Sink<V, W> for AddScaled<'_, V, W> {
    #[inline(always)]
    fn put(&mut self, index: usize, points: Complex<V>) {
        add_fraction(&mut self.low[index], points.re.mul(self.scale));
        add_fraction(&mut self.high[index], points.im.mul(self.scale));
    }
}

/// Adds points to the coefficients of a polynomial.
struct Add<'a, const W: usize> {
    low: &'a mut [[u64; W]],
    high: &'a mut [[u64; W]],
}

impl<'a, const W: usize> Add<'a, W> {
    #[inline(always)]
    fn new(words: &'a mut [u64]) -> Self {
        let [low, high] = halves_mut(words);
        Self { low, high }
    }
}

impl<V: Lanes<W>, const W: usize> Sink<V, W> for Add<'_, W> {
    #[inline(always)]
    fn put(&mut self, index: usize, points: Complex<V>) {
        add_fraction(&mut self.low[index], points.re);
        add_fraction(&mut self.high[index], points.im);
    }
}

#[inline(always)]
fn add_fraction<V: Lanes<W>, const W: usize>(words: &mut [u64; W], value: V) {
    V::store_words(V::add_words(V::load_words(words), value.fraction()), words);
}

#[inline(always)]
fn halves<const W: usize>(words: &[u64]) -> [&[[u64; W]]; 2] {
    let (low, high) = words.split_at(words.len() / 2);
    [low.as_chunks().0, high.as_chunks().0]
}

#[inline(always)]
fn halves_mut<const W: usize>(words: &mut [u64]) -> [&mut [[u64; W]]; 2] {
    let (low, high) = words.split_at_mut(words.len() / 2);
    [low.as_chunks_mut().0, high.as_chunks_mut().0]
}
