//! Key switching: from a polynomial under another secret to two polynomials under `s`.
//!
//! For a polynomial `d` that multiplies a secret `w`, with `q` the level's primes and `P` the special prime, the digits
//! of `d` are its centred residues `d_j = d mod q_j`, and the key holds encryptions of `P·w·e_j` with `e_j ≡ 1 mod q_j` and `0`
//! modulo the other primes. `Σ_j d_j·key_j` then encrypts `P·w·d`, with noise that the division by `P` makes small
//! (the RNS form of Gentry–Halevi–Smart key switching; Bajard et al., ePrint 2016/510, section 3.6, with one special
//! prime).
//!
//! Digits in `[0, q_j)` would do as well, but their mean of `q_j/2` in every coefficient doubles the noise, and makes it up
//! to `1.1·sqrt(n)` times as large in the values at the roots of unity nearest to 1, which are slots of CKKS.
//!
//! What is to be added to the result is added to the sums, times `P`, so that one division ends all. Where a rescaling
//! follows, that division is by `P` and the level's last prime at once: a product with relinearization and rescaling at
//! `l` primes then takes `l² + 3l + 2` transforms, `2l` fewer than in steps.

use alloc::vec::Vec;
use core::ops::Range;

use phoca_ring::rns::Division;
use phoca_ring::{Buffer, Modulus, NttTables};
use smallvec::SmallVec;

use super::Evaluator;
use super::levels::{Dividends, quotients};
use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::keys::{KeySwitchKey, NarrowRows};
use crate::noise::NoiseBound;
use crate::params::Scheme;

impl Evaluator {
    /// The result of switching the key of `a` at `level`, at that level or the next, with words still to be written.
    pub(super) fn switched_from(&self, a: &Ciphertext, level: &Level, at: &Level) -> Ciphertext {
        let mut result = Ciphertext::unwritten(&self.context, at, 2, a.ntt_form);
        result.scale = a.scale;
        result.correction_factor = a.correction_factor;
        result.noise = NoiseBound::key_switched(a.noise, &self.context, level);
        result
    }
}

/// The digits of one polynomial, transformed modulo the primes of its level and the special prime.
///
/// Rotations of one ciphertext share them (hoisting): an automorphism permutes the transformed words of a digit, and the
/// digits of the image are the images of the digits, because centred residues are symmetric.
pub(super) struct Digits {
    /// For each prime, all digits one after another; words in `[0, 4q)`.
    words: Buffer,
    primes: usize,
}

impl Digits {
    /// The digits of `target` at `level`, which is in coefficient form for BFV, in NTT form otherwise.
    pub(super) fn new(context: &Context, level: &Level, target: &[u64]) -> Self {
        let (degree, primes) = (context.degree(), level.prime_count());
        let lifted = offset_digits(context, level, target);
        let mut words = context.buffers().take((primes + 1) * primes * degree);
        context.workers().for_each_piece(&mut words, primes * degree, |i, out| {
            let table = table_of_limb(context, level, i);
            let own = own_digit(context, level, target, i);
            transform_digits(table, level, &lifted, own.is_some().then_some(i), 0..primes, out);
            if let Some(own) = own {
                out[i * degree..(i + 1) * degree].copy_from_slice(own);
            }
        });
        Self { words, primes }
    }

    /// All digits modulo prime `i` of the level, or modulo the special prime.
    pub(super) fn limb(&self, i: usize) -> &[u64] {
        let len = self.words.len() / (self.primes + 1);
        &self.words[i * len..(i + 1) * len]
    }
}

/// Both halves of `Σ_j d_j·key_j`, and of what else is added before the division by the special prime `P`.
///
/// Each half has the primes of the level, then `P`.
pub(super) struct Sums<'a> {
    context: &'a Context,
    level: &'a Level,
    words: Buffer,
}

impl<'a> Sums<'a> {
    /// `Σ_j d_j·key_j` for the digits of `target`, which multiplies the secret that `key` switches from.
    ///
    /// Each digit is transformed and multiplied at once, prime by prime. `target` is in the form of the scheme.
    pub(super) fn of(context: &'a Context, level: &'a Level, target: &[u64], key: &KeySwitchKey) -> Self {
        let mut sums = Self::unwritten(context, level);
        let lifted = offset_digits(context, level, target);
        sums.for_each_limb(|i, _, half0, half1| {
            transform_and_multiply(context, level, target, &lifted, key, i, [half0, half1]);
        });
        sums
    }

    /// [`Sums::of`] each target, modulus first: the part of the key that belongs to one prime serves all targets before the
    /// next part is read.
    pub(super) fn of_each(context: &'a Context, level: &'a Level, targets: &[&[u64]], key: &KeySwitchKey) -> Vec<Self> {
        let degree = context.degree();
        let lifted: Vec<Buffer> = targets.iter().map(|target| offset_digits(context, level, target)).collect();
        let mut all: Vec<Self> = targets.iter().map(|_| Self::unwritten(context, level)).collect();
        for i in 0..=level.prime_count() {
            for ((sums, target), lifted) in all.iter_mut().zip(targets).zip(&lifted) {
                let middle = sums.words.len() / 2;
                let (half0, half1) = sums.words.split_at_mut(middle);
                let halves = [half0, half1].map(|half| &mut half[i * degree..(i + 1) * degree]);
                transform_and_multiply(context, level, target, lifted, key, i, halves);
            }
        }
        all
    }

    /// Sums whose words are still to be written, by [`for_each_limb`](Self::for_each_limb).
    pub(super) fn unwritten(context: &'a Context, level: &'a Level) -> Self {
        let words = context.buffers().take(2 * (level.prime_count() + 1) * context.degree());
        Self { context, level, words }
    }

    /// Calls `task` for each prime `i` of the level and for the special prime, with its transform and both halves.
    pub(super) fn for_each_limb(&mut self, task: impl Fn(usize, &NttTables, &mut [u64], &mut [u64]) + Sync + Send) {
        let (context, level) = (self.context, self.level);
        let middle = self.words.len() / 2;
        let (half0, half1) = self.words.split_at_mut(middle);
        context.workers().for_each_pair([half0, half1], context.degree(), |i, half0, half1| {
            task(i, table_of_limb(context, level, i), half0, half1);
        });
    }

    /// Divides by `P`: `out` gets `added + sums/P`, two polynomials at the level, in the scheme's form.
    ///
    /// What is `added` to each half is at the level and in the scheme's form too.
    pub(super) fn divide(self, added: [Option<&[u64]>; 2], out: &mut [u64]) {
        let division = self.level.divide_special();
        self.divide_by(division, added, out);
    }

    /// Divides by `P` and the level's last prime: `out` gets `(added + sums/P)/q_last`, two polynomials at the next level.
    pub(super) fn divide_and_rescale(self, added: [Option<&[u64]>; 2], out: &mut [u64]) {
        let division = self.level.divide_both();
        self.divide_by(division, added, out);
    }

    fn divide_by(mut self, division: &Division, added: [Option<&[u64]>; 2], out: &mut [u64]) {
        let (context, level) = (self.context, self.level);
        let (degree, primes) = (context.degree(), level.prime_count());
        let ntt_form = context.scheme() != Scheme::Bfv;
        let special = context.split_special().1.modulus().value();
        self.for_each_limb(|i, table, half0, half1| {
            let modulus = table.modulus();
            for (half, added) in [half0, half1].into_iter().zip(added) {
                if !ntt_form {
                    table.inverse(half);
                }
                if let Some(added) = added.filter(|_| i < primes) {
                    let factor = modulus.shoup(modulus.reduce(special));
                    modulus.mul_scalar_add_assign(half, &added[i * degree..(i + 1) * degree], factor);
                }
                if ntt_form && i >= division.remaining_len() {
                    table.inverse(half);
                }
            }
        });
        let (half_len, kept) = (self.words.len() / 2, division.remaining_len() * degree);
        self.words.chunks_exact_mut(half_len).for_each(|half| division.digits(&mut half[kept..]));
        let dividends: Dividends<'_> = self.words.chunks_exact(half_len).map(|half| half.split_at(kept)).collect();
        quotients(context, division, ntt_form, &dividends, out);
    }
}

/// Both halves of `Σ_j d_j·key_j` modulo prime `i` of the level, or modulo the special prime, from the offset digits of
/// `target`.
fn transform_and_multiply(
    context: &Context,
    level: &Level,
    target: &[u64],
    lifted: &[u64],
    key: &KeySwitchKey,
    i: usize,
    [half0, half1]: [&mut [u64]; 2],
) {
    let degree = half0.len();
    let table = table_of_limb(context, level, i);
    let own = own_digit(context, level, target, i);
    let group = (CACHED_WORDS / degree).clamp(1, level.prime_count());
    let mut transformed = context.buffers().take(group * degree);
    let mut product = context.buffers().take(2 * degree);
    let (product0, product1) = product.split_at_mut(degree);
    for first in (0..level.prime_count()).step_by(group) {
        let digits = first..level.prime_count().min(first + group);
        transform_digits(table, level, lifted, own.is_some().then_some(i), digits.clone(), &mut transformed);
        let rows = digits.clone().zip(transformed.chunks_exact(degree));
        let rows: Rows<'_> = rows.map(|(j, digit)| own.filter(|_| j == i).unwrap_or(digit)).collect();
        let key_rows = KeyRows::new(context, level, key, i, digits);
        if first == 0 {
            key_rows.multiply(0, &rows, [&mut *half0, &mut *half1]);
        } else {
            key_rows.multiply(0, &rows, [&mut *product0, &mut *product1]);
            table.modulus().add_assign(half0, product0);
            table.modulus().add_assign(half1, product1);
        }
    }
}

/// Words of digits that are transformed before they are multiplied: half of a second-level cache of 1 MiB.
const CACHED_WORDS: usize = 1 << 16;

/// As many slices as most levels have primes.
pub(super) type Rows<'a> = SmallVec<[&'a [u64]; 32]>;

/// The words of some digits of a key modulo one prime.
pub(super) struct KeyRows<'a> {
    modulus: &'a Modulus,
    words: KeyWords<'a>,
}

/// Both halves of each digit.
enum KeyWords<'a> {
    Wide([Rows<'a>; 2]),
    /// In 32 bits.
    Narrow([NarrowRows<'a>; 2]),
}

impl<'a> KeyRows<'a> {
    /// Those of `digits` modulo prime `i` of the level, or modulo the special prime.
    pub(super) fn new(
        context: &'a Context,
        level: &Level,
        key: &'a KeySwitchKey,
        i: usize,
        digits: Range<usize>,
    ) -> Self {
        let degree = context.degree();
        let modulus = table_of_limb(context, level, i).modulus();
        // In a key the special prime comes after all data primes.
        let all = context.tables().len();
        let limb = if i < level.prime_count() { i } else { all - 1 };
        let rows = |half: usize| {
            let start = (half * all + limb) * degree;
            key.digits[digits.clone()].iter().map(|digit| &digit.0.data[start..start + degree]).collect()
        };
        let words = match key.narrow_halves(context, limb, digits.clone()) {
            Some(narrow) => KeyWords::Narrow(narrow),
            None => KeyWords::Wide([rows(0), rows(1)]),
        };
        Self { modulus, words }
    }

    /// `half_h ← Σ_j digits_j·key_{j,h}`, for the words of the key from number `start` on.
    pub(super) fn multiply(&self, start: usize, digits: &[&[u64]], [half0, half1]: [&mut [u64]; 2]) {
        let range = start..start + half0.len();
        match &self.words {
            KeyWords::Wide(halves) => {
                let [rows0, rows1] = halves.each_ref().map(|rows| part(rows, &range));
                self.modulus.dot_pair_into(half0, half1, digits, &rows0, &rows1);
            }
            KeyWords::Narrow(halves) => {
                let [rows0, rows1] = halves.each_ref().map(|rows| part(rows, &range));
                self.modulus.dot_pair_narrow_into(half0, half1, digits, &rows0, &rows1);
            }
        }
    }
}

/// The words of `range` of each row.
fn part<'a, T>(rows: &[&'a [T]], range: &Range<usize>) -> SmallVec<[&'a [T]; 32]> {
    rows.iter().map(|row| &row[range.clone()]).collect()
}

/// The transform modulo prime `i` of a level, or modulo the special prime after them.
fn table_of_limb<'a>(context: &'a Context, level: &Level, i: usize) -> &'a NttTables {
    let (data, special) = context.split_special();
    if i < level.prime_count() { &data[i] } else { special }
}

/// Digit `i` modulo its own prime, where it needs no transform.
fn own_digit<'a>(context: &Context, level: &Level, target: &'a [u64], i: usize) -> Option<&'a [u64]> {
    let degree = context.degree();
    (context.scheme() != Scheme::Bfv && i < level.prime_count()).then(|| &target[i * degree..(i + 1) * degree])
}

/// `d_j + floor(q_j/2)` in `[0, q_j)` for the centred digits `d_j` of `target`, in coefficient form.
fn offset_digits(context: &Context, level: &Level, target: &[u64]) -> Buffer {
    let degree = context.degree();
    let ntt_form = context.scheme() != Scheme::Bfv;
    let mut digits = context.buffers().take(level.prime_count() * degree);
    context.workers().for_each_piece(&mut digits, degree, |j, digit| {
        let table = &context.tables()[j];
        digit.copy_from_slice(&target[j * degree..(j + 1) * degree]);
        if ntt_form {
            table.inverse(digit);
        }
        table.modulus().add_scalar_assign(digit, table.modulus().value() / 2);
    });
    digits
}

/// Transforms some digits, all but `own`, modulo one prime; results in `[0, 4q)`.
fn transform_digits(
    table: &NttTables,
    level: &Level,
    lifted: &[u64],
    own: Option<usize>,
    digits: Range<usize>,
    out: &mut [u64],
) {
    let degree = table.degree();
    let modulus = table.modulus();
    for (j, out) in digits.zip(out.chunks_exact_mut(degree)).filter(|(j, _)| own != Some(*j)) {
        let source = level.moduli()[j].value();
        // −floor(q_j/2), in (0, q].
        let offset = modulus.value() - modulus.reduce(source / 2);
        table.forward_lazy_from(out, &lifted[j * degree..(j + 1) * degree], source, offset);
    }
}
