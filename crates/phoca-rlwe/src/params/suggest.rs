//! Parameters for a depth of multiplication: the smallest degree, and the chain that it needs.
//!
//! The sizes come from the usual heuristics: coefficients of noise are taken as normal, of the deviations that
//! "Somewhat Practical Fully Homomorphic Encryption" (ePrint 2012/144) and the CKKS paper (ePrint 2016/421) derive, and
//! the widths below leave several deviations of room. They are promises for values of at most 1 in magnitude (CKKS) and
//! for one operand chain of the stated depth, with additions costing a bit for each doubling of terms.
//!
//! ```
//! use phoca_rlwe::params::suggest::{Plain, Request, suggest};
//! use phoca_rlwe::{Scheme, SecurityLevel, SecurityTable};
//!
//! let suggestion = suggest(&Request {
//!     scheme: Scheme::Ckks,
//!     depth: 2,
//!     precision: 20,
//!     integer_bits: 5,
//!     plain: Plain::Bits(20),
//!     slots: 0,
//!     level: SecurityLevel::Bits128,
//!     table: SecurityTable::Guidelines2024,
//! })?;
//! assert_eq!(suggestion.parameters.degree, 8192);
//! let context = suggestion.parameters.builder().security(suggestion.security).build()?;
//! assert!(context.supports_key_switching());
//! # Ok::<(), phoca_rlwe::Error>(())
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use phoca_ring::primes::is_prime;

use super::{Parameters, Scheme, Security, SecurityLevel, SecurityTable, coeff_modulus, plain_modulus};
use crate::error::Error;

/// The degrees that come into question.
const DEGREES: [usize; 8] = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072];
/// Primes up to this width take the fastest transforms.
const FAST_BITS: u32 = 47;
/// Primes up to this width still take fast ones.
const USUAL_BITS: u32 = 50;
/// The widest primes.
const MAX_BITS: u32 = 60;

/// No chain is longer, and no number wider; so no sum of what is asked for overflows.
const MOST: u32 = 10_000;

/// What the parameters must provide.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The scheme.
    pub scheme: Scheme,
    /// Multiplications one after another.
    pub depth: u32,
    /// CKKS: bits after the binary point that are right in the result.
    pub precision: u32,
    /// CKKS: bits before the binary point that values may take.
    pub integer_bits: u32,
    /// BFV and BGV: the plain modulus, or its bits for a batching prime.
    pub plain: Plain,
    /// Values in one ciphertext, at least.
    pub slots: usize,
    /// The security level.
    pub level: SecurityLevel,
    /// The table that limits the modulus.
    pub table: SecurityTable,
}

/// The plain modulus of BFV and BGV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// A batching prime of so many bits.
    Bits(u32),
    /// This modulus.
    Modulus(u64),
}

/// Parameters with the reasons for them.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The parameters.
    pub parameters: Parameters,
    /// CKKS: the scale for encoding.
    pub scale: Option<f64>,
    /// The check that they pass.
    pub security: Security,
    /// Why they are what they are, for people.
    pub reasons: Vec<String>,
}

/// The chain that a degree needs.
struct Chain {
    sizes: Vec<u32>,
    scale_bits: Option<u32>,
    reasons: Vec<String>,
}

impl Plain {
    /// The modulus at a degree.
    pub fn modulus(self, degree: usize) -> Result<u64, Error> {
        match self {
            Self::Bits(bits) => Ok(plain_modulus::batching(degree, bits)?),
            Self::Modulus(modulus) => Ok(modulus),
        }
    }

    /// Its bits.
    fn bits(self) -> u32 {
        match self {
            Self::Bits(bits) => bits,
            Self::Modulus(modulus) => 64 - modulus.leading_zeros(),
        }
    }
}

/// The smallest parameters that do what is asked.
pub fn suggest(request: &Request) -> Result<Suggestion, Error> {
    if [request.depth, request.precision, request.integer_bits, request.plain.bits()]
        .into_iter()
        .any(|asked| asked > MOST)
    {
        return Err(Error::NoSuggestion {
            table: request.table,
            reason: format!("numbers above {MOST} are beyond any modulus"),
        });
    }
    let mut refused = Vec::new();
    for degree in DEGREES {
        let slots = if request.scheme == Scheme::Ckks { degree / 2 } else { degree };
        let Some(limit) = request.table.max_bits(degree, request.level) else {
            continue;
        };
        if slots < request.slots {
            continue;
        }
        let chain = match request.scheme {
            Scheme::Ckks => ckks(request, degree)?,
            Scheme::Bfv => bfv(request, degree)?,
            Scheme::Bgv => bgv(request, degree)?,
        };
        let bits: u32 = chain.sizes.iter().sum();
        if bits > limit {
            refused.push(format!("n = {degree} allows {limit} of the {bits} bits that it would need"));
            continue;
        }
        match build(request, degree, chain) {
            Ok(choice) => return Ok(explain(choice, &refused, bits, limit)),
            // No such primes or slots at this degree; there may be at the next.
            Err(error) => refused.push(format!("n = {degree}: {error}")),
        }
    }
    let reason = refused.pop().unwrap_or_else(|| format!("no degree has {} slots", request.slots));
    Err(Error::NoSuggestion { table: request.table, reason })
}

fn build(request: &Request, degree: usize, chain: Chain) -> Result<Suggestion, Error> {
    let plain_modulus = match request.scheme {
        Scheme::Ckks => 0,
        Scheme::Bfv | Scheme::Bgv => request.plain.modulus(degree)?,
    };
    let order = 2 * degree as u64;
    let has_slots = plain_modulus % order == 1 && is_prime(plain_modulus);
    if request.slots > 0 && request.scheme != Scheme::Ckks && !has_slots {
        return Err(Error::BatchingUnsupported { plain_modulus, order });
    }
    let parameters = Parameters {
        scheme: request.scheme,
        degree,
        coeff_modulus: primes(degree, &chain.sizes, plain_modulus)?,
        plain_modulus,
    };
    let security = Security::Checked { level: request.level, table: request.table };
    // A chain may collide with the plain modulus.
    parameters.clone().builder().security(security).build()?;
    Ok(Suggestion {
        parameters,
        scale: chain.scale_bits.map(|bits| libm::exp2(f64::from(bits))),
        security,
        reasons: chain.reasons,
    })
}

/// Primes of these sizes, none of which is the plain modulus.
fn primes(degree: usize, sizes: &[u32], plain_modulus: u64) -> Result<Vec<u64>, Error> {
    let chain = coeff_modulus::create(degree, sizes)?;
    let Some(position) = chain.iter().position(|&prime| prime == plain_modulus) else {
        return Ok(chain);
    };
    // One prime more of the same size takes its place.
    let mut more = sizes.to_vec();
    more.push(sizes[position]);
    let spare = coeff_modulus::create(degree, &more)?;
    let mut spare = spare.into_iter().filter(|prime| *prime != plain_modulus && !chain.contains(prime));
    let mut result = chain.clone();
    if let Some(prime) = spare.next() {
        result[position] = prime;
    }
    Ok(result)
}

fn explain(mut choice: Suggestion, refused: &[String], bits: u32, limit: u32) -> Suggestion {
    let degree = choice.parameters.degree;
    let why = match refused.last() {
        Some(smaller) => format!("n = {degree} is the smallest degree that is secure: {smaller}"),
        None => format!("n = {degree} is the smallest degree with enough slots and a secure modulus"),
    };
    choice.reasons.insert(0, why);
    let (level, table) = match choice.security {
        Security::Checked { level, table } => (level.bits(), table.name()),
        Security::Insecure => (0, "none"),
    };
    choice.reasons.push(format!(
        "for {level}-bit security, as asked for: {bits} of {limit} bits of modulus in the table {table}, {} to spare",
        limit - bits
    ));
    choice
}

/// `log2 n`.
fn log(degree: usize) -> u32 {
    degree.trailing_zeros()
}

/// CKKS: each level is one scale wide; the base holds the integer bits too.
fn ckks(request: &Request, degree: usize) -> Result<Chain, Error> {
    // A fresh public-key encryption has noise of deviation 3.24·sqrt(4n/3) in each coefficient, sqrt(n) times that in
    // each slot: 2^(log n + 1.9), taken as 2^(log n + 4) for four deviations. Each squaring of values up to 1 doubles it.
    let scale_bits = request.precision + log(degree) + 4 + request.depth;
    if scale_bits > MAX_BITS {
        return Err(Error::PrecisionTooHigh { precision: request.precision, scale_bits, most: MAX_BITS });
    }
    // A bit for the sign; values of up to 1 need two bits more, so that their noise and rounding fit as well.
    let base_bits = scale_bits + (request.integer_bits + 1).max(3);
    let base = split(base_bits, MAX_BITS);
    let mut sizes = base.clone();
    sizes.extend(vec![scale_bits; request.depth as usize]);
    let special = sizes.iter().copied().max().unwrap_or(scale_bits);
    sizes.push(special);
    let reasons = vec![
        format!(
            "scale 2^{scale_bits}: {} of precision, {} for the noise of n = {degree}, {} for {}",
            counted(request.precision, "bit"),
            log(degree) + 4,
            request.depth,
            counted(request.depth, "multiplication"),
        ),
        format!(
            "{} of {scale_bits} bits above a base of {base_bits} bits, which leaves {} before the binary point",
            counted(request.depth, "level"),
            request.integer_bits
        ),
        width_reason(special),
    ];
    Ok(Chain { sizes, scale_bits: Some(scale_bits), reasons })
}

/// Bits for a sum over all slots: it adds `n` independent errors of rotations and of the values' own noise.
fn sum_bits(degree: usize) -> u32 {
    log(degree).div_ceil(2)
}

/// log2 of what the noise of a product in BGV has more than that of fresh operands, with room for rounding the widths
/// of two primes.
pub fn bgv_product_bits(degree: usize, plain_modulus: u64) -> f64 {
    f64::from(bgv_level_bits(degree, Plain::Modulus(plain_modulus)) + 2)
}

/// Bits of the primes between two levels of BGV: a product of noises of `t·sqrt(n)·2^4.5` has `t²·n^(3/2)·2^9`; dividing by
/// `t·n·2^6` leaves less than a fresh one.
fn bgv_level_bits(degree: usize, plain: Plain) -> u32 {
    plain.bits() + log(degree) + 6
}

/// BFV: the whole data modulus is budget, in equal primes of the fastest width.
fn bfv(request: &Request, degree: usize) -> Result<Chain, Error> {
    let (plain, log) = (request.plain.bits(), log(degree));
    // Fresh: message, noise of 2^(log n/2 + 2) with four deviations, and the comparison at decryption. Each product
    // multiplies the noise by about t·n^(1/2..1) (ePrint 2012/144, lemma 2), here by t·n·2^3.
    let fresh = plain + log + 6 + sum_bits(degree);
    let each = plain + log + 3;
    let bits = fresh + request.depth * each;
    let mut sizes = split(bits, FAST_BITS);
    let special = sizes.iter().copied().max().unwrap_or(bits);
    sizes.push(special);
    let reasons = vec![
        format!(
            "data modulus of {bits} bits: {fresh} for a fresh ciphertext and a sum of its slots{}",
            for_each(each, request.depth, "multiplication")
        ),
        width_reason(special),
    ];
    Ok(Chain { sizes, scale_bits: None, reasons })
}

/// BGV: each level divides the noise by its primes, back to that of a fresh ciphertext.
fn bgv(request: &Request, degree: usize) -> Result<Chain, Error> {
    let (plain, log) = (request.plain.bits(), log(degree));
    let base_bits = plain + log + 8 + sum_bits(degree);
    let each = bgv_level_bits(degree, request.plain);
    let mut sizes = split(base_bits, MAX_BITS);
    for _ in 0..request.depth {
        sizes.extend(split(each, MAX_BITS));
    }
    let special = sizes.iter().copied().max().unwrap_or(each);
    sizes.push(special);
    let reasons = vec![
        format!(
            "base of {base_bits} bits for the last product's noise and a sum of slots{}",
            for_each(each, request.depth, "level")
        ),
        width_reason(special),
    ];
    Ok(Chain { sizes, scale_bits: None, reasons })
}

/// The bits that `count` things take, in words that follow what else takes bits.
fn for_each(bits: u32, count: u32, noun: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!(", and {bits} for 1 {noun}"),
        _ => format!(", and {bits} for each of {count} {noun}s"),
    }
}

/// The fewest equal sizes of at most `most` bits with sum at least `bits`; wide enough for primes to exist.
fn split(bits: u32, most: u32) -> Vec<u32> {
    let count = bits.div_ceil(most).max(1);
    vec![bits.div_ceil(count); count as usize]
}

fn width_reason(widest: u32) -> String {
    let speed = match widest {
        bits if bits <= FAST_BITS => "the fastest transforms",
        bits if bits <= USUAL_BITS => "fast transforms",
        _ => "transforms for wide primes, which are slower",
    };
    format!(
        "a special prime of {widest} bits for relinearization and rotations; primes of up to {widest} bits take {speed}"
    )
}

fn counted(count: u32, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use crate::{BatchEncoder, CkksEncoder, Decryptor, Encryptor, Evaluator, KeyGenerator};

    use super::*;
    use alloc::string::ToString;

    fn request(scheme: Scheme, depth: u32) -> Request {
        Request {
            scheme,
            depth,
            precision: 20,
            integer_bits: 10,
            plain: Plain::Bits(20),
            slots: 0,
            level: SecurityLevel::Bits128,
            table: SecurityTable::Guidelines2024,
        }
    }

    /// Squares as often as was asked for; BGV and CKKS go down a level each time.
    #[test]
    fn suggested_parameters_reach_their_depth() {
        for scheme in [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks] {
            for depth in 0..=3 {
                let choice = suggest(&request(scheme, depth)).unwrap();
                let context = choice.parameters.clone().builder().security(choice.security).build().unwrap();
                let generator = KeyGenerator::insecure_from_seed(&context, [depth as u8; 32]).unwrap();
                let relin = generator.relin_keys().unwrap();
                let encryptor = Encryptor::new(&context, generator.public_key().unwrap()).unwrap();
                let decryptor = Decryptor::new(&context, generator.secret_key().clone()).unwrap();
                let evaluator = Evaluator::new(&context);
                let raise = |plaintext| {
                    let mut power = encryptor.encrypt(plaintext).unwrap();
                    for _ in 0..depth {
                        power = evaluator.relinearize(&evaluator.square(&power).unwrap(), &relin).unwrap();
                        power = match scheme {
                            Scheme::Bfv => power,
                            Scheme::Bgv => evaluator.mod_switch_to_next(&power).unwrap(),
                            Scheme::Ckks => evaluator.rescale_to_next(&power).unwrap(),
                        };
                    }
                    power
                };
                if scheme == Scheme::Ckks {
                    let encoder = CkksEncoder::new(&context).unwrap();
                    let values: Vec<f64> = (0..encoder.slot_count()).map(|index| (index as f64).cos()).collect();
                    let power = raise(&encoder.encode(&values, choice.scale.unwrap()).unwrap());
                    let result = encoder.decode(&decryptor.decrypt(&power).unwrap()).unwrap();
                    let exponent = 1 << depth;
                    let errors = result.iter().zip(&values).map(|(got, value)| (got - value.powi(exponent)).abs());
                    let worst = errors.fold(0.0, f64::max);
                    assert!(worst < (-20_f64).exp2(), "depth {depth}: 2^{}", worst.log2());
                    continue;
                }
                let encoder = BatchEncoder::new(&context).unwrap();
                let t = u128::from(context.plain_modulus());
                let values: Vec<u64> = (0..encoder.slot_count() as u64).map(|index| index * 997 % t as u64).collect();
                let power = raise(&encoder.encode(&values).unwrap());
                assert!(decryptor.invariant_noise_budget(&power).unwrap() > 0, "{scheme} depth {depth}");
                let result = encoder.decode(&decryptor.decrypt(&power).unwrap()).unwrap();
                let expected = values.iter().map(|&value| (0..depth).fold(u128::from(value), |x, _| x * x % t) as u64);
                assert!(result.into_iter().eq(expected), "{scheme} depth {depth}");
            }
        }
    }

    #[test]
    fn numbers_beyond_any_chain_are_refused() {
        for scheme in [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks] {
            for value in [MOST, MOST + 1, u32::MAX - 20, u32::MAX] {
                let plain = Plain::Bits(value);
                let asked = [
                    Request { depth: value, ..request(scheme, 0) },
                    Request { precision: value, ..request(scheme, 0) },
                    Request { integer_bits: value, ..request(scheme, 0) },
                    Request { depth: value, precision: value, integer_bits: value, plain, ..request(scheme, 0) },
                    Request { plain, ..request(scheme, 0) },
                ];
                for request in asked {
                    let only_ckks = request.depth == 0 && request.plain == Plain::Bits(20);
                    let only_exact = request.depth == 0 && request.plain == plain;
                    let is_needed = if scheme == Scheme::Ckks { !only_exact } else { !only_ckks };
                    assert!(!is_needed || suggest(&request).is_err(), "{request:?}");
                }
            }
        }
        for plain in [
            Plain::Bits(0),
            Plain::Bits(1),
            Plain::Bits(61),
            Plain::Modulus(0),
            Plain::Modulus(1),
            Plain::Modulus(u64::MAX),
        ] {
            for scheme in [Scheme::Bfv, Scheme::Bgv] {
                assert!(suggest(&Request { plain, ..request(scheme, 1) }).is_err(), "{scheme} {plain:?}");
            }
        }
    }

    #[test]
    fn smaller_degrees_are_refused_for_a_reason() {
        let choice = suggest(&request(Scheme::Bfv, 3)).unwrap();
        assert!(choice.reasons[0].contains("is the smallest degree that is secure"), "{:?}", choice.reasons);
        let request = Request { table: SecurityTable::Standard2018, depth: 100, ..request(Scheme::Bfv, 0) };
        assert!(suggest(&request).unwrap_err().to_string().contains("2018"));
    }
}
