//! Transforms in doubles.
//!
//! The first pass turns words into doubles, which stay in the array as their bits until the last pass turns them back.
//! Node `k` of the tree of blocks has the children `2k` and `2k + 1`, and a block that fits in the first-level cache is
//! finished before the next one.

use super::{Doubles, Pair, Words};
use crate::Buffer;
use crate::arch::{NttKernels, Prologue, Twiddles, portable};
use crate::modulus::Modulus;

/// Up to 48 bits. Forward nothing is reduced before the end: a value that starts at `2q` is below `20q < 2^53` after 17
/// stages, and below `14q < 2^52` where products are long. Backward the one sum of four in each pass of two stages is
/// reduced.
pub(crate) const fn free<V: Pair>(name: &'static str) -> NttKernels {
    NttKernels {
        name,
        supports: |modulus, degree| degree >= MIN_DEGREE && modulus.bits() <= V::FREE_BITS,
        prepare: prepare::<V>,
        forward: forward_transform::<V, false, true>,
        forward_lazy: forward_transform::<V, false, false>,
        forward_from: forward_from::<V, false>,
        forward_lazy_from: forward_from::<V, false>,
        inverse: inverse_transform::<V, false, true>,
        inverse_lazy: inverse_transform::<V, false, false>,
        butterflies: butterflies::<V, false>,
    }
}

/// Up to 50 bits. What a pass of two stages does not multiply is reduced, so that values stay below `4q ≤ 2^52`.
pub(crate) const fn reduced<V: Pair>(name: &'static str) -> NttKernels {
    NttKernels {
        name,
        supports: |modulus, degree| degree >= MIN_DEGREE && modulus.bits() <= 50,
        prepare: prepare::<V>,
        forward: forward_transform::<V, true, true>,
        forward_lazy: forward_transform::<V, true, false>,
        forward_from: forward_from::<V, true>,
        forward_lazy_from: forward_from::<V, true>,
        inverse: inverse_transform::<V, true, true>,
        inverse_lazy: inverse_transform::<V, true, false>,
        butterflies: butterflies::<V, true>,
    }
}

/// Smaller transforms are no faster than the portable ones.
const MIN_DEGREE: usize = 16;

/// Words of a block that is finished at once: half of a first-level cache of 32 KiB.
const BLOCK: usize = 2048;

/// The first components of all residues, then all second ones, and so on.
fn prepare<V: Pair>(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let mut table = Buffer::zeroed(V::COMPONENTS * residues.len());
    for (k, &residue) in residues.iter().enumerate() {
        let words = table.iter_mut().skip(k).step_by(residues.len());
        words.zip(V::components(modulus, residue)).for_each(|(word, component)| *word = component.to_bits());
    }
    table
}

/// The factors of one direction, with the constants of the modulus.
#[derive(Clone, Copy)]
struct Table<'a, V: Pair> {
    doubles: Doubles<V>,
    /// Subtracted from the words of a lazy input to centre them: `2q` forward, `q` backward, 0 for residues.
    offset: V,
    /// The components of all factors.
    words: [&'a [u64]; 4],
}

impl<'a, V: Pair> Table<'a, V> {
    fn new(modulus: &Modulus, table: &'a [u64], offset: u64) -> Self {
        let mut words: [&[u64]; 4] = [&[]; 4];
        words.iter_mut().zip(table.chunks_exact(table.len() / V::COMPONENTS)).for_each(|(words, row)| *words = row);
        Self { doubles: Doubles::new(modulus), offset: V::splat(offset as f64), words }
    }

    /// Factor `k` in both lanes.
    #[inline(always)]
    fn one(&self, k: usize) -> V::Factor {
        V::factor(|component| V::splat(f64::from_bits(self.words[component][k])))
    }

    /// The factors of node `k` and its two children.
    #[inline(always)]
    fn three(&self, k: usize) -> [V::Factor; 3] {
        [self.one(k), self.one(2 * k), self.one(2 * k + 1)]
    }

    /// Words of the input, or doubles, as doubles.
    #[inline(always)]
    fn read<const FIRST: bool>(&self, words: &Words) -> V {
        if FIRST { V::load_words(words).sub(self.offset) } else { V::load(words) }
    }

    /// The components of `count` factors from `k` on.
    #[inline(always)]
    fn rows(&self, k: usize, count: usize) -> [&'a [u64]; 4] {
        core::array::from_fn(|i| if i < V::COMPONENTS { &self.words[i][k..k + count] } else { &[] })
    }

    /// The factors of `count` nodes from `k` on, each in both lanes.
    #[inline(always)]
    fn singles(&self, k: usize, count: usize) -> impl Iterator<Item = V::Factor> + use<'a, V> {
        let rows = self.rows(k, count);
        (0..count).map(move |i| V::factor(|component| V::splat(f64::from_bits(rows[component][i]))))
    }

    /// The nodes from `k` on of the blocks of four words: the factors of each and, in the two lanes, of its children.
    #[inline(always)]
    fn leaves(&self, k: usize, count: usize) -> impl Iterator<Item = (V::Factor, V::Factor)> + use<'a, V> {
        self.singles(k, count).zip(self.pairs(2 * k, count))
    }

    /// Two factors from `k` on in the two lanes, the next two, and so on.
    #[inline(always)]
    fn pairs(&self, k: usize, count: usize) -> impl Iterator<Item = V::Factor> + use<'a, V> {
        let rows = self.rows(k, 2 * count).map(|row| row.as_chunks().0);
        (0..count).map(move |i| V::factor(|component| V::load(&rows[component][i])))
    }
}

/// The four quarters of a block.
#[inline(always)]
fn quarters(block: &mut [Words]) -> impl Iterator<Item = [&mut Words; 4]> {
    let (low, high) = block.split_at_mut(block.len() / 2);
    let ((x0, x1), (x2, x3)) = (low.split_at_mut(low.len() / 2), high.split_at_mut(high.len() / 2));
    x0.iter_mut().zip(x1).zip(x2.iter_mut().zip(x3)).map(|((x0, x1), (x2, x3))| [x0, x1, x2, x3])
}

fn forward_transform<V: Pair, const REDUCE: bool, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    a: &mut [u64],
) {
    let offset = if STRICT { 0 } else { 2 * modulus.value() };
    let table = Table::<V>::new(modulus, &twiddles.forward, offset);
    forward_node::<V, true, REDUCE>(&table, 1, a.as_chunks_mut().0);
}

/// The transform with a prologue, to residues.
fn forward_from<V: Pair, const REDUCE: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    out: &mut [u64],
    input: &[u64],
    prologue: Prologue,
) {
    portable::apply_prologue(modulus, prologue, out, input);
    forward_transform::<V, REDUCE, false>(modulus, twiddles, out);
}

/// All stages of the block of node `k`, of at least 16 words. `FIRST` is for node 1.
fn forward_node<V: Pair, const FIRST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    if V::LONG_PRODUCTS {
        return forward_singles::<V, FIRST, REDUCE>(table, k, a);
    }
    if a.len() > BLOCK / 2 {
        forward_pass::<V, FIRST, REDUCE>(table, k, a);
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            forward_node::<V, false, REDUCE>(table, 4 * k + i, quarter);
        }
        return;
    }
    let (mut k, mut len) = (k, a.len());
    if len.ilog2() % 2 == 0 {
        forward_single::<V, FIRST, REDUCE>(table, k, a);
        (k, len) = (2 * k, len / 2);
    } else {
        forward_pass::<V, FIRST, REDUCE>(table, k, a);
        (k, len) = (4 * k, len / 4);
    }
    while len > 2 {
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            forward_pass::<V, false, REDUCE>(table, k + i, block);
        }
        (k, len) = (4 * k, len / 4);
    }
    forward_leaves::<V, REDUCE>(table, k, a.as_chunks_mut().0);
}

/// As [`forward_node`], one stage at a time.
fn forward_singles<V: Pair, const FIRST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    forward_single::<V, FIRST, REDUCE>(table, k, a);
    if a.len() > BLOCK / 2 {
        for (i, half) in a.chunks_exact_mut(a.len() / 2).enumerate() {
            forward_singles::<V, false, REDUCE>(table, 2 * k + i, half);
        }
        return;
    }
    let (mut k, mut len) = (2 * k, a.len() / 2);
    while len > 4 {
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            forward_single::<V, false, REDUCE>(table, k + i, block);
        }
        (k, len) = (2 * k, len / 2);
    }
    forward_stage::<V, 2, REDUCE>(table, k, a);
    forward_stage::<V, 1, REDUCE>(table, 2 * k, a);
    forward_last::<V, REDUCE>(table, 4 * k, a);
}

/// The stage of the nodes from `k` on, whose blocks have `H` vectors in each half.
#[inline(always)]
fn forward_stage<V: Pair, const H: usize, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    let (halves, _) = a.as_chunks_mut::<H>();
    let (blocks, _) = halves.as_chunks_mut();
    let factors = table.singles(k, blocks.len());
    for ([low, high], w) in blocks.iter_mut().zip(factors) {
        for (x, y) in low.iter_mut().zip(high) {
            let outputs = forward_butterfly::<V, REDUCE>(&table.doubles, [V::load(x), V::load(y)], w);
            outputs[0].store(x);
            outputs[1].store(y);
        }
    }
}

/// The last stage, of the nodes from `k` on, then residues.
#[inline(always)]
fn forward_last<V: Pair, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    let doubles = &table.doubles;
    let blocks = a.as_chunks_mut().0;
    let factors = table.pairs(k, blocks.len());
    for ([low, high], w) in blocks.iter_mut().zip(factors) {
        let (x, y) = (V::load(low), V::load(high));
        let [x, y] = forward_butterfly::<V, REDUCE>(doubles, [x.lower(y), x.upper(y)], w);
        let [x, y] = [x, y].map(|x| doubles.residues(doubles.balance(x)));
        x.lower(y).store_words(low);
        x.upper(y).store_words(high);
    }
}

/// One stage of the block of node `k`.
#[inline(always)]
fn forward_single<V: Pair, const FIRST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, block: &mut [Words]) {
    let w = table.one(k);
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (x, y) in low.iter_mut().zip(high) {
        let inputs = [table.read::<FIRST>(x), table.read::<FIRST>(y)];
        let outputs = forward_butterfly::<V, REDUCE>(&table.doubles, inputs, w);
        outputs[0].store(x);
        outputs[1].store(y);
    }
}

/// Two stages of the block of node `k`.
#[inline(always)]
fn forward_pass<V: Pair, const FIRST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, block: &mut [Words]) {
    let w = table.three(k);
    for x in quarters(block) {
        let inputs = x.each_ref().map(|words| table.read::<FIRST>(words));
        let outputs = forward_stages::<V, REDUCE>(&table.doubles, inputs, w);
        for (words, output) in x.into_iter().zip(outputs) {
            output.store(words);
        }
    }
}

/// At least `count` butterflies; a word that depends on all of them.
fn butterflies<V: Pair, const REDUCE: bool>(modulus: &Modulus, twiddles: &Twiddles, count: usize) -> u64 {
    let table = Table::<V>::new(modulus, &twiddles.forward, 0);
    let w = table.three(1);
    // Independent ones, as the columns of a pass are.
    let mut columns = [[V::splat(1.0); 4]; 4];
    for _ in 0..count.div_ceil(2 * 4 * 4) {
        for x in &mut columns {
            *x = forward_stages::<V, REDUCE>(&table.doubles, *x, w);
        }
    }
    let sum = columns.as_flattened().iter().fold(V::splat(0.0), |sum, &x| sum.add(x));
    let mut words = [0; 2];
    sum.store(&mut words);
    words[0]
}

/// Two stages. Where `REDUCE`, magnitudes up to `4q` become at most `9/4·q`.
#[inline(always)]
fn forward_stages<V: Pair, const REDUCE: bool>(
    doubles: &Doubles<V>,
    [x0, x1, x2, x3]: [V; 4],
    w: [V::Factor; 3],
) -> [V; 4] {
    let [x0, x2] = forward_butterfly::<V, REDUCE>(doubles, [x0, x2], w[0]);
    let [x1, x3] = forward_butterfly::<V, REDUCE>(doubles, [x1, x3], w[0]);
    let [x0, x1] = forward_butterfly::<V, false>(doubles, [x0, x1], w[1]);
    let [x2, x3] = forward_butterfly::<V, false>(doubles, [x2, x3], w[2]);
    [x0, x1, x2, x3]
}

/// `(x + w·y, x - w·y)`.
#[inline(always)]
fn forward_butterfly<V: Pair, const REDUCE: bool>(doubles: &Doubles<V>, [x, y]: [V; 2], w: V::Factor) -> [V; 2] {
    let x = if REDUCE { doubles.balance(x) } else { x };
    let product = y.product(w, doubles);
    [x.add(product), x.sub(product)]
}

/// The last two stages of the blocks of four words with nodes from `k` on, then residues.
#[inline(always)]
fn forward_leaves<V: Pair, const REDUCE: bool>(table: &Table<V>, k: usize, blocks: &mut [[Words; 2]]) {
    let doubles = &table.doubles;
    let leaves = table.leaves(k, blocks.len());
    for ([low, high], (w, children)) in blocks.iter_mut().zip(leaves) {
        let [x, y] = forward_butterfly::<V, REDUCE>(doubles, [V::load(low), V::load(high)], w);
        let [x, y] = forward_butterfly::<V, false>(doubles, [x.lower(y), x.upper(y)], children);
        let [x, y] = [x, y].map(|x| doubles.residues(doubles.balance(x)));
        x.lower(y).store_words(low);
        x.upper(y).store_words(high);
    }
}

fn inverse_transform<V: Pair, const REDUCE: bool, const STRICT: bool>(
    modulus: &Modulus,
    twiddles: &Twiddles,
    a: &mut [u64],
) {
    let offset = if STRICT { 0 } else { modulus.value() };
    let table = Table::<V>::new(modulus, &twiddles.inverse, offset);
    inverse_node::<V, true, REDUCE>(&table, 1, a.as_chunks_mut().0);
}

/// All stages of the block of node `k`, of at least 16 words. `LAST` is for node 1.
fn inverse_node<V: Pair, const LAST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    if V::LONG_PRODUCTS {
        return inverse_singles::<V, LAST, REDUCE>(table, k, a);
    }
    if a.len() > BLOCK / 2 {
        for (i, quarter) in a.chunks_exact_mut(a.len() / 4).enumerate() {
            inverse_node::<V, false, REDUCE>(table, 4 * k + i, quarter);
        }
        return inverse_pass::<V, LAST, REDUCE>(table, k, a);
    }
    inverse_leaves::<V, REDUCE>(table, k * (a.len() / 2), a.as_chunks_mut().0);
    let mut len = 2;
    while a.len() / len > 4 {
        len *= 4;
        let nodes = k * (a.len() / len);
        for (i, block) in a.chunks_exact_mut(len).enumerate() {
            inverse_pass::<V, false, REDUCE>(table, nodes + i, block);
        }
    }
    if a.len() / len == 2 {
        inverse_single::<V, LAST, true>(table, k, a);
    } else {
        inverse_pass::<V, LAST, REDUCE>(table, k, a);
    }
}

/// As [`inverse_node`], one stage at a time.
///
/// The magnitudes after a stage that reduces its sums are at most `11/16·q`, and they double in each that does not. One in
/// four reduces, so that differences are at most `11q`; where `REDUCE`, one in two, and they are little more than `2q`.
fn inverse_singles<V: Pair, const LAST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    let reduced = |len: usize| (len.ilog2() - 1).is_multiple_of(if REDUCE { 2 } else { 4 });
    if a.len() > BLOCK / 2 {
        for (i, half) in a.chunks_exact_mut(a.len() / 2).enumerate() {
            inverse_singles::<V, false, REDUCE>(table, 2 * k + i, half);
        }
    } else {
        inverse_first::<V, REDUCE>(table, k * a.len(), a);
        inverse_stage::<V, 1, true>(table, k * (a.len() / 2), a);
        inverse_stage::<V, 2, false>(table, k * (a.len() / 4), a);
        let mut len = 8;
        while len < a.len() {
            let nodes = k * (a.len() / len);
            for (i, block) in a.chunks_exact_mut(len).enumerate() {
                if reduced(len) {
                    inverse_single::<V, false, true>(table, nodes + i, block);
                } else {
                    inverse_single::<V, false, false>(table, nodes + i, block);
                }
            }
            len *= 2;
        }
    }
    if LAST || reduced(a.len()) {
        inverse_single::<V, LAST, true>(table, k, a);
    } else {
        inverse_single::<V, LAST, false>(table, k, a);
    }
}

/// The first stage, of the nodes from `k` on.
#[inline(always)]
fn inverse_first<V: Pair, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    let blocks = a.as_chunks_mut().0;
    let factors = table.pairs(k, blocks.len());
    for ([low, high], w) in blocks.iter_mut().zip(factors) {
        let [x, y] = [&*low, &*high].map(|words| table.read::<true>(words));
        let [x, y] = inverse_butterfly::<V, REDUCE>(&table.doubles, [x.lower(y), x.upper(y)], w);
        x.lower(y).store(low);
        x.upper(y).store(high);
    }
}

/// The stage of the nodes from `k` on, whose blocks have `H` vectors in each half.
#[inline(always)]
fn inverse_stage<V: Pair, const H: usize, const REDUCE: bool>(table: &Table<V>, k: usize, a: &mut [Words]) {
    let (halves, _) = a.as_chunks_mut::<H>();
    let (blocks, _) = halves.as_chunks_mut();
    let factors = table.singles(k, blocks.len());
    for ([low, high], w) in blocks.iter_mut().zip(factors) {
        for (x, y) in low.iter_mut().zip(high) {
            let outputs = inverse_butterfly::<V, REDUCE>(&table.doubles, [V::load(x), V::load(y)], w);
            outputs[0].store(x);
            outputs[1].store(y);
        }
    }
}

/// One stage of the block of node `k`; `LAST` ends the transform.
#[inline(always)]
fn inverse_single<V: Pair, const LAST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, block: &mut [Words]) {
    let (scale, w) = (table.one(0), table.one(k));
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (x, y) in low.iter_mut().zip(high) {
        let inputs = [V::load(x), V::load(y)];
        if LAST {
            let outputs = inverse_scaled(&table.doubles, inputs, scale, w);
            outputs[0].store_words(x);
            outputs[1].store_words(y);
        } else {
            let outputs = inverse_butterfly::<V, REDUCE>(&table.doubles, inputs, w);
            outputs[0].store(x);
            outputs[1].store(y);
        }
    }
}

/// Two stages of the block of node `k`; `LAST` ends the transform.
#[inline(always)]
fn inverse_pass<V: Pair, const LAST: bool, const REDUCE: bool>(table: &Table<V>, k: usize, block: &mut [Words]) {
    let doubles = &table.doubles;
    let (scale, w) = (table.one(0), table.three(k));
    for x in quarters(block) {
        let inputs = x.each_ref().map(|words| V::load(words));
        if LAST {
            let [y0, y1] = inverse_butterfly::<V, REDUCE>(doubles, [inputs[0], inputs[1]], w[1]);
            let [y2, y3] = inverse_butterfly::<V, REDUCE>(doubles, [inputs[2], inputs[3]], w[2]);
            let [y0, y2] = inverse_scaled(doubles, [y0, y2], scale, w[0]);
            let [y1, y3] = inverse_scaled(doubles, [y1, y3], scale, w[0]);
            for (words, output) in x.into_iter().zip([y0, y1, y2, y3]) {
                output.store_words(words);
            }
        } else {
            let outputs = inverse_stages::<V, REDUCE>(doubles, inputs, w);
            for (words, output) in x.into_iter().zip(outputs) {
                output.store(words);
            }
        }
    }
}

/// Two stages from magnitudes up to `2q`. The sum of four is reduced; where `REDUCE`, so is the sum of two products, and
/// all end below `3/2·q`.
#[inline(always)]
fn inverse_stages<V: Pair, const REDUCE: bool>(
    doubles: &Doubles<V>,
    [x0, x1, x2, x3]: [V; 4],
    w: [V::Factor; 3],
) -> [V; 4] {
    let [x0, x1] = inverse_butterfly::<V, false>(doubles, [x0, x1], w[1]);
    let [x2, x3] = inverse_butterfly::<V, false>(doubles, [x2, x3], w[2]);
    let [x0, x2] = inverse_butterfly::<V, true>(doubles, [x0, x2], w[0]);
    let [x1, x3] = inverse_butterfly::<V, REDUCE>(doubles, [x1, x3], w[0]);
    [x0, x1, x2, x3]
}

/// `(x + y, (x - y)·w)`.
#[inline(always)]
fn inverse_butterfly<V: Pair, const REDUCE: bool>(doubles: &Doubles<V>, [x, y]: [V; 2], w: V::Factor) -> [V; 2] {
    let sum = x.add(y);
    let sum = if REDUCE { doubles.balance(sum) } else { sum };
    [sum, x.sub(y).product(w, doubles)]
}

/// The butterfly of the last stage, `((x + y)·scale, (x - y)·w)`, as residues.
#[inline(always)]
fn inverse_scaled<V: Pair>(doubles: &Doubles<V>, [x, y]: [V; 2], scale: V::Factor, w: V::Factor) -> [V; 2] {
    let (sum, difference) = (x.add(y), x.sub(y));
    [doubles.residues(sum.product(scale, doubles)), doubles.residues(difference.product(w, doubles))]
}

/// The first two stages of the blocks of four words with nodes from `k` on.
#[inline(always)]
fn inverse_leaves<V: Pair, const REDUCE: bool>(table: &Table<V>, k: usize, blocks: &mut [[Words; 2]]) {
    let doubles = &table.doubles;
    let leaves = table.leaves(k, blocks.len());
    for ([low, high], (w, children)) in blocks.iter_mut().zip(leaves) {
        let [x, y] = [&*low, &*high].map(|words| table.read::<true>(words));
        let [x, y] = inverse_butterfly::<V, REDUCE>(doubles, [x.lower(y), x.upper(y)], children);
        let [x, y] = inverse_butterfly::<V, true>(doubles, [x.lower(y), x.upper(y)], w);
        x.store(low);
        y.store(high);
    }
}
