//! Objects of Microsoft SEAL in words.

use std::collections::HashMap;
use std::fmt;

use phoca::seal::{CiphertextSummary, Contents, Inspection, KeySwitchKind};
use phoca::{Parameters, ParmsId, Scheme};
use serde::Serialize;

use crate::container::ParametersInfo;
use crate::ui::counted;

/// The levels of all parameters that were seen, by identifier.
#[derive(Default)]
pub struct KnownLevels(HashMap<ParmsId, KnownLevel>);

#[derive(Clone, Copy)]
struct KnownLevel {
    scheme: Scheme,
    prime_count: usize,
    /// Chain index; 0 is the last level.
    level: usize,
    is_key_level: bool,
}

impl KnownLevels {
    /// Remembers every level of these parameters.
    pub fn add(&mut self, parameters: &Parameters) {
        let all = parameters.coeff_modulus.len();
        let last = last_prime_count(parameters);
        for prime_count in last..=all {
            let mut prefix = parameters.clone();
            prefix.coeff_modulus.truncate(prime_count);
            let level = KnownLevel {
                scheme: parameters.scheme,
                prime_count,
                level: prime_count - last,
                is_key_level: prime_count == all && all > 1,
            };
            self.0.insert(prefix.parms_id(), level);
        }
    }
}

/// The primes of the last level: the fewest whose product is above the plain modulus.
fn last_prime_count(parameters: &Parameters) -> usize {
    let mut product = 1_u128;
    let enough = parameters.coeff_modulus.iter().position(|&prime| {
        product = product.saturating_mul(u128::from(prime));
        product > u128::from(parameters.plain_modulus)
    });
    enough.map_or(parameters.coeff_modulus.len(), |position| position + 1)
}

/// What one object is.
#[derive(Debug, Default, Serialize)]
pub struct ObjectReport {
    /// The kind, such as `ciphertext`.
    pub object: &'static str,
    /// Bytes in the file.
    pub bytes: u64,
    /// Bytes without compression.
    pub uncompressed_bytes: u64,
    /// `none`, `zlib` or `zstd`.
    pub compression: String,
    /// The version of SEAL in the header.
    pub seal_version: String,
    /// The scheme, where it is known; several where it is not certain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scheme: Vec<&'static str>,
    /// The identifier of the parameters at the object's level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parms_id: Option<String>,
    /// Chain index of the level (0 is the last), where the parameters are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    /// Degree `n`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degree: Option<usize>,
    /// Primes of the level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primes: Option<usize>,
    /// Polynomials of a ciphertext.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polynomials: Option<usize>,
    /// Whether the polynomials are in NTT form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ntt_form: Option<bool>,
    /// The scale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// BGV's correction factor, where it is not 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction_factor: Option<u64>,
    /// Whether a seed stands for the uniform half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeded: Option<bool>,
    /// Powers of the secret or Galois elements that have a key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<u64>,
    /// Words of a plaintext.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coefficients: Option<u64>,
    /// The value of a modulus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Encryption parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<ParametersInfo>,
}

impl ObjectReport {
    /// An object in words, with its level where the parameters are known. Parameters become known.
    pub fn new(inspection: Inspection, levels: &mut KnownLevels) -> Self {
        let header = inspection.header;
        let mut report = Self {
            object: "object",
            bytes: header.size,
            uncompressed_bytes: inspection.uncompressed_len,
            compression: header.compression.to_string(),
            seal_version: format!("{}.{}", header.major, header.minor),
            ..Self::default()
        };
        match inspection.contents {
            Contents::Modulus { value } => {
                report.object = "modulus";
                report.value = Some(value.to_string());
            }
            contents @ Contents::Parameters { .. } => report.parameters(contents, levels),
            Contents::Plaintext { parms_id, coeff_count, scale, maybe_secret_key, .. } => {
                report.object = if maybe_secret_key { "secret key (or plaintext)" } else { "plaintext" };
                report.coefficients = Some(coeff_count);
                report.ntt_form = Some(!parms_id.is_zero());
                report.scale = Some(scale);
                let known = if parms_id.is_zero() { None } else { report.locate(parms_id, levels) };
                if known.is_some_and(|level| level.is_key_level) {
                    // No other plaintext is at the key level.
                    report.object = "secret key";
                }
            }
            Contents::Ciphertext(summary) => report.ciphertext(&summary, levels),
            contents @ Contents::KeySwitchKeys { .. } => report.key_switch_keys(contents, levels),
            _ => {}
        }
        report
    }

    fn parameters(&mut self, contents: Contents, levels: &mut KnownLevels) {
        let Contents::Parameters { scheme, degree, coeff_modulus, plain_modulus, parms_id, .. } = contents else {
            return;
        };
        self.object = "parameters";
        self.degree = Some(degree);
        self.primes = Some(coeff_modulus.len());
        self.parms_id = parms_id.map(|id| id.to_string());
        let Some(scheme) = scheme else {
            return;
        };
        self.scheme = vec![scheme.name()];
        let parameters = Parameters { scheme, degree, coeff_modulus, plain_modulus };
        levels.add(&parameters);
        self.parameters = Some(ParametersInfo::new(&parameters));
    }

    fn ciphertext(&mut self, summary: &CiphertextSummary, levels: &KnownLevels) {
        self.degree = Some(summary.degree);
        self.primes = Some(summary.prime_count);
        self.polynomials = Some(summary.size);
        self.ntt_form = Some(summary.ntt_form);
        self.scale = Some(summary.scale);
        self.correction_factor = Some(summary.correction_factor).filter(|&factor| factor != 1);
        self.seeded = Some(summary.seeded);
        let known = self.locate(summary.parms_id, levels);
        let may_be_key =
            summary.ntt_form && summary.size == 2 && summary.scale == 1.0 && summary.correction_factor == 1;
        self.object = match known {
            Some(level) if level.is_key_level => "public key",
            None if may_be_key => "public key (or ciphertext)",
            _ => "ciphertext",
        };
        if known.is_none() {
            self.scheme = possible_schemes(summary);
        }
    }

    fn key_switch_keys(&mut self, contents: Contents, levels: &KnownLevels) {
        let Contents::KeySwitchKeys { kind, parms_id, entries, digit_count, seeded_digit_count, first_digit, .. } =
            contents
        else {
            return;
        };
        (self.object, self.keys) = match kind {
            KeySwitchKind::Galois => ("Galois keys", entries.iter().map(|entry| 2 * entry + 1).collect()),
            KeySwitchKind::Relinearization => ("relinearization keys", entries.iter().map(|entry| entry + 2).collect()),
            _ => ("key-switching keys", entries),
        };
        self.seeded = (digit_count > 0).then_some(seeded_digit_count == digit_count);
        self.degree = first_digit.map(|digit| digit.degree);
        self.primes = first_digit.map(|digit| digit.prime_count);
        self.locate(parms_id, levels);
    }

    fn locate(&mut self, id: ParmsId, levels: &KnownLevels) -> Option<KnownLevel> {
        self.parms_id = Some(id.to_string());
        let known = levels.0.get(&id).copied()?;
        self.scheme = vec![known.scheme.name()];
        self.level = Some(known.level);
        self.primes = Some(known.prime_count);
        Some(known)
    }
}

/// The schemes that a ciphertext of unknown parameters can be of.
fn possible_schemes(summary: &CiphertextSummary) -> Vec<&'static str> {
    match (summary.ntt_form, summary.correction_factor, summary.scale) {
        (_, 2.., _) => vec!["BGV"],
        // SEAL 4.0 wrote BGV in this form too.
        (false, ..) => vec!["BFV"],
        (true, _, scale) if scale != 1.0 => vec!["CKKS"],
        _ => vec!["BGV", "CKKS"],
    }
}

/// One line.
impl fmt::Display for ObjectReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.object)?;
        let mut parts: Vec<String> = Vec::new();
        if !self.scheme.is_empty() {
            parts.push(self.scheme.join(" or "));
        }
        parts.extend(self.value.clone());
        parts.extend(self.degree.map(|degree| format!("n = {degree}")));
        parts.extend(self.polynomials.filter(|&count| count != 2).map(|count| counted(count, "polynomial")));
        match (self.level, self.primes) {
            (Some(level), Some(primes)) => parts.push(format!("level {level} ({})", counted(primes, "prime"))),
            (None, Some(primes)) => parts.push(counted(primes, "prime")),
            _ => {}
        }
        parts.extend(self.coefficients.map(|count| format!("{count} coefficients")));
        parts.extend(self.scale.filter(|&scale| scale != 1.0).map(|scale| format!("scale {}", power(scale))));
        parts.extend(self.correction_factor.map(|factor| format!("correction factor {factor}")));
        if self.object == "relinearization keys" {
            parts.push(format!("for powers {:?} of the secret", self.keys));
        } else if !self.keys.is_empty() {
            parts.push(counted(self.keys.len(), "key"));
        }
        parts.extend(self.ntt_form.map(|ntt| if ntt { "NTT form" } else { "coefficient form" }.to_owned()));
        parts.extend(self.seeded.map(|seeded| if seeded { "seeded" } else { "full" }.to_owned()));
        parts.push(format!("SEAL {}", self.seal_version));
        if self.compression != "none" {
            parts.push(format!("{} from {} bytes", self.compression, self.uncompressed_bytes));
        }
        parts.push(format!("{} bytes", self.bytes));
        write!(f, ": {}", parts.join(", "))
    }
}

/// A scale as a power of two, with a fraction only where it is none.
pub fn power(scale: f64) -> String {
    let log = scale.log2();
    match log.fract() == 0.0 {
        true => format!("2^{log}"),
        false => format!("2^{log:.4}"),
    }
}
