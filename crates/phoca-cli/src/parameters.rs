//! Encryption parameters on the command line.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use phoca::{Context, Parameters, Scheme, Security, SecurityLevel, SecurityTable, coeff_modulus};

use crate::error::{CliError, Result};
use crate::inspect;
use phoca::params::suggest::{self, Plain, Request, Suggestion};

/// The schemes as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemeArg {
    /// Exact integers
    Bfv,
    /// Exact integers, with noise control by levels
    Bgv,
    /// Approximate real and complex numbers
    Ckks,
}

impl From<SchemeArg> for Scheme {
    fn from(scheme: SchemeArg) -> Self {
        match scheme {
            SchemeArg::Bfv => Self::Bfv,
            SchemeArg::Bgv => Self::Bgv,
            SchemeArg::Ckks => Self::Ckks,
        }
    }
}

/// The security tables as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableArg {
    /// ePrint 2024/463
    #[value(name = "guidelines-2024")]
    Guidelines2024,
    /// HomomorphicEncryption.org 2018, as Microsoft SEAL
    #[value(name = "standard-2018")]
    Standard2018,
}

impl From<TableArg> for SecurityTable {
    fn from(table: TableArg) -> Self {
        match table {
            TableArg::Guidelines2024 => Self::Guidelines2024,
            TableArg::Standard2018 => Self::Standard2018,
        }
    }
}

/// The security levels as arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LevelArg {
    /// 128 bits
    #[value(name = "128")]
    Bits128,
    /// 192 bits
    #[value(name = "192")]
    Bits192,
    /// 256 bits
    #[value(name = "256")]
    Bits256,
}

impl From<LevelArg> for SecurityLevel {
    fn from(level: LevelArg) -> Self {
        match level {
            LevelArg::Bits128 => Self::Bits128,
            LevelArg::Bits192 => Self::Bits192,
            LevelArg::Bits256 => Self::Bits256,
        }
    }
}

/// How parameters are asked for: by what they must do, or prime by prime.
#[derive(Args, Debug)]
pub struct ParameterArgs {
    #[command(flatten)]
    goal: GoalArgs,
    #[command(flatten)]
    explicit: ExplicitArgs,
    #[command(flatten)]
    plain: PlainArgs,
    #[command(flatten)]
    security: SecurityArgs,
}

/// The plain modulus of BFV and BGV.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Plain modulus of BFV and BGV")]
pub struct PlainArgs {
    /// The plain modulus itself
    #[arg(long, value_name = "T", conflicts_with = "plain_bits")]
    plain_modulus: Option<u64>,
    /// Bits of a plain modulus with batching [default: 20]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(2..=60))]
    plain_bits: Option<u32>,
}

/// What parameters must do.
#[derive(Args, Debug)]
#[command(next_help_heading = "What the parameters must do")]
pub struct GoalArgs {
    /// Multiplications one after another [default: 2]
    #[arg(short, long, value_name = "D", value_parser = clap::value_parser!(u32).range(0..=200))]
    depth: Option<u32>,
    /// CKKS: bits after the binary point that are right in results [default: 20]
    #[arg(short, long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=60))]
    precision: Option<u32>,
    /// CKKS: bits before the binary point that values may take [default: 10]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(0..=60))]
    integer_bits: Option<u32>,
    /// Values in one ciphertext, at least
    #[arg(long, value_name = "N")]
    slots: Option<usize>,
}

/// Parameters that are given one by one.
#[derive(Args, Debug)]
#[command(next_help_heading = "Explicit parameters")]
pub struct ExplicitArgs {
    /// File of Phoca or Microsoft SEAL with the parameters
    #[arg(long, value_name = "FILE", conflicts_with_all = ["degree", "moduli_bits", "moduli", "plain_modulus", "plain_bits"])]
    parameters: Option<PathBuf>,
    /// Degree n of the ring; alone, with Microsoft SEAL's default primes
    #[arg(short = 'n', long, value_name = "N")]
    degree: Option<usize>,
    /// Bits of each coefficient prime, the special prime last, such as 60,40,40,60
    #[arg(long, value_name = "BITS,…", value_delimiter = ',', requires = "degree", conflicts_with = "moduli",
          value_parser = clap::value_parser!(u32).range(2..=60))]
    moduli_bits: Option<Vec<u32>>,
    /// The coefficient primes themselves, the special prime last
    #[arg(long, value_name = "PRIME,…", value_delimiter = ',', requires = "degree")]
    moduli: Option<Vec<u64>>,
    /// CKKS: bits of the scale [default: those of the primes between the first and the last]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=60))]
    scale_bits: Option<u32>,
}

/// How secure parameters must be.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Security")]
pub struct SecurityArgs {
    /// Bits of security
    #[arg(long, value_name = "BITS", value_enum, default_value = "128")]
    security: LevelArg,
    /// The table that limits the modulus [default: guidelines-2024 for suggestions, else standard-2018]
    #[arg(long, value_enum)]
    table: Option<TableArg>,
    /// Take the parameters even if they are insecure
    #[arg(long)]
    pub insecure: bool,
}

impl SecurityArgs {
    /// The level that is asked for.
    pub fn level(&self) -> SecurityLevel {
        self.security.into()
    }

    /// The table that is asked for, else SEAL's.
    pub fn table(&self) -> SecurityTable {
        self.table.map_or(SecurityTable::Standard2018, Into::into)
    }

    /// A context for parameters: checked, or unchecked where the check fails and `--insecure` is given.
    pub fn build(&self, parameters: Parameters) -> Result<Context> {
        let security = Security::Checked { level: self.level(), table: self.table() };
        match parameters.clone().builder().security(security).build() {
            Err(phoca::Error::InvalidParameters(phoca::ParameterError::Insecure { .. })) if self.insecure => {
                Ok(parameters.builder().security(Security::Insecure).build()?)
            }
            result => Ok(result?),
        }
    }
}

impl ParameterArgs {
    /// The parameters for a scheme, with a context that has checked them.
    pub fn resolve(&self, scheme: Scheme) -> Result<(Suggestion, Context)> {
        if self.explicit.is_given() {
            if self.goal.is_given() {
                return Err(CliError::usage("parameters are either explicit or found for a goal")
                    .hint("leave out --depth, --precision, --integer-bits and --slots, or -n and --parameters"));
            }
            return self.explicit.resolve(scheme, self.plain, self.security);
        }
        if self.explicit.scale_bits.is_some() {
            return Err(CliError::usage("--scale-bits goes with explicit parameters")
                .hint("--precision sets the scale of parameters for a goal; -n and --moduli-bits make them explicit"));
        }
        let choice = self.goal.resolve(scheme, self.plain, self.security)?;
        let context = choice.parameters.clone().builder().security(choice.security).build()?;
        Ok((choice, context))
    }
}

impl GoalArgs {
    fn is_given(&self) -> bool {
        self.depth.is_some() || self.precision.is_some() || self.integer_bits.is_some() || self.slots.is_some()
    }

    /// The smallest parameters that reach the goal.
    pub fn resolve(&self, scheme: Scheme, plain: PlainArgs, security: SecurityArgs) -> Result<Suggestion> {
        self.check_scheme(scheme)?;
        plain.check_scheme(scheme)?;
        Ok(suggest::suggest(&Request {
            scheme,
            depth: self.depth.unwrap_or(2),
            precision: self.precision.unwrap_or(20),
            integer_bits: self.integer_bits.unwrap_or(10),
            plain: plain.plain(),
            slots: self.slots.unwrap_or(0),
            level: security.level(),
            table: security.table.map_or(SecurityTable::Guidelines2024, Into::into),
        })?)
    }

    fn check_scheme(&self, scheme: Scheme) -> Result<()> {
        let is_ckks = scheme == Scheme::Ckks;
        refuse(self.precision.is_some() && !is_ckks, scheme, "--precision")?;
        refuse(self.integer_bits.is_some() && !is_ckks, scheme, "--integer-bits")
    }
}

impl ExplicitArgs {
    /// Whether there is any explicit parameter.
    fn is_given(&self) -> bool {
        self.degree.is_some() || self.parameters.is_some()
    }

    /// The parameters, with a context that has checked them.
    pub fn resolve(&self, scheme: Scheme, plain: PlainArgs, security: SecurityArgs) -> Result<(Suggestion, Context)> {
        plain.check_scheme(scheme)?;
        refuse(self.scale_bits.is_some() && scheme != Scheme::Ckks, scheme, "--scale-bits")?;
        let parameters = match (&self.parameters, self.degree) {
            (Some(path), _) => from_file(path, scheme)?,
            (None, Some(degree)) => self.explicit(scheme, degree, plain, security)?,
            (None, None) => {
                return Err(CliError::usage("explicit parameters need a degree").hint("-n 8192, or --parameters FILE"));
            }
        };
        let context = security.build(parameters.clone())?;
        let choice = Suggestion {
            scale: (scheme == Scheme::Ckks).then(|| self.scale(&parameters)),
            parameters,
            security: context.security(),
            reasons: Vec::new(),
        };
        Ok((choice, context))
    }

    fn explicit(&self, scheme: Scheme, degree: usize, plain: PlainArgs, security: SecurityArgs) -> Result<Parameters> {
        let coeff_modulus = match (&self.moduli, &self.moduli_bits) {
            (Some(primes), _) => primes.clone(),
            (None, Some(bits)) => coeff_modulus::create(degree, bits)?,
            (None, None) => coeff_modulus::seal_default(degree, security.level())?,
        };
        let plain_modulus = match scheme {
            Scheme::Ckks => 0,
            Scheme::Bfv | Scheme::Bgv => plain.plain().modulus(degree)?,
        };
        Ok(Parameters { scheme, degree, coeff_modulus, plain_modulus })
    }

    /// The scale that is asked for, else as wide as the narrowest prime that rescaling divides by.
    fn scale(&self, parameters: &Parameters) -> f64 {
        let bits = |prime: &u64| 64 - prime.leading_zeros();
        let inner = match parameters.coeff_modulus.as_slice() {
            [_, inner @ .., _] => inner,
            _ => &[],
        };
        let first = parameters.coeff_modulus.first().map_or(0, bits);
        let usual = inner.iter().map(bits).min().unwrap_or(first / 2);
        f64::from(self.scale_bits.unwrap_or(usual)).exp2()
    }
}

/// The parameters of a file, which must be for `scheme`.
fn from_file(path: &Path, scheme: Scheme) -> Result<Parameters> {
    let parameters = read_parameters(path)?;
    match parameters.scheme == scheme {
        true => Ok(parameters),
        false => {
            Err(CliError::mismatch(format!("these are parameters of {}, not of {scheme}", parameters.scheme))
                .file(path))
        }
    }
}

/// The parameters in a file of Phoca or Microsoft SEAL.
pub fn read_parameters(path: &Path) -> Result<Parameters> {
    inspect::read_parameters(path)?.ok_or_else(|| {
        CliError::bad_file("there are no parameters in this file")
            .file(path)
            .hint("phoca inspect says what it is; parms.seal or any key of Phoca will do")
    })
}

/// Bits of the product of all primes: as a context counts them, but for parameters that may be unusable too.
pub fn modulus_bits(parameters: &Parameters) -> u32 {
    let mut words = vec![1_u64];
    for &prime in &parameters.coeff_modulus {
        let mut carry = 0;
        for word in &mut words {
            let product = u128::from(*word) * u128::from(prime) + u128::from(carry);
            *word = product as u64;
            carry = (product >> 64) as u64;
        }
        if carry > 0 {
            words.push(carry);
        }
    }
    words.last().map_or(0, |top| 64 * words.len() as u32 - top.leading_zeros())
}

/// Whether plaintexts modulo a prime `t` of the form `2n·k + 1` have slots.
pub fn supports_batching(plain_modulus: u64, degree: usize) -> bool {
    // Degrees of files are arbitrary words.
    let order = (degree as u64).saturating_mul(2).max(1);
    plain_modulus % order == 1 && phoca::ring::primes::is_prime(plain_modulus)
}

/// BFV and BGV with slots: the integers that a slot can hold, in words.
pub fn integers(parameters: &Parameters) -> Option<String> {
    let largest = parameters.plain_modulus / 2;
    supports_batching(parameters.plain_modulus, parameters.degree)
        .then(|| format!("-{largest} to {largest}; results beyond wrap around"))
}

impl PlainArgs {
    fn plain(self) -> Plain {
        self.plain_modulus.map_or(Plain::Bits(self.plain_bits.unwrap_or(20)), Plain::Modulus)
    }

    fn check_scheme(self, scheme: Scheme) -> Result<()> {
        let is_ckks = scheme == Scheme::Ckks;
        refuse(self.plain_modulus.is_some() && is_ckks, scheme, "--plain-modulus")?;
        refuse(self.plain_bits.is_some() && is_ckks, scheme, "--plain-bits")
    }
}

/// Refuses an option that the scheme does not have.
fn refuse(given: bool, scheme: Scheme, option: &str) -> Result<()> {
    match given {
        true => Err(CliError::usage(format!("{scheme} has no {option}"))),
        false => Ok(()),
    }
}
