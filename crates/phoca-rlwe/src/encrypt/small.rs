//! Small secret polynomials on their way into the residue rings.

use phoca_ring::random::SecretRng;
use phoca_ring::{Buffer, Modulus, NttTables, sample};
use zeroize::Zeroizing;

use crate::context::Context;

/// Words of a limb that are worked on at a time, so that they stay in the first cache.
pub(crate) const BLOCK: usize = 512;

/// The largest magnitude of an error coefficient.
pub(super) const ERROR_MAX: u64 = 21;

/// A polynomial with coefficients `words − shift`, kept once for all primes: the transforms read it as it is.
#[derive(Clone, Copy)]
pub(crate) struct Small<'a> {
    /// In `[0, bound)`, with a coefficient's excess over `−shift`.
    pub(super) words: &'a [u64],
    pub(super) bound: u64,
    pub(super) shift: u64,
}

/// The words of a uniform ternary polynomial, for [`Small::ternary`].
pub(crate) fn ternary_words(context: &Context, rng: &mut SecretRng) -> Zeroizing<Buffer> {
    let mut values = Zeroizing::new(alloc::vec![0_i8; context.degree()]);
    sample::ternary(rng, &mut values);
    let mut words = Zeroizing::new(context.buffers().take(values.len()));
    words.iter_mut().zip(&*values).for_each(|(word, &value)| *word = (value + 1) as u64);
    words
}

/// The words of an error polynomial or its negative, for [`Small::error`]. Its coefficients are centred binomial with a
/// standard deviation of about 3.24.
pub(super) fn error_words(context: &Context, rng: &mut SecretRng, negative: bool) -> Zeroizing<Buffer> {
    const CENTER: i8 = ERROR_MAX as i8;
    let mut values = Zeroizing::new(alloc::vec![0_i8; context.degree()]);
    sample::centered_binomial(rng, &mut values);
    let mut words = Zeroizing::new(context.buffers().take(values.len()));
    if negative {
        words.iter_mut().zip(&*values).for_each(|(word, &value)| *word = (CENTER - value) as u64);
    } else {
        words.iter_mut().zip(&*values).for_each(|(word, &value)| *word = (CENTER + value) as u64);
    }
    words
}

/// The words of a message in `[0, t)`, taken centred, for [`Small::message`]: `m` below `(t+1)/2`, else `m − t`. Missing
/// coefficients are zero.
pub(crate) fn message_words(context: &Context, plain_modulus: &Modulus, message: &[u64]) -> Zeroizing<Buffer> {
    let mut words = Zeroizing::new(context.buffers().take(context.degree()));
    let (given, missing) = words.split_at_mut(message.len());
    given.copy_from_slice(message);
    plain_modulus.add_scalar_assign(given, plain_modulus.value() / 2);
    missing.fill(plain_modulus.value() / 2);
    words
}

impl<'a> Small<'a> {
    pub(crate) fn message(words: &'a [u64], plain_modulus: &Modulus) -> Self {
        Self { words, bound: plain_modulus.value(), shift: plain_modulus.value() / 2 }
    }

    pub(crate) fn ternary(words: &'a [u64]) -> Self {
        Self { words, bound: 3, shift: 1 }
    }

    pub(super) fn error(words: &'a [u64]) -> Self {
        Self { words, bound: 2 * ERROR_MAX + 1, shift: ERROR_MAX }
    }

    /// The values of `x`, in `[0, q)`.
    pub(crate) fn transform_strict(self, table: &NttTables, out: &mut [u64]) {
        table.forward_from(out, self.words, self.bound, self.offset(table.modulus(), 1));
    }

    /// The values of `factor·x` in `[0, 4q)`, for a residue as factor.
    pub(super) fn transform(self, table: &NttTables, factor: u64, out: &mut [u64]) {
        let offset = self.offset(table.modulus(), factor);
        if factor == 1 {
            table.forward_lazy_from(out, self.words, self.bound, offset);
        } else {
            table.forward_lazy_scaled_from(out, self.words, self.bound, table.modulus().shoup(factor), offset);
        }
    }

    /// The values of `factor·x + m` in `[0, 4q)`, where `m` is a message in `[0, t)`, taken centred, or empty.
    pub(super) fn transform_with_message(
        self,
        context: &Context,
        table: &NttTables,
        factor: u64,
        message: &[u64],
        out: &mut [u64],
    ) {
        if message.is_empty() {
            return self.transform(table, factor, out);
        }
        let (lifted, missing) = out.split_at_mut(message.len());
        table.modulus().lift_centered_into(lifted, message, context.plain_modulus());
        missing.fill(0);
        self.add_to(context, table.modulus(), factor, out);
        table.forward_lazy(out);
    }

    /// `out ← out + factor·x` for residues.
    pub(super) fn add_to(self, context: &Context, modulus: &Modulus, factor: u64, out: &mut [u64]) {
        let (factor, offset) = (modulus.shoup(factor), self.offset(modulus, factor));
        let mut block = Zeroizing::new(context.buffers().take(BLOCK.min(out.len())));
        for (out, words) in out.chunks_mut(BLOCK).zip(self.words.chunks(BLOCK)) {
            modulus.mul_scalar_into(&mut block, words, factor);
            modulus.add_assign(out, &block);
            modulus.add_scalar_assign(out, offset);
        }
    }

    /// `−factor·shift`.
    fn offset(self, modulus: &Modulus, factor: u64) -> u64 {
        modulus.neg(modulus.mul(factor, self.shift))
    }
}
