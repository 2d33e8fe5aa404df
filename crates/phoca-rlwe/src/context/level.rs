//! The modulus chain: one level for each number of primes that ciphertexts can have.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use once_cell::race::OnceBox;
use phoca_ring::rns::{self, BaseConverter, Division, PlainConverter, RnsBasis, ScaleRounder};
use phoca_ring::{Modulus, NttTables, Shoup};

use super::validate;
use crate::error::Error;
use crate::params::{Parameters, ParmsId, Scheme};

/// One level of the modulus chain: the first so many primes, and what operations at this level need.
///
/// Tables that only some operations need are made at their first use.
pub struct Level {
    position: usize,
    chain_index: usize,
    parms_id: ParmsId,
    modulus_bits: u32,
    basis: RnsBasis,
    /// Division by the level's last prime; none at a level of one prime.
    divide_last: Option<Division>,
    /// Division by the special prime after key switching; none at the key level.
    divide_special: Option<Division>,
    /// Division by the last prime and the special prime at once; none where one of the others is missing.
    divide_both: Option<Division>,
    message: Option<MessageScaling>,
    plain_converter: OnceBox<PlainConverter>,
    multiplier: OnceBox<BfvMultiplier>,
}

/// How BFV scales messages modulo `t` to the level's modulus `q`, and what BGV needs of `t`.
pub(crate) struct MessageScaling {
    pub(crate) plain_modulus: Modulus,
    /// `floor(q/t)` modulo each prime.
    pub(crate) quotients: Vec<Shoup>,
    /// `q mod t`, with its quotient by `t`.
    pub(crate) remainder: Shoup,
}

/// What BFV multiplication needs beside the level's basis `q`: a second basis `p`.
pub(crate) struct BfvMultiplier {
    /// A transform for each prime of `p`.
    pub(crate) tables: Vec<NttTables>,
    pub(crate) square: BfvSquare,
    pub(crate) product: BfvProduct,
}

/// For squares: a basis `p` in which they fit beside `q`.
pub(crate) struct BfvSquare {
    pub(crate) to_auxiliary: BaseConverter,
    /// `round(t/Q·x)` in `p`.
    pub(crate) rounder: ScaleRounder,
    pub(crate) from_auxiliary: BaseConverter,
}

/// For other products: the first primes `p'` of `p`, with `P' > Q`.
pub(crate) struct BfvProduct {
    /// How many primes.
    pub(crate) auxiliary_len: usize,
    pub(crate) to_auxiliary: BaseConverter,
    /// `round(P'/Q·x)` in `p'`.
    pub(crate) switch: ScaleRounder,
    pub(crate) from_auxiliary: BaseConverter,
    /// `round(t/P'·x)` in `q`.
    pub(crate) rounder: ScaleRounder,
}

impl Level {
    /// The id that objects of this level carry.
    pub fn parms_id(&self) -> ParmsId {
        self.parms_id
    }

    /// SEAL's chain index: how many levels are below. The last level has 0, the key level the most.
    pub fn chain_index(&self) -> usize {
        self.chain_index
    }

    /// How many primes the modulus has.
    pub fn prime_count(&self) -> usize {
        self.basis.len()
    }

    /// The primes.
    pub fn moduli(&self) -> &[Modulus] {
        self.basis.moduli()
    }

    /// Bits of the product of the primes.
    pub fn modulus_bits(&self) -> u32 {
        self.modulus_bits
    }

    /// The modulus `q`, the product of the primes, in little-endian words.
    pub fn modulus(&self) -> &[u64] {
        self.basis.product()
    }

    /// Whether each prime is larger than the next.
    pub fn has_descending_moduli(&self) -> bool {
        self.moduli().is_sorted_by(|first, second| first.value() > second.value())
    }

    /// Whether the plain modulus is below every prime, so that messages are lifted without reductions; false for CKKS.
    pub fn has_fast_plain_lift(&self) -> bool {
        let plain_modulus = self.message.as_ref().map(|message| message.plain_modulus.value());
        plain_modulus.is_some_and(|t| self.moduli().iter().all(|modulus| t < modulus.value()))
    }

    /// Where the level stands in [`Context::levels`](crate::Context::levels): the key level at 0.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    pub(crate) fn basis(&self) -> &RnsBasis {
        &self.basis
    }

    /// Division by the last prime. Only at levels of several primes.
    pub(crate) fn divide_last(&self) -> &Division {
        self.divide_last.as_ref().expect("the caller has a level below")
    }

    /// Division by the special prime. Only at data levels below a key level.
    pub(crate) fn divide_special(&self) -> &Division {
        self.divide_special.as_ref().expect("the caller has checked for a special prime")
    }

    /// Division by the last prime and the special prime. Only at data levels of several primes below a key level.
    pub(crate) fn divide_both(&self) -> &Division {
        self.divide_both.as_ref().expect("the caller has a level below and has checked for a special prime")
    }

    /// BFV and BGV only.
    pub(crate) fn message_scaling(&self) -> &MessageScaling {
        self.message.as_ref().expect("the caller has checked for a plain modulus")
    }

    /// The step of decryption from the level's modulus to the plain modulus.
    pub(crate) fn plain_converter(&self) -> &PlainConverter {
        let plain_modulus = &self.message_scaling().plain_modulus;
        self.plain_converter.get_or_init(|| Box::new(PlainConverter::new(&self.basis, plain_modulus)))
    }

    /// The second basis of BFV multiplication.
    pub(crate) fn multiplier(&self, degree: usize) -> Result<&BfvMultiplier, Error> {
        self.multiplier.get_or_try_init(|| Ok(Box::new(BfvMultiplier::new(self, degree)?)))
    }
}

/// Levels are equal where their ids are.
impl PartialEq for Level {
    fn eq(&self, other: &Self) -> bool {
        self.parms_id == other.parms_id
    }
}

impl Eq for Level {}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Level")
            .field("chain_index", &self.chain_index)
            .field("prime_count", &self.prime_count())
            .field("modulus_bits", &self.modulus_bits)
            .finish_non_exhaustive()
    }
}

impl BfvMultiplier {
    fn new(level: &Level, degree: usize) -> Result<Self, Error> {
        let (q, plain_modulus) = (&level.basis, &level.message_scaling().plain_modulus);
        let primes = rns::auxiliary_basis(degree, q, plain_modulus)?;
        let tables = primes.all.into_iter().map(|prime| NttTables::new(degree, Modulus::new(prime)?));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        let moduli: Vec<Modulus> = tables.iter().map(|table| *table.modulus()).collect();
        let all = RnsBasis::new(&moduli)?;
        let above = all.prefix(primes.above_modulus);
        let square = BfvSquare {
            to_auxiliary: BaseConverter::new(q, &all),
            rounder: ScaleRounder::with_auxiliary(q, plain_modulus, &all)?,
            from_auxiliary: BaseConverter::new(&all, q),
        };
        let product = BfvProduct {
            auxiliary_len: above.len(),
            to_auxiliary: BaseConverter::new(q, &above),
            switch: ScaleRounder::between(q, &above)?,
            from_auxiliary: BaseConverter::new(&above, q),
            rounder: ScaleRounder::with_auxiliary(&above, plain_modulus, q)?,
        };
        Ok(Self { tables, square, product })
    }
}

impl MessageScaling {
    fn new(basis: &RnsBasis, plain_modulus: u64) -> Result<Self, Error> {
        let plain_modulus = Modulus::new(plain_modulus)?;
        let (quotient, remainder) = divide_words(basis.product(), plain_modulus.value());
        let quotients = basis.moduli().iter().zip(basis.decompose(&quotient));
        Ok(Self {
            quotients: quotients.map(|(modulus, residue)| modulus.shoup(residue)).collect(),
            remainder: plain_modulus.shoup(remainder),
            plain_modulus,
        })
    }
}

/// Quotient and remainder of a little-endian integer by one word.
fn divide_words(words: &[u64], divisor: u64) -> (Vec<u64>, u64) {
    let mut quotient = words.to_vec();
    let mut remainder = 0;
    for word in quotient.iter_mut().rev() {
        let partial = u128::from(remainder) << 64 | u128::from(*word);
        *word = (partial / u128::from(divisor)) as u64;
        remainder = (partial % u128::from(divisor)) as u64;
    }
    (quotient, remainder)
}

/// The levels of checked parameters: the key level first.
///
/// As in SEAL, a level exists while its modulus is above the plain modulus; without `expand` the chain ends after the
/// first data level.
pub(super) fn chain(parameters: &Parameters, tables: &[NttTables], expand: bool) -> Result<Vec<Level>, Error> {
    let all = parameters.coeff_modulus.len();
    let fewest = if expand { 1 } else { all.saturating_sub(1).max(1) };
    let exists = |primes: usize| {
        parameters.scheme == Scheme::Ckks || validate::check_plain_modulus_fits(parameters, primes).is_ok()
    };
    let last = (fewest..=all).rev().take_while(|&primes| exists(primes)).last().unwrap_or(all);
    let moduli: Vec<Modulus> = tables.iter().map(|table| *table.modulus()).collect();
    let basis = RnsBasis::new(&moduli)?;
    let counts = (last..=all).rev().enumerate();
    counts.map(|(position, primes)| Level::new(parameters, &basis, position, primes, primes - last)).collect()
}

impl Level {
    fn new(
        parameters: &Parameters,
        all: &RnsBasis,
        position: usize,
        prime_count: usize,
        chain_index: usize,
    ) -> Result<Self, Error> {
        let basis = all.prefix(prime_count);
        let (last, remaining) = basis.moduli().split_last().expect("a level has a prime");
        let message = match parameters.scheme {
            Scheme::Ckks => None,
            Scheme::Bfv | Scheme::Bgv => Some(MessageScaling::new(&basis, parameters.plain_modulus)?),
        };
        // BGV keeps messages modulo t through divisions.
        let t = message.as_ref().filter(|_| parameters.scheme == Scheme::Bgv).map(|message| &message.plain_modulus);
        let has_lower = !remaining.is_empty();
        let special = all.moduli().last().filter(|_| position > 0);
        let divide_last = has_lower.then(|| Division::new(remaining, &[*last], t)).transpose()?;
        let divide_special = special.map(|&special| Division::new(basis.moduli(), &[special], t)).transpose()?;
        let both = special.filter(|_| has_lower).map(|&special| [*last, special]);
        let divide_both = both.map(|dropped| Division::new(remaining, &dropped, t)).transpose()?;
        Ok(Self {
            position,
            chain_index,
            parms_id: parameters.parms_id_of_prefix(prime_count),
            modulus_bits: validate::product_bits(&parameters.coeff_modulus[..prime_count]),
            divide_last,
            divide_special,
            divide_both,
            message,
            basis,
            plain_converter: OnceBox::new(),
            multiplier: OnceBox::new(),
        })
    }
}
