//! Transforms in doubles.
//!
//! The first pass turns words into doubles, which stay in the array as their bits until the last pass turns them back.
//! Node `k` of the tree of blocks has the children `2k` and `2k + 1`, and a block that fits in the first-level cache is
//! finished before the next one.

use super::{Doubles, Factor, Pair, Words};
use crate::Buffer;
use crate::arch::{NttKernels, Prologue, Twiddles, portable};
use crate::modulus::Modulus;

/// Up to 48 bits. Forward nothing is reduced before the end: a value that starts at `2q` is below `20q < 2^53` after 17
/// stages. Backward the one sum of four in each pass is reduced.
pub(crate) const fn free<V: Pair>(name: &'static str) -> NttKernels {
    NttKernels {
        name,
        supports: |modulus, degree| degree >= MIN_DEGREE && modulus.bits() <= 48,
        prepare,
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
        prepare,
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

/// All residues as balanced doubles, then all their quotients by `q`.
fn prepare(modulus: &Modulus, residues: &[u64]) -> Buffer {
    let q = modulus.value() as f64;
    let mut table = Buffer::zeroed(2 * residues.len());
    let (values, quotients) = table.split_at_mut(residues.len());
    for ((value, quotient), &residue) in values.iter_mut().zip(quotients).zip(residues) {
        let balanced = modulus.centered(residue) as f64;
        *value = balanced.to_bits();
        *quotient = (balanced / q).to_bits();
    }
    table
}

/// The factors of one direction, with the constants of the modulus.
#[derive(Clone, Copy)]
struct Table<'a, V: Pair> {
    doubles: Doubles<V>,
    /// Subtracted from the words of a lazy input to centre them: `2q` forward, `q` backward, 0 for residues.
    offset: V,
    values: &'a [u64],
    quotients: &'a [u64],
}

impl<'a, V: Pair> Table<'a, V> {
    fn new(modulus: &Modulus, table: &'a [u64], offset: u64) -> Self {
        let (values, quotients) = table.split_at(table.len() / 2);
        Self { doubles: Doubles::new(modulus), offset: V::splat(offset as f64), values, quotients }
    }

    /// Factor `k` in both lanes.
    #[inline(always)]
    fn one(&self, k: usize) -> Factor<V> {
        let [value, quotient] = [self.values[k], self.quotients[k]].map(|bits| V::splat(f64::from_bits(bits)));
        Factor::new(value, quotient)
    }

    /// The factors of node `k` and its two children.
    #[inline(always)]
    fn three(&self, k: usize) -> [Factor<V>; 3] {
        [self.one(k), self.one(2 * k), self.one(2 * k + 1)]
    }

    /// Words of the input, or doubles, as doubles.
    #[inline(always)]
    fn read<const FIRST: bool>(&self, words: &Words) -> V {
        if FIRST { V::load_words(words).sub(self.offset) } else { V::load(words) }
    }

    /// The nodes from `k` on of the blocks of four words: the factors of each and, in the two lanes, of its children.
    #[inline(always)]
    fn leaves(&self, k: usize, count: usize) -> impl Iterator<Item = (Factor<V>, Factor<V>)> {
        let single = self.values[k..k + count].iter().zip(&self.quotients[k..k + count]);
        let children = 2 * k..2 * (k + count);
        let [values, quotients] = [self.values, self.quotients].map(|words| words[children.clone()].as_chunks().0);
        single.zip(values.iter().zip(quotients)).map(|((&value, &quotient), (values, quotients))| {
            let [value, quotient] = [value, quotient].map(|bits| V::splat(f64::from_bits(bits)));
            (Factor::new(value, quotient), Factor::new(V::load(values), V::load(quotients)))
        })
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
    w: [Factor<V>; 3],
) -> [V; 4] {
    let [x0, x2] = forward_butterfly::<V, REDUCE>(doubles, [x0, x2], w[0]);
    let [x1, x3] = forward_butterfly::<V, REDUCE>(doubles, [x1, x3], w[0]);
    let [x0, x1] = forward_butterfly::<V, false>(doubles, [x0, x1], w[1]);
    let [x2, x3] = forward_butterfly::<V, false>(doubles, [x2, x3], w[2]);
    [x0, x1, x2, x3]
}

/// `(x + w·y, x - w·y)`.
#[inline(always)]
fn forward_butterfly<V: Pair, const REDUCE: bool>(doubles: &Doubles<V>, [x, y]: [V; 2], w: Factor<V>) -> [V; 2] {
    let x = if REDUCE { doubles.balance(x) } else { x };
    let product = doubles.product(y, w);
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
        inverse_single::<V, LAST>(table, k, a);
    } else {
        inverse_pass::<V, LAST, REDUCE>(table, k, a);
    }
}

/// One stage of the block of node `k`; `LAST` ends the transform.
#[inline(always)]
fn inverse_single<V: Pair, const LAST: bool>(table: &Table<V>, k: usize, block: &mut [Words]) {
    let (scale, w) = (table.one(0), table.one(k));
    let (low, high) = block.split_at_mut(block.len() / 2);
    for (x, y) in low.iter_mut().zip(high) {
        let inputs = [V::load(x), V::load(y)];
        if LAST {
            let outputs = inverse_scaled(&table.doubles, inputs, scale, w);
            outputs[0].store_words(x);
            outputs[1].store_words(y);
        } else {
            let outputs = inverse_butterfly::<V, true>(&table.doubles, inputs, w);
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
    w: [Factor<V>; 3],
) -> [V; 4] {
    let [x0, x1] = inverse_butterfly::<V, false>(doubles, [x0, x1], w[1]);
    let [x2, x3] = inverse_butterfly::<V, false>(doubles, [x2, x3], w[2]);
    let [x0, x2] = inverse_butterfly::<V, true>(doubles, [x0, x2], w[0]);
    let [x1, x3] = inverse_butterfly::<V, REDUCE>(doubles, [x1, x3], w[0]);
    [x0, x1, x2, x3]
}

/// `(x + y, (x - y)·w)`.
#[inline(always)]
fn inverse_butterfly<V: Pair, const REDUCE: bool>(doubles: &Doubles<V>, [x, y]: [V; 2], w: Factor<V>) -> [V; 2] {
    let sum = x.add(y);
    let sum = if REDUCE { doubles.balance(sum) } else { sum };
    [sum, doubles.product(x.sub(y), w)]
}

/// The butterfly of the last stage, `((x + y)·scale, (x - y)·w)`, as residues.
#[inline(always)]
fn inverse_scaled<V: Pair>(doubles: &Doubles<V>, [x, y]: [V; 2], scale: Factor<V>, w: Factor<V>) -> [V; 2] {
    let (sum, difference) = (x.add(y), x.sub(y));
    [doubles.residues(doubles.product(sum, scale)), doubles.residues(doubles.product(difference, w))]
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
