//! BFV's products: `round(t/Q·a·b)` with the product over the integers.
//!
//! A square is exact up to the last rounding (Halevi–Polyakov–Shoup, ePrint 2018/117, section 4): the operand is lifted,
//! centred, to a second basis `p` in which the square fits beside `q`; the tensor product is formed in both; the rounded
//! quotient by `Q` is found in `p` and brought back to `q`.
//!
//! Of two operands the second one is first switched to the modulus `P' > Q`, as `b' = round(P'/Q·b)` (Kim, Polyakov and
//! Zucca, ePrint 2021/204, section 4). Then the quotient `round(t/P'·a·b')` is found in `q` at once, and since a multiple of
//! `Q·P'` in the tensor product becomes one of `t·Q`, it need not fit beside `q`: the basis of `P'` is shorter than `p`
//! and there is less to convert. A square would have its one operand twice, in two forms.
//!
//! The tensor products are laid out limb by limb, so that the limbs of one prime stay in the cache from the
//! coefficients of the operands to those of the product.

use phoca_ring::rns::Limbs;
use phoca_ring::{Buffer, NttTables};

use super::tensor;
use crate::ciphertext::Ciphertext;
use crate::context::{Context, Level};
use crate::error::Error;

/// `round(t/Q·a²)` for a ciphertext in coefficient form.
pub(super) fn square(context: &Context, level: &Level, a: &Ciphertext, square: &mut Ciphertext) -> Result<(), Error> {
    let (degree, pool) = (context.degree(), context.buffers());
    let multiplier = level.multiplier(degree)?;
    let (scaling, auxiliary) = (&multiplier.square, &multiplier.tables[..]);
    let (primes, p_words) = (level.prime_count(), auxiliary.len() * degree);
    let mut lifted = pool.take(a.size() * p_words);
    context.workers().for_each_piece(&mut lifted, p_words, |index, lifted| {
        let mut scratch = pool.take(scaling.to_auxiliary.scratch_len(degree));
        scaling.to_auxiliary.convert_centered(polynomial(a, index), lifted, &mut scratch);
    });
    let residues = |index: usize, limb: usize| match limb.checked_sub(primes) {
        None => &polynomial(a, index)[limb * degree..][..degree],
        Some(limb) => &lifted[index * p_words + limb * degree..][..degree],
    };
    let tensor = TensorProduct::new(context, [level_tables(context, level), auxiliary], [a.size(), 0], residues);
    context.workers().for_each_piece(&mut square.data, primes * degree, |index, out| {
        let scratch_len = scaling.rounder.scratch_len(degree).max(scaling.from_auxiliary.scratch_len(degree));
        let (mut rounded, mut scratch) = (pool.take(p_words), pool.take(scratch_len));
        let (q, p) = (tensor.limbs(index, 0), tensor.limbs(index, primes));
        scaling.rounder.round_to_auxiliary(q, p, &mut rounded, &mut scratch);
        scaling.from_auxiliary.convert_centered(&rounded, out, &mut scratch);
    });
    Ok(())
}

/// `round(t/P'·a·b')` with `b' = round(P'/Q·b)` for ciphertexts in coefficient form.
pub(super) fn product(
    context: &Context,
    level: &Level,
    [a, b]: [&Ciphertext; 2],
    product: &mut Ciphertext,
) -> Result<(), Error> {
    let (degree, pool) = (context.degree(), context.buffers());
    let multiplier = level.multiplier(degree)?;
    let scaling = &multiplier.product;
    let auxiliary = &multiplier.tables[..scaling.auxiliary_len];
    let (primes, p_words) = (level.prime_count(), auxiliary.len() * degree);
    let mut lifted = pool.take(a.size() * p_words);
    context.workers().for_each_piece(&mut lifted, p_words, |index, lifted| {
        let mut scratch = pool.take(scaling.to_auxiliary.scratch_len(degree));
        scaling.to_auxiliary.convert_centered(polynomial(a, index), lifted, &mut scratch);
    });
    // The limbs modulo the primes of P', then those modulo the primes of Q.
    let switched_words = p_words + primes * degree;
    let mut switched = pool.take(b.size() * switched_words);
    context.workers().for_each_piece(&mut switched, switched_words, |index, switched| {
        let scratch_len = scaling.switch.scratch_len(degree).max(scaling.from_auxiliary.scratch_len(degree));
        let mut scratch = pool.take(scratch_len);
        let (p, q) = switched.split_at_mut(p_words);
        scaling.switch.change_modulus(Limbs::new(polynomial(b, index), degree), p, &mut scratch);
        scaling.from_auxiliary.convert_centered(p, q, &mut scratch);
    });
    let residues = |index: usize, limb: usize| {
        let words = match (index.checked_sub(a.size()), limb.checked_sub(primes)) {
            (None, None) => &polynomial(a, index)[limb * degree..],
            (None, Some(limb)) => &lifted[index * p_words + limb * degree..],
            (Some(index), None) => &switched[index * switched_words + p_words + limb * degree..],
            (Some(index), Some(limb)) => &switched[index * switched_words + limb * degree..],
        };
        &words[..degree]
    };
    let tables = [level_tables(context, level), auxiliary];
    let tensor = TensorProduct::new(context, tables, [a.size(), b.size()], residues);
    context.workers().for_each_piece(&mut product.data, primes * degree, |index, out| {
        let mut scratch = pool.take(scaling.rounder.scratch_len(degree));
        let (q, p) = (tensor.limbs(index, 0), tensor.limbs(index, primes));
        scaling.rounder.round_to_auxiliary(p, q, out, &mut scratch);
    });
    Ok(())
}

fn polynomial(ciphertext: &Ciphertext, index: usize) -> &[u64] {
    let len = ciphertext.polynomial_len();
    &ciphertext.data[index * len..(index + 1) * len]
}

fn level_tables<'a>(context: &'a Context, level: &Level) -> &'a [NttTables] {
    &context.tables()[..level.prime_count()]
}

/// The coefficients of a tensor product: of each limb all polynomials, one limb after another.
struct TensorProduct {
    words: Buffer,
    degree: usize,
    /// Words of one limb of all polynomials.
    stride: usize,
}

impl TensorProduct {
    /// The product modulo each of the primes of `tables`, from the coefficients `residues(polynomial, limb)` of the operands,
    /// in `[0, q)`.
    ///
    /// The polynomials of both operands are numbered together; an operand of no polynomials is the first one again.
    fn new<'a>(
        context: &Context,
        tables: [&[NttTables]; 2],
        [a_size, b_size]: [usize; 2],
        residues: impl Fn(usize, usize) -> &'a [u64] + Sync + Send,
    ) -> Self {
        let (degree, pool) = (context.degree(), context.buffers());
        let stride = (a_size + if b_size == 0 { a_size } else { b_size } - 1) * degree;
        let mut words = pool.take((tables[0].len() + tables[1].len()) * stride);
        context.workers().for_each_piece(&mut words, stride, |limb, out| {
            let table = tables[0].get(limb).unwrap_or_else(|| &tables[1][limb - tables[0].len()]);
            let mut values = pool.take((a_size + b_size) * degree);
            for (index, values) in values.chunks_exact_mut(degree).enumerate() {
                table.forward_from(values, residues(index, limb), table.modulus().value(), 0);
            }
            let (a, b) = values.split_at(a_size * degree);
            let b = if b.is_empty() { a } else { b };
            let (a, b) = (a.chunks_exact(degree), b.chunks_exact(degree));
            tensor(table.modulus(), a, b, out.chunks_exact_mut(degree));
            out.chunks_exact_mut(degree).for_each(|coefficients| table.inverse(coefficients));
        });
        Self { words, degree, stride }
    }

    /// The limbs of one polynomial from limb `first`.
    fn limbs(&self, polynomial: usize, first: usize) -> Limbs<'_> {
        Limbs::new(&self.words[first * self.stride + polynomial * self.degree..], self.stride)
    }
}
