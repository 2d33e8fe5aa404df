//! Encryptions of zero, from which every key and ciphertext is made.

use alloc::vec::Vec;

use phoca_ring::random::{SealGenerator, SealStream, SecretRng, Seed};
use phoca_ring::{Modulus, sample};
use zeroize::{Zeroize, Zeroizing};

use crate::ciphertext::{Ciphertext, ExpansionSeed};
use crate::context::{Context, Level};
use crate::error::Error;
use crate::evaluate::levels;
use crate::keys::{PublicKey, SecretKey};
use crate::noise::NoiseBound;
use crate::params::Scheme;

/// `(−(a·s + e), a)` with `a` expanded from a fresh seed, or `(−(a·s + t·e), a)` for BGV.
///
/// The expanded words are `a` in the form of the ciphertext, so that SEAL expands the same.
pub(crate) fn symmetric(
    context: &Context,
    level: &Level,
    secret_key: &SecretKey,
    ntt_form: bool,
    expansion: SealGenerator,
    rng: &mut SecretRng,
) -> Ciphertext {
    let degree = context.degree();
    let mut ciphertext = Ciphertext::unwritten(context, level, 2, ntt_form);
    let seed = Seed::random(rng);
    let (c0, c1) = ciphertext.data.split_at_mut(level.prime_count() * degree);
    sample::uniform_seal(&mut SealStream::new(expansion, &seed), level.moduli(), degree, c1);
    let error = small_error(degree, rng);
    let mut lifted = Zeroizing::new(context.buffers().take(degree));
    let limbs = c0.chunks_exact_mut(degree).zip(c1.chunks_exact(degree)).zip(secret_key.data.chunks_exact(degree));
    for (table, ((c0, a), s)) in context.tables().iter().zip(limbs) {
        let modulus = table.modulus();
        lift_error(context, &error, modulus, &mut lifted);
        if ntt_form {
            table.forward(&mut lifted);
            modulus.mul_into(c0, a, s);
        } else {
            c0.copy_from_slice(a);
            table.forward(c0);
            modulus.mul_assign(c0, s);
            table.inverse(c0);
        }
        modulus.add_assign(c0, &lifted);
        modulus.negate_assign(c0);
    }
    ciphertext.seed = Some(ExpansionSeed { generator: expansion, seed });
    ciphertext.noise = NoiseBound::fresh_symmetric(context);
    ciphertext
}

/// `(p_0·u + e_0, p_1·u + e_1)`, made at the level above and divided by its last prime with rounding, so that what is
/// left of the noise is little more than the rounding. For parameters of one prime there is no level above.
pub(crate) fn public(
    context: &Context,
    level: &Level,
    public_key: &PublicKey,
    rng: &mut SecretRng,
) -> Result<Ciphertext, Error> {
    let above = context.previous_level(level);
    let source = above.unwrap_or(level);
    let degree = context.degree();
    let ntt_form = context.scheme() != Scheme::Bfv;
    let mut mask = context.buffers().take(source.prime_count() * degree);
    ternary_mask(context, source, rng, &mut mask);
    let mut wide = Ciphertext::unwritten(context, source, 2, ntt_form);
    let mut lifted = Zeroizing::new(context.buffers().take(degree));
    for (polynomial, key) in wide.polynomials_mut().zip(public_key.0.polynomials()) {
        let error = small_error(degree, rng);
        let limbs = polynomial.chunks_exact_mut(degree).zip(key.chunks_exact(degree)).zip(mask.chunks_exact(degree));
        for (table, ((sum, key), mask)) in context.tables().iter().zip(limbs) {
            let modulus = table.modulus();
            modulus.mul_into(sum, key, mask);
            lift_error(context, &error, modulus, &mut lifted);
            if ntt_form {
                table.forward(&mut lifted);
            } else {
                table.inverse(sum);
            }
            modulus.add_assign(sum, &lifted);
        }
    }
    mask.wipe();
    wide.noise = NoiseBound::fresh_public(context);
    if above.is_some() {
        levels::divide_by_last(context, &mut wide, level, true)?;
        // Any multiple of zero is zero: the factor that the division leaves means nothing.
        wide.correction_factor = 1;
        wide.scale = 1.0;
    }
    Ok(wide)
}

/// A centred binomial polynomial of standard deviation about 3.24.
fn small_error(degree: usize, rng: &mut SecretRng) -> Zeroizing<Vec<i8>> {
    let mut error = Zeroizing::new(alloc::vec![0_i8; degree]);
    sample::centered_binomial(rng, &mut error);
    error
}

/// The residues of `e`, or of `t·e` for BGV.
fn lift_error(context: &Context, error: &[i8], modulus: &Modulus, out: &mut [u64]) {
    sample::lift_i8_into(error, modulus, out);
    if context.scheme() == Scheme::Bgv {
        modulus.mul_scalar_assign(out, modulus.shoup(modulus.reduce(context.plain_modulus())));
    }
}

/// A uniform ternary polynomial in NTT form.
fn ternary_mask(context: &Context, level: &Level, rng: &mut SecretRng, out: &mut [u64]) {
    let degree = context.degree();
    let mut coefficients = alloc::vec![0_i8; degree];
    sample::ternary(rng, &mut coefficients);
    for (table, limb) in context.tables()[..level.prime_count()].iter().zip(out.chunks_exact_mut(degree)) {
        sample::lift_i8_into(&coefficients, table.modulus(), limb);
        table.forward(limb);
    }
    coefficients.zeroize();
}
