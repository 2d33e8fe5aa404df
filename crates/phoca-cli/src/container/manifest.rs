//! The manifest: what a container holds, and under which parameters.

use std::collections::BTreeMap;

use phoca::{Context, Parameters, ParmsId, Scheme, Security, SecurityLevel, SecurityTable};
use serde::{Deserialize, Serialize};

use crate::error::{CliError, ExitCode, Result};
use crate::parameters::modulus_bits;
use crate::ui::counted;

/// The most dimensions of an array, as in numpy.
const MAX_DIMENSIONS: usize = 32;
/// The most objects of one container.
const MAX_OBJECTS: u64 = 1 << 32;
/// The most primes of a chain, and the greatest degree, that a manifest may name.
const MAX_PRIMES: usize = phoca::params::MAX_COEFF_MODULUS_COUNT;
/// The longest column name, in bytes.
const MAX_NAME_LEN: usize = 4096;

/// What a container is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Encrypted values.
    Ciphertexts,
    /// Relinearization and Galois keys.
    EvaluationKey,
    /// Encryption parameters alone.
    Parameters,
    /// A public key.
    PublicKey,
    /// A secret key.
    SecretKey,
}

impl Kind {
    /// The name in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ciphertexts => "ciphertexts",
            Self::EvaluationKey => "an evaluation key",
            Self::Parameters => "parameters",
            Self::PublicKey => "a public key",
            Self::SecretKey => "a secret key",
        }
    }

    /// Whether it is a key, which no command overwrites.
    pub const fn is_key(self) -> bool {
        matches!(self, Self::EvaluationKey | Self::PublicKey | Self::SecretKey)
    }
}

/// What one object of a container is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContentKind {
    /// Galois keys.
    GaloisKeys,
    /// Relinearization keys.
    RelinKeys,
}

/// Everything that a container says about its objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What the container is.
    pub kind: Kind,
    /// The encryption parameters.
    pub parameters: ParametersInfo,
    /// The first 16 hexadecimal digits of the key level's `parms_id`.
    pub fingerprint: String,
    /// Which key pair the objects belong to: 16 hexadecimal digits, drawn at random by `keygen`. Unknown where the
    /// objects came from elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The security check that the parameters passed.
    pub security: SecurityInfo,
    /// CKKS: the scale of the values; in keys, the scale that `encrypt` uses unless told otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// How many objects follow.
    pub objects: u64,
    /// What the objects of an evaluation key are, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<ContentKind>,
    /// What the values of ciphertexts are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<ArrayInfo>,
    /// Remarks for people, such as the program that wrote the file. The only place where unknown members are allowed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub info: BTreeMap<String, serde_json::Value>,
}

/// Encryption parameters in a manifest. Moduli are decimal strings, because JSON's numbers are doubles to many readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParametersInfo {
    /// `bfv`, `bgv` or `ckks`.
    pub scheme: String,
    /// The degree `n`.
    pub degree: u64,
    /// The primes, the special prime last.
    pub coeff_modulus: Vec<String>,
    /// The plain modulus `t`; `"0"` for CKKS.
    pub plain_modulus: String,
}

/// The security check that parameters passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case", deny_unknown_fields)]
pub enum SecurityInfo {
    /// They are within a table's limits.
    Checked {
        /// `standard-2018` or `guidelines-2024`.
        table: TableName,
        /// 128, 192 or 256.
        level: u32,
    },
    /// Nothing was checked: the user said `--insecure`.
    Insecure,
}

/// The tables by the names that the command line and manifests use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableName {
    /// ePrint 2024/463.
    #[serde(rename = "guidelines-2024")]
    Guidelines2024,
    /// HomomorphicEncryption.org 2018.
    #[serde(rename = "standard-2018")]
    Standard2018,
}

/// How values are laid out in ciphertexts.
///
/// The values are `vectors` vectors of equal length, each of which starts a new ciphertext and takes as many as it needs.
/// One vector holds the array in row-major order; several hold the columns of a table of shape `[rows, vectors]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayInfo {
    /// How values are encoded.
    pub encoding: Encoding,
    /// The type of the values before encryption.
    pub dtype: Dtype,
    /// The shape of the array; empty for a single number.
    pub shape: Vec<u64>,
    /// How many vectors there are.
    pub vectors: u64,
    /// The names of the vectors, where they have names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
}

/// How values become plaintexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// Integers modulo `t` in the `n` slots of BFV and BGV.
    Batch,
    /// Real or complex numbers in the `n/2` slots of CKKS.
    Ckks,
    /// One polynomial each.
    Polynomial,
}

impl Encoding {
    /// The name in manifests and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Ckks => "ckks",
            Self::Polynomial => "polynomial",
        }
    }
}

/// The type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dtype {
    /// Pairs of doubles.
    Complex128,
    /// Doubles.
    Float64,
    /// Signed integers.
    Int64,
    /// Polynomials modulo `t`.
    Polynomial,
    /// Unsigned integers.
    Uint64,
}

impl Dtype {
    /// The name, as numpy's.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complex128 => "complex128",
            Self::Float64 => "float64",
            Self::Int64 => "int64",
            Self::Polynomial => "polynomial",
            Self::Uint64 => "uint64",
        }
    }
}

/// The fingerprint of parameters: the start of their identifier.
pub fn fingerprint_of(parms_id: ParmsId) -> String {
    format!("{:016x}", parms_id.0[0])
}

impl Manifest {
    /// A manifest without array, for objects under the parameters of `context`.
    pub fn new(kind: Kind, context: &Context, objects: u64) -> Self {
        let mut info = BTreeMap::new();
        info.insert("writer".to_owned(), concat!("phoca ", env!("CARGO_PKG_VERSION")).into());
        Self {
            kind,
            parameters: ParametersInfo::new(context.parameters()),
            fingerprint: fingerprint_of(context.key_level().parms_id()),
            key: None,
            security: context.security().into(),
            scale: None,
            objects,
            contents: Vec::new(),
            array: None,
            info,
        }
    }

    /// Checks everything that can be checked without the objects, and gives the parameters.
    pub fn check(&self) -> Result<Parameters> {
        let parameters = self.parameters.parse()?;
        let expected = fingerprint_of(parameters.parms_id());
        if self.fingerprint != expected {
            return Err(CliError::bad_file(format!(
                "the manifest's fingerprint is {:?}, but its parameters have {expected}: it was changed",
                start_of(&self.fingerprint)
            )));
        }
        self.check_key()?;
        self.check_security(&parameters)?;
        self.check_scale()?;
        self.check_objects(&parameters)?;
        Ok(parameters)
    }

    /// Refuses a container of another kind.
    pub fn expect_kind(&self, kind: Kind) -> Result<()> {
        if self.kind == kind {
            return Ok(());
        }
        let verb = if kind.is_key() { "is" } else { "are" };
        Err(CliError::bad_file(format!("this file holds {}, but {} {verb} needed", self.kind.title(), kind.title()))
            .fingerprint(self.fingerprint.clone()))
    }

    /// Refuses a container of other parameters or another key pair than `key`'s.
    pub fn expect_same_keys(&self, key: &Self) -> Result<()> {
        if self.parameters != key.parameters {
            return Err(CliError::mismatch(format!(
                "these values are encrypted under parameters {}, but the key is for {}",
                self.fingerprint, key.fingerprint
            ))
            .fingerprint(self.fingerprint.clone())
            .hint("phoca inspect on both files shows their parameters"));
        }
        match (&self.key, &key.key) {
            (Some(own), Some(other)) if own != other => Err(CliError::mismatch(format!(
                "this belongs to key pair {own}, but the given key to key pair {other}"
            ))
            .fingerprint(self.fingerprint.clone())
            .hint("use the keys that one run of phoca keygen made together")),
            _ => Ok(()),
        }
    }

    fn check_key(&self) -> Result<()> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        match &self.key {
            Some(key) if key.len() != 16 || !key.bytes().all(is_digit) => Err(CliError::bad_file(format!(
                "the manifest's key is {:?}, but must be 16 hexadecimal digits",
                start_of(key)
            ))),
            _ => Ok(()),
        }
    }

    /// Repeats the check that the manifest says was passed.
    fn check_security(&self, parameters: &Parameters) -> Result<()> {
        let Security::Checked { level, table } = self.security.parse()? else {
            return Ok(());
        };
        let bits = modulus_bits(parameters);
        match table.max_bits(parameters.degree, level) {
            Some(limit) if bits <= limit => Ok(()),
            _ => Err(CliError::new(
                ExitCode::Insecure,
                format!(
                    "the manifest says that its parameters are {}-bit secure in the table {table}, but {bits} bits of \
                     modulus at degree {} are not: it was changed",
                    level.bits(),
                    parameters.degree
                ),
            )),
        }
    }

    fn check_scale(&self) -> Result<()> {
        match self.scale {
            Some(scale) if !(scale.is_normal() && scale > 0.0) => Err(CliError::bad_file(format!(
                "the manifest's scale is {scale:e}, but must be a positive normal number"
            ))),
            _ => Ok(()),
        }
    }

    fn check_objects(&self, parameters: &Parameters) -> Result<()> {
        let expected = match self.kind {
            Kind::Parameters | Kind::PublicKey | Kind::SecretKey => 1..=1,
            Kind::EvaluationKey => 1..=2,
            Kind::Ciphertexts => 1..=MAX_OBJECTS,
        };
        if !expected.contains(&self.objects) {
            return Err(CliError::bad_file(format!(
                "the manifest says {}, but a file of {} has {} to {}",
                counted(self.objects as usize, "object"),
                self.kind.title(),
                expected.start(),
                expected.end()
            )));
        }
        let contents = self.contents.len() as u64;
        if contents != if self.kind == Kind::EvaluationKey { self.objects } else { 0 } {
            return Err(CliError::bad_file(format!(
                "the manifest lists {contents} contents for {} in a file of {}",
                counted(self.objects as usize, "object"),
                self.kind.title()
            )));
        }
        match (&self.array, self.kind) {
            (Some(array), Kind::Ciphertexts) => array.check(parameters, self.objects),
            (None, Kind::Ciphertexts) => Err(CliError::bad_file("the manifest of these ciphertexts has no array")),
            (Some(_), _) => Err(CliError::bad_file("the manifest has an array, but the file holds no ciphertexts")),
            (None, _) => Ok(()),
        }
    }
}

impl ParametersInfo {
    /// The parameters as a manifest writes them.
    pub fn new(parameters: &Parameters) -> Self {
        Self {
            scheme: parameters.scheme.name().to_lowercase(),
            degree: parameters.degree as u64,
            coeff_modulus: parameters.coeff_modulus.iter().map(u64::to_string).collect(),
            plain_modulus: parameters.plain_modulus.to_string(),
        }
    }

    /// The parameters, with counts and numbers checked; their validity is checked when a context is made.
    pub fn parse(&self) -> Result<Parameters> {
        let degree = usize::try_from(self.degree).ok();
        let Some(degree) = degree.filter(|degree| phoca::params::DEGREE_RANGE.contains(degree)) else {
            return Err(CliError::bad_file(format!("the manifest's degree {} is out of range", self.degree)));
        };
        if self.coeff_modulus.is_empty() || self.coeff_modulus.len() > MAX_PRIMES {
            return Err(CliError::bad_file(format!(
                "the manifest has {} primes, but must have 1 to {MAX_PRIMES}",
                self.coeff_modulus.len()
            )));
        }
        Ok(Parameters {
            scheme: self.scheme()?,
            degree,
            coeff_modulus: self.coeff_modulus.iter().map(|text| decimal(text)).collect::<Result<_>>()?,
            plain_modulus: decimal(&self.plain_modulus)?,
        })
    }

    fn scheme(&self) -> Result<Scheme> {
        match self.scheme.as_str() {
            "bfv" => Ok(Scheme::Bfv),
            "bgv" => Ok(Scheme::Bgv),
            "ckks" => Ok(Scheme::Ckks),
            other => {
                Err(CliError::bad_file(format!("the manifest's scheme is {other:?}, but must be bfv, bgv or ckks")))
            }
        }
    }
}

/// Enough of a text from a file for a message.
fn start_of(text: &str) -> String {
    text.chars().take(40).collect()
}

/// A modulus in the one way that manifests write it: decimal digits without sign or leading zeros.
fn decimal(text: &str) -> Result<u64> {
    let value = text.parse::<u64>().ok().filter(|value| value.to_string() == text);
    value.ok_or_else(|| CliError::bad_file(format!("the manifest's modulus {text:?} is no decimal 64-bit integer")))
}

impl ArrayInfo {
    /// The number of values in one vector.
    ///
    /// A checked array's product of dimensions fits a word, so this does not overflow.
    pub fn length(&self) -> u64 {
        self.shape.iter().product::<u64>() / self.vectors.max(1)
    }

    /// The ciphertexts that one vector takes, with `slots` values each.
    pub fn chunks(&self, slots: usize) -> u64 {
        match self.encoding {
            Encoding::Polynomial => 1,
            Encoding::Batch | Encoding::Ckks => self.length().div_ceil(slots.max(1) as u64),
        }
    }

    fn check(&self, parameters: &Parameters, objects: u64) -> Result<()> {
        let bad = |message: String| Err(CliError::bad_file(message));
        if self.shape.len() > MAX_DIMENSIONS {
            return bad(format!("the array has {} dimensions, but may have {MAX_DIMENSIONS}", self.shape.len()));
        }
        let total = self.shape.iter().try_fold(1_u64, |total, &side| total.checked_mul(side));
        let Some(total) = total.filter(|&total| total > 0) else {
            return bad(format!("the array's shape {:?} is empty or too large", self.shape));
        };
        if self.vectors == 0 || !total.is_multiple_of(self.vectors) || (self.vectors > 1 && !self.is_table()) {
            return bad(format!("an array of shape {:?} cannot be {} vectors", self.shape, self.vectors));
        }
        if !self.columns.is_empty() && self.columns.len() as u64 != self.vectors {
            return bad(format!("{} column names are given for {} vectors", self.columns.len(), self.vectors));
        }
        if self.columns.iter().any(|name| name.len() > MAX_NAME_LEN) {
            return bad(format!("a column name is longer than {MAX_NAME_LEN} bytes"));
        }
        let slots = self.check_encoding(parameters)?;
        match self.chunks(slots).checked_mul(self.vectors) {
            Some(expected) if expected == objects => Ok(()),
            _ => bad(format!(
                "the manifest says {}, but {} of {} with {slots} in each make {} each",
                counted(objects as usize, "ciphertext"),
                counted(self.vectors as usize, "vector"),
                counted(self.length() as usize, "value"),
                self.chunks(slots)
            )),
        }
    }

    /// Whether the shape is that of a table with one column for each vector, or a list of polynomials.
    fn is_table(&self) -> bool {
        match self.encoding {
            Encoding::Polynomial => self.shape == [self.vectors],
            Encoding::Batch | Encoding::Ckks => self.shape.len() == 2 && self.shape[1] == self.vectors,
        }
    }

    /// Checks that encoding, type and scheme fit together, and gives the values of one ciphertext.
    fn check_encoding(&self, parameters: &Parameters) -> Result<usize> {
        let (scheme, degree) = (parameters.scheme, parameters.degree);
        let fits = match self.encoding {
            Encoding::Batch => scheme != Scheme::Ckks && matches!(self.dtype, Dtype::Int64 | Dtype::Uint64),
            Encoding::Ckks => scheme == Scheme::Ckks && self.dtype != Dtype::Polynomial,
            Encoding::Polynomial => scheme != Scheme::Ckks && self.dtype == Dtype::Polynomial,
        };
        if !fits {
            return Err(CliError::bad_file(format!(
                "{} encoding of {} does not exist in {scheme}",
                self.encoding.name(),
                self.dtype.name()
            )));
        }
        Ok(match self.encoding {
            Encoding::Batch => degree,
            Encoding::Ckks => degree / 2,
            Encoding::Polynomial => 1,
        })
    }
}

impl From<Security> for SecurityInfo {
    fn from(security: Security) -> Self {
        match security {
            Security::Checked { level, table } => Self::Checked {
                table: match table {
                    SecurityTable::Standard2018 => TableName::Standard2018,
                    SecurityTable::Guidelines2024 => TableName::Guidelines2024,
                },
                level: level.bits(),
            },
            Security::Insecure => Self::Insecure,
        }
    }
}

impl SecurityInfo {
    /// The check that a reader of the file repeats.
    pub fn parse(self) -> Result<Security> {
        let Self::Checked { table, level } = self else {
            return Ok(Security::Insecure);
        };
        let known = SecurityLevel::ALL.into_iter().find(|known| known.bits() == level);
        let level = known.ok_or_else(|| {
            CliError::bad_file(format!("the manifest's security level {level} is not 128, 192 or 256"))
        })?;
        let table = match table {
            TableName::Standard2018 => SecurityTable::Standard2018,
            TableName::Guidelines2024 => SecurityTable::Guidelines2024,
        };
        Ok(Security::Checked { level, table })
    }
}
