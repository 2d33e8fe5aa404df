//! Encryptions of zero, from which every key and ciphertext is made; a BGV message can share their transforms.

use phoca_ring::random::{SealGenerator, SealStream, SecretRng, Seed};
use phoca_ring::rns::Division;
use phoca_ring::{Buffer, Modulus, NttTables, sample};
use zeroize::Zeroizing;

use super::small::{self, ERROR_MAX, Small};
use crate::ciphertext::{Ciphertext, ExpansionSeed};
use crate::context::{Context, Level};
use crate::keys::{PublicKey, SecretKey};
use crate::noise::NoiseBound;
use crate::params::Scheme;

/// `(m − (a·s + e), a)` with `a` expanded from a fresh seed, or `(m − (a·s + t·e), a)` for BGV.
///
/// The expanded words are `a` in the form of the ciphertext, so that SEAL expands the same. The message `m` is one of BGV
/// in NTT form, with coefficients in `[0, t)`, or empty.
pub(crate) fn symmetric(
    context: &Context,
    level: &Level,
    secret_key: &SecretKey,
    ntt_form: bool,
    expansion: SealGenerator,
    message: &[u64],
    rng: &mut SecretRng,
) -> Ciphertext {
    let degree = context.degree();
    let mut ciphertext = Ciphertext::unwritten(context, level, 2, ntt_form);
    let seed = Seed::random(rng);
    let (b, a) = ciphertext.data.split_at_mut(level.prime_count() * degree);
    sample::uniform_seal(&mut SealStream::new(expansion, &seed), level.moduli(), degree, a);
    let words = small::error_words(context, rng, true);
    let error = Small::error(&words);
    let mut lifted = Zeroizing::new(context.buffers().take(degree));
    let limbs = b.chunks_exact_mut(degree).zip(a.chunks_exact(degree)).zip(secret_key.data.chunks_exact(degree));
    for (table, ((b, a), s)) in context.tables().iter().zip(limbs) {
        let modulus = table.modulus();
        let factor = error_factor(context, modulus);
        if ntt_form {
            error.transform_with_message(context, table, factor, message, &mut lifted);
            modulus.sub_product_into(b, &lifted, a, s);
        } else {
            table.forward_from(b, a, modulus.value(), 0);
            modulus.mul_assign(b, s);
            table.inverse(b);
            modulus.negate_assign(b);
            error.add_to(context, modulus, factor, b);
        }
    }
    ciphertext.seed = Some(ExpansionSeed { generator: expansion, seed });
    ciphertext.noise = NoiseBound::fresh_symmetric(context);
    ciphertext
}

/// `(p_0·u + e_0 + m, p_1·u + e_1)` with a uniform ternary `u`, or with `t·e_i` for BGV. The message `m` is one of BGV,
/// with coefficients in `[0, t)`, or empty.
///
/// Where there is a level above, `p·u + e` is as if made there and divided by its last prime `P` with rounding, so that
/// what is left of the noise is little more than the rounding. With the centred remainder `[x]_P` of `x = p·u + e` the
/// quotient is `(x − [x]_P)/P = (p·u − w)/P` for the small `w = [x]_P − e`. So the key meets `P^{-1}·u` in all limbs but
/// the last, and the error needs no transform of its own. In BGV the quotient is `(p·u − t·w)/P` with
/// `w = [t^{-1}·x]_P − e`.
pub(crate) fn public(
    context: &Context,
    level: &Level,
    public_key: &PublicKey,
    message: &[u64],
    rng: &mut SecretRng,
) -> Ciphertext {
    let (degree, count) = (context.degree(), level.prime_count());
    let divide = context.previous_level(level).map(Level::divide_last);
    let ntt_form = context.scheme() != Scheme::Bfv;
    let mut ciphertext = Ciphertext::unwritten(context, level, 2, ntt_form);
    let masks = transformed_masks(context, count, divide, rng);
    let mut lifted = Zeroizing::new(context.buffers().take(degree));
    let messages = [message, &[]];
    for ((polynomial, key), message) in ciphertext.polynomials_mut().zip(public_key.0.polynomials()).zip(messages) {
        let mut words = small::error_words(context, rng, divide.is_some());
        let small = match divide {
            None => Small::error(&words),
            Some(_) => {
                let last = count * degree..(count + 1) * degree;
                remainder(context, &context.tables()[count], &key[last.clone()], &masks[last], &mut words)
            }
        };
        let limbs = polynomial.chunks_exact_mut(degree).zip(key.chunks_exact(degree)).zip(masks.chunks_exact(degree));
        for (j, (table, ((sum, key), mask))) in context.tables().iter().zip(limbs).enumerate() {
            let modulus = table.modulus();
            let factor = match divide {
                None => error_factor(context, modulus),
                Some(divide) => modulus.neg(modulus.mul(error_factor(context, modulus), divide.inverse(j).value)),
            };
            if ntt_form {
                small.transform_with_message(context, table, factor, message, &mut lifted);
                modulus.add_product_into(sum, &lifted, mask, key);
            } else {
                modulus.dot_into(sum, &[mask], &[key]);
                table.inverse(sum);
                small.add_to(context, modulus, factor, sum);
            }
        }
    }
    ciphertext.noise = NoiseBound::fresh_public(context);
    if divide.is_some() {
        ciphertext.noise = NoiseBound::divided(ciphertext.noise, context, level, 2);
    }
    ciphertext
}

/// What an error is multiplied with: `t` for BGV, else 1.
fn error_factor(context: &Context, modulus: &Modulus) -> u64 {
    match context.scheme() {
        Scheme::Bgv => modulus.reduce(context.plain_modulus()),
        Scheme::Bfv | Scheme::Ckks => 1,
    }
}

/// The values of `u` modulo the first `count` primes, in `[0, 4q)`; with a division those of `P^{-1}·u`, and those of
/// `u` modulo `P` after them.
fn transformed_masks(
    context: &Context,
    count: usize,
    divide: Option<&Division>,
    rng: &mut SecretRng,
) -> Zeroizing<Buffer> {
    let degree = context.degree();
    let words = small::ternary_words(context, rng);
    let mask = Small::ternary(&words);
    let all = count + usize::from(divide.is_some());
    let mut masks = Zeroizing::new(context.buffers().take(all * degree));
    for (j, (table, limb)) in context.tables().iter().zip(masks.chunks_exact_mut(degree)).enumerate() {
        let factor = divide.filter(|_| j < count).map_or(1, |divide| divide.inverse(j).value);
        mask.transform(table, factor, limb);
    }
    masks
}

/// `w = [p·u + e]_P − e`, or for BGV `w = [t^{-1}·p·u + e]_P − e`, from the last limbs of `p` and of the values of `u`.
/// The words are those of `−e` and become those of `w`.
fn remainder<'a>(context: &Context, table: &NttTables, key: &[u64], mask: &[u64], words: &'a mut [u64]) -> Small<'a> {
    let modulus = table.modulus();
    let half = modulus.value() / 2;
    let mut rest = Zeroizing::new(context.buffers().take(context.degree()));
    modulus.dot_into(&mut rest, &[mask], &[key]);
    table.inverse(&mut rest);
    if context.scheme() == Scheme::Bgv {
        let inverse = modulus.inverse_vartime(context.plain_modulus());
        let inverse = inverse.expect("checked parameters have coprime moduli");
        modulus.mul_scalar_assign(&mut rest, modulus.shoup(inverse));
    }
    // [x]_P + floor(P/2) in [0, P), with −e + 21 added outside of the ring: below P + 42.
    let minus_error = Small::error(words);
    minus_error.add_to(context, modulus, modulus.neg(1), &mut rest);
    modulus.add_scalar_assign(&mut rest, half);
    words.iter_mut().zip(rest.iter()).for_each(|(word, &rest)| *word += rest);
    Small { words, bound: modulus.value() + 2 * ERROR_MAX, shift: half + ERROR_MAX }
}
