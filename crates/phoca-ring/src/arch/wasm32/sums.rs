//! Sums of products modulo a `q` of at most 50 bits, in vectors of two words.
//!
//! Products of two doubles do not fit in one, so a sum is kept in two vectors, exactly. How is up to the vectors: the trait
//! [`Sums`] is the difference between the instruction sets.

use super::{Pair, Words};
use crate::arch::pairs::Doubles;
use crate::arch::portable;
use crate::modulus::{Modulus, Shoup};

/// Sums of products of words below `2^52`.
pub(super) trait Sums: Pair {
    /// A factor.
    type Term: Copy;
    /// A sum of products.
    type Sum: Copy;
    /// The constants of a modulus.
    type Reduction: Copy;

    fn reduction(modulus: &Modulus) -> Self::Reduction;
    /// The most products below `2^product_bits ≤ 2^102` for which a sum has room; at least 1.
    fn room(product_bits: u32) -> usize;
    fn term(words: &Words) -> Self::Term;
    /// An empty sum to which `terms` products will be added.
    fn empty(terms: usize) -> Self::Sum;
    fn add_product(sum: Self::Sum, a: Self::Term, b: Self::Term) -> Self::Sum;
    /// The sum modulo `q`, in `(-q, q)`.
    fn reduce(sum: Self::Sum, reduction: &Self::Reduction, doubles: &Doubles<Self>) -> Self;
}

pub(super) fn dot_into<V: Sums>(modulus: &Modulus, out: &mut [u64], a: &[&[u64]], b: &[&[u64]]) {
    dots_into::<V, 1>(modulus, [out], a, [b]);
}

pub(super) fn dot_pair_into<V: Sums>(modulus: &Modulus, out: [&mut [u64]; 2], a: &[&[u64]], b: [&[&[u64]]; 2]) {
    dots_into::<V, 2>(modulus, out, a, b);
}

/// Inputs of more than 52 bits are no exact doubles.
pub(super) fn linear_combination_into<V: Sums>(
    modulus: &Modulus,
    out: &mut [u64],
    inputs: &[&[u64]],
    weights: &[u64],
    input_bits: u32,
) {
    if input_bits > 52 {
        return portable::linear_combination_into(modulus, out, inputs, weights, input_bits);
    }
    let sums = Context::<V>::new(modulus, V::room(input_bits + modulus.bits()));
    let columns = |start| {
        sums.columns(inputs.len(), |term| {
            let weight = V::term(&[weights[term]; 2]);
            (vectors_at(inputs[term], start).map(|words| V::term(&words)), [[weight; COLUMNS]])
        })
    };
    sums.store([out], columns, |index| [word(modulus, index, inputs, |term| weights[term])]);
}

/// Words in `[0, 4q)`, centred around zero.
pub(super) fn scale_into<V: Pair>(modulus: &Modulus, out: &mut [u64], a: &[u64], w: Shoup) {
    let (doubles, w) = (Doubles::<V>::new(modulus), Doubles::<V>::factor(modulus, w.value));
    let twice = doubles.q.add(doubles.q);
    map(out, a, |words| doubles.residues(V::load_words(words).sub(twice).product(w, &doubles)));
}

/// `out ← f(a)`.
#[inline(always)]
fn map<V: Pair>(out: &mut [u64], a: &[u64], f: impl Fn(&Words) -> V) {
    let ((pairs, rest), (a, a_rest)) = (out.as_chunks_mut(), a.as_chunks());
    for (out, a) in pairs.iter_mut().zip(a) {
        f(a).store_words(out);
    }
    if let ([word], [a]) = (rest, a_rest) {
        let mut pair = [0; 2];
        f(&[*a, 0]).store_words(&mut pair);
        [*word, _] = pair;
    }
}

/// Vectors whose sums are in registers at once.
const COLUMNS: usize = 4;

/// Sums of products of the same `a`, in `[0, 4q)`, with `H` sequences of residues `b`.
#[inline(always)]
fn dots_into<V: Sums, const H: usize>(modulus: &Modulus, out: [&mut [u64]; H], a: &[&[u64]], b: [&[&[u64]]; H]) {
    let sums = Context::<V>::new(modulus, V::room(2 * modulus.bits() + 2));
    let columns = |start| {
        sums.columns(a.len(), |term| {
            let terms = |row| vectors_at(row, start).map(|words| V::term(&words));
            (terms(a[term]), b.map(|b| terms(b[term])))
        })
    };
    sums.store(out, columns, |index| b.map(|b| word(modulus, index, a, |term| b[term][index])));
}

/// The vectors of a row from word `start` on.
#[inline(always)]
fn vectors_at(row: &[u64], start: usize) -> [Words; COLUMNS] {
    core::array::from_fn(|v| row[start..start + 2 * COLUMNS].as_chunks().0[v])
}

/// One word of a sum.
fn word(modulus: &Modulus, index: usize, a: &[&[u64]], b: impl Fn(usize) -> u64) -> u64 {
    (0..a.len()).fold(0, |sum, term| modulus.mul_add(a[term][index], b(term), sum))
}

/// What sums modulo `q` need.
struct Context<V: Sums> {
    doubles: Doubles<V>,
    reduction: V::Reduction,
    room: usize,
}

impl<V: Sums> Context<V> {
    fn new(modulus: &Modulus, room: usize) -> Self {
        Self { doubles: Doubles::new(modulus), reduction: V::reduction(modulus), room }
    }

    /// `H` sums of `count` products, in `(-q, q)`, in each of some vectors; `terms` gives the factors.
    #[inline(always)]
    fn columns<const H: usize>(
        &self,
        count: usize,
        terms: impl Fn(usize) -> ([V::Term; COLUMNS], [[V::Term; COLUMNS]; H]),
    ) -> [[V; COLUMNS]; H] {
        let mut residues = [[V::splat(0.0); COLUMNS]; H];
        for first in (0..count).step_by(self.room) {
            let last = count.min(first + self.room);
            let mut sums = [[V::empty(last - first); COLUMNS]; H];
            for term in first..last {
                let (a, b) = terms(term);
                for (sums, b) in sums.iter_mut().zip(b) {
                    for v in 0..COLUMNS {
                        sums[v] = V::add_product(sums[v], a[v], b[v]);
                    }
                }
            }
            for (residue, &sum) in residues.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
                let rest = V::reduce(sum, &self.reduction, &self.doubles);
                *residue = if first == 0 { rest } else { self.doubles.balance(residue.add(rest)) };
            }
        }
        residues
    }

    /// Stores residues from [`columns`](Self::columns), and from `word` where no vectors are left.
    #[inline(always)]
    fn store<const H: usize>(
        &self,
        mut out: [&mut [u64]; H],
        columns: impl Fn(usize) -> [[V; COLUMNS]; H],
        word: impl Fn(usize) -> [u64; H],
    ) {
        let len = out[0].len();
        let done = len - len % (2 * COLUMNS);
        for start in (0..done).step_by(2 * COLUMNS) {
            for (h, residues) in columns(start).into_iter().enumerate() {
                let pairs = out[h][start..start + 2 * COLUMNS].as_chunks_mut().0;
                pairs.iter_mut().zip(residues).for_each(|(pair, x)| self.doubles.residues(x).store_words(pair));
            }
        }
        for index in done..len {
            out.iter_mut().zip(word(index)).for_each(|(out, word)| out[index] = word);
        }
    }
}
