//! `phoca encrypt`: numbers or polynomials into a file of ciphertexts.

use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use phoca::{Ciphertext, Encryptor, Plaintext, Scheme, Security};
use serde_json::json;

use crate::array::{Codec, manifest_of};
use crate::commands::keygen::SeedArgs;
use crate::container::{ContainerWriter, Encoding};
use crate::error::{CliError, ExitCode, Result};
use crate::keys::{self, EncryptionKey, Loaded};
use crate::output::{Output, Purpose};
use crate::ui::{Ui, counted};
use crate::values::limit::{Limited, MAX_BINARY, MAX_LINE, MAX_TEXT};
use crate::values::{self, Array, Values, csv, npy};

/// What to do about an input that is too long.
const SPLIT: &str = "split it into several files, or make it .npy if it is text: of that 1 GiB is read";

/// Arguments of `encrypt`.
#[derive(Args, Debug)]
pub struct EncryptArgs {
    /// Public key, or secret key for smaller files with less noise
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    #[command(flatten)]
    source: SourceArgs,
    /// Columns of CSV by name or number, each in ciphertexts of its own [default: all]
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', requires = "input")]
    col: Vec<String>,
    /// Format of the input [default: by the file's name or its first bytes]
    #[arg(long, value_name = "FORMAT", value_enum, requires = "input")]
    format: Option<InputFormat>,
    /// CKKS: bits of the scale [default: the key's]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(1..=60))]
    scale_bits: Option<u32>,
    /// File for the ciphertexts, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    seed: SeedArgs,
}

/// What to encrypt.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
pub struct SourceArgs {
    /// CSV, JSON or .npy file, `-` for standard input
    input: Option<PathBuf>,
    /// Numbers, such as 1,-2,3.5
    #[arg(long, value_name = "NUMBER,…", value_delimiter = ',', allow_hyphen_values = true)]
    values: Option<Vec<String>>,
    /// A polynomial with hexadecimal coefficients, such as '1Fx^3 + 2x^1 + 7'; may be repeated
    #[arg(long, value_name = "POLYNOMIAL")]
    poly: Option<Vec<String>>,
}

/// The formats of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// Comma-separated values
    Csv,
    /// An array of numbers, nested or not
    Json,
    /// NumPy's file of float64, int64, uint64 or complex128
    Npy,
}

/// Encrypts one plaintext after another.
pub fn run(args: &EncryptArgs, ui: &Ui) -> Result<()> {
    let loaded = keys::load_encryption_key(&args.key)?;
    if args.scale_bits.is_some() && loaded.context.scheme() != Scheme::Ckks {
        return Err(CliError::usage(format!("{} has no --scale-bits", loaded.context.scheme())));
    }
    if loaded.context.security() == Security::Insecure {
        ui.warn("the key is insecure: whoever has the public key can find the secret key");
    }
    let (array, encoding) = args.read(loaded.context.scheme())?;
    check_type(&array, encoding).map_err(|error| args.in_source(error))?;
    let mut output = Output::create(args.output.as_deref(), Purpose::Binary)?;
    let to_stdout = output.is_stdout();
    let path = output.path().to_owned();
    let report =
        encrypt(args, &loaded, &array, encoding, &mut output, ui).map_err(|error| error.while_writing(&path))?;
    output.commit()?;
    ui.note(format!("{} in {}", counted(array.values.len(), "value"), counted(report.0 as usize, "ciphertext")));
    let report = json!({
        "schema": "phoca.encrypt/1",
        "output": path.display().to_string(),
        "shape": array.shape,
        "dtype": array.values.dtype().name(),
        "ciphertexts": report.0,
        "bytes": report.1,
        "fingerprint": loaded.manifest.fingerprint,
    });
    ui.report(&report, to_stdout)
}

/// Writes the container and gives the number of ciphertexts and their bytes.
fn encrypt(
    args: &EncryptArgs,
    loaded: &Loaded<EncryptionKey>,
    array: &Array,
    encoding: Encoding,
    output: &mut Output,
    ui: &Ui,
) -> Result<(u64, u64)> {
    let context = &loaded.context;
    let scale = args.scale_bits.map(|bits| f64::from(bits).exp2()).or(loaded.manifest.scale);
    let codec = Codec::new(context, encoding, scale)?;
    let info = array.info(encoding);
    let length = info.length() as usize;
    let slots = codec.slots();
    let objects = info.chunks(slots) * info.vectors;
    let vectors = info.vectors as usize;
    let mut manifest = manifest_of(context, &loaded.manifest, info, objects);
    manifest.scale = scale.filter(|_| encoding == Encoding::Ckks);
    let encrypt = encryptor(args, loaded)?;
    let mut writer = ContainerWriter::new(output, &manifest)?;
    let mut progress = ui.progress("encrypt", objects);
    let mut bytes = 0;
    for vector in 0..vectors {
        for start in (0..length).step_by(slots) {
            let plaintext = codec.encode(&array.values, vector * length + start, slots.min(length - start))?;
            bytes += writer.object(&encrypt(&plaintext)?)?;
            progress.step();
        }
    }
    writer.finish()?;
    Ok((objects, bytes))
}

/// The encryption under whichever key there is.
fn encryptor(
    args: &EncryptArgs,
    loaded: &Loaded<EncryptionKey>,
) -> Result<impl Fn(&Plaintext) -> Result<Ciphertext> + use<>> {
    let (public, secret) = match &loaded.key {
        EncryptionKey::Public(key) => (Some(key.clone()), None),
        EncryptionKey::Secret(key) => (None, Some(key.clone())),
    };
    let symmetric = secret.is_some();
    let mut encryptor = Encryptor::with_keys(&loaded.context, public, secret)?;
    if let Some(seed) = args.seed.bytes(2) {
        encryptor = encryptor.insecure_from_seed(seed);
    }
    Ok(move |plaintext: &Plaintext| {
        Ok(match symmetric {
            true => encryptor.encrypt_symmetric(plaintext)?,
            false => encryptor.encrypt(plaintext)?,
        })
    })
}

/// Refuses what the encoding cannot hold, before anything is written.
fn check_type(array: &Array, encoding: Encoding) -> Result<()> {
    array.check()?;
    if encoding != Encoding::Batch {
        return Ok(());
    }
    let first = match &array.values {
        Values::Float(values) => values.iter().position(|value| value.fract() != 0.0).unwrap_or(0),
        Values::Complex(_) => 0,
        _ => return Ok(()),
    };
    Err(CliError::bad_file(format!(
        "value {} is {}, but BFV and BGV encrypt integers of one 64-bit type",
        first + 1,
        array.values.text(first)
    ))
    .hint("scale and round the values, or use keys of CKKS"))
}

impl EncryptArgs {
    /// The values and their encoding.
    fn read(&self, scheme: Scheme) -> Result<(Array, Encoding)> {
        let encoding = if scheme == Scheme::Ckks { Encoding::Ckks } else { Encoding::Batch };
        if let Some(texts) = &self.source.poly {
            if scheme == Scheme::Ckks {
                return Err(CliError::usage("CKKS encrypts numbers, not polynomials").hint("--values 1,2,3"));
            }
            return Ok((Array::flat(Values::Polynomial(texts.clone())), Encoding::Polynomial));
        }
        if let Some(texts) = &self.source.values {
            let numbers = texts.iter().map(|text| {
                let number = values::parse_number(text);
                number.ok_or_else(|| CliError::usage(format!("--values: {text:?} is not a number")))
            });
            let numbers: Vec<_> = numbers.collect::<Result<_>>()?;
            return Ok((Array::flat(values::unify(&numbers)), encoding));
        }
        // clap requires one of the three.
        let path = self.source.input.as_deref().unwrap_or(Path::new("-"));
        let array = self.read_input(path).map_err(|error| match error.code {
            ExitCode::Usage => error,
            _ => error.file(path),
        })?;
        Ok((array, encoding))
    }

    /// Names the file of an error about the values; without a file, the command line is at fault.
    fn in_source(&self, error: CliError) -> CliError {
        match &self.source.input {
            Some(path) => error.file(path),
            None => CliError { code: ExitCode::Usage, ..error },
        }
    }

    fn read_input(&self, path: &Path) -> Result<Array> {
        let mut input: Box<dyn BufRead> = match path.as_os_str() == "-" {
            true => Box::new(BufReader::new(stdin())),
            false => Box::new(BufReader::new(File::open(path)?)),
        };
        let format = match self.format {
            Some(format) => format,
            None => InputFormat::guess(path, input.fill_buf()?),
        };
        if format != InputFormat::Csv && !self.col.is_empty() {
            return Err(CliError::usage("--col is for CSV"));
        }
        match format {
            InputFormat::Csv => csv::read(Limited::new(input, MAX_TEXT, SPLIT).lines(MAX_LINE), &self.col),
            InputFormat::Json => values::json::read(Limited::new(input, MAX_TEXT, SPLIT)),
            InputFormat::Npy => npy::read(Limited::new(input, MAX_BINARY, SPLIT)),
        }
    }
}

impl InputFormat {
    /// The format by the name's end, else by the first bytes.
    fn guess(path: &Path, start: &[u8]) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => return Self::Csv,
            Some("json") => return Self::Json,
            Some("npy") => return Self::Npy,
            _ => {}
        }
        if start.starts_with(npy::MAGIC) {
            return Self::Npy;
        }
        match start.trim_ascii_start().first() {
            Some(b'[' | b'{') => Self::Json,
            _ => Self::Csv,
        }
    }
}
