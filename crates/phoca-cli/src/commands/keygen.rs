//! `phoca keygen`: the three key files.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use phoca::ring::random::SecretRng;
use phoca::seal::Save;
use phoca::{Context, GaloisSelection, KeyGenerator, Scheme};
use serde_json::json;

use crate::container::{ContainerWriter, ContentKind, Kind, Manifest};
use crate::error::{CliError, Result};
use crate::output::{Output, Purpose};
use crate::parameters::{ParameterArgs, SchemeArg, integers};
use crate::ui::Ui;
use phoca::params::suggest::Suggestion;

/// The file names in the output directory.
pub const SECRET_KEY: &str = "secret.key";
/// See [`SECRET_KEY`].
pub const PUBLIC_KEY: &str = "public.key";
/// See [`SECRET_KEY`].
pub const EVALUATION_KEY: &str = "eval.key";

/// Arguments of `keygen`.
#[derive(Args, Debug)]
pub struct KeygenArgs {
    /// The scheme
    #[arg(value_enum)]
    scheme: SchemeArg,
    #[command(flatten)]
    parameters: ParameterArgs,
    /// Rotations to make keys for: `all` powers of two in both directions, `sum` (powers of two to the left, enough for
    /// sums), `none`, or steps such as 1,2,-4
    #[arg(long, value_name = "WHICH", default_value = "sum", allow_hyphen_values = true)]
    rotations: Rotations,
    /// Directory for secret.key, public.key and eval.key; made if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    #[command(flatten)]
    seed: SeedArgs,
}

/// Reproducible randomness, for tests.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "For tests only")]
pub struct SeedArgs {
    /// Draw all randomness from this number: equal seeds give equal keys and ciphertexts
    #[arg(long, value_name = "NUMBER", requires = "insecure_deterministic")]
    seed: Option<u64>,
    /// Confirm that --seed protects nothing
    #[arg(long, requires = "seed")]
    insecure_deterministic: bool,
}

impl SeedArgs {
    /// The seed, spread over 32 bytes with a `purpose`, so that no two uses draw the same stream.
    pub fn bytes(&self, purpose: u8) -> Option<[u8; 32]> {
        self.seed.map(|seed| {
            let mut bytes = [0; 32];
            bytes[..8].copy_from_slice(&seed.to_le_bytes());
            bytes[31] = purpose;
            bytes
        })
    }
}

/// Which rotations get keys.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Rotations {
    All,
    None,
    Steps(Vec<i64>),
    Sum,
}

impl std::str::FromStr for Rotations {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "none" => Ok(Self::None),
            "sum" => Ok(Self::Sum),
            steps => steps
                .split(',')
                .map(|step| step.trim().parse().map_err(|_| format!("{step:?} is neither a step nor all, sum or none")))
                .collect::<std::result::Result<_, _>>()
                .map(Self::Steps),
        }
    }
}

impl Rotations {
    /// The steps of the keys; `None` for SEAL's default set.
    fn steps(&self, context: &Context) -> Option<Vec<i64>> {
        match self {
            Self::All => None,
            Self::None => Some(Vec::new()),
            Self::Steps(steps) => Some(steps.clone()),
            Self::Sum => {
                let row = context.degree() as i64 / 2;
                let mut steps: Vec<i64> = (0..).map(|log| 1 << log).take_while(|&step| step < row).collect();
                if context.scheme() != Scheme::Ckks {
                    // The swap of the two rows.
                    steps.push(0);
                }
                Some(steps)
            }
        }
    }

    /// Whether keys make sense for parameters without slots.
    fn apply_to(&self, context: &Context) -> bool {
        match self {
            Self::None => false,
            Self::Sum => context.supports_batching(),
            Self::All | Self::Steps(_) => true,
        }
    }
}

/// Makes the keys and writes them, all or none.
pub fn run(args: &KeygenArgs, ui: &Ui) -> Result<()> {
    let (choice, context) = args.parameters.resolve(args.scheme.into())?;
    let created = create_directory(&args.output)?;
    let result = make_all(args, &choice, &context, ui);
    if result.is_err() && created {
        // Only if it is empty, as it was made.
        let _ = fs::remove_dir(&args.output);
    }
    let files = result?;
    if context.security() == phoca::Security::Insecure {
        ui.warn("these parameters are insecure: whoever has the public key can find the secret key");
    }
    for reason in &choice.reasons {
        ui.detail(reason);
    }
    for (path, bytes) in &files {
        ui.note(format!("{}  {bytes} bytes", path.display()));
    }
    if let Some(range) = integers(context.parameters()) {
        ui.note(format!("integers    {range}"));
    }
    let report = json!({
        "schema": "phoca.keygen/1",
        "scheme": context.scheme().name(),
        "degree": context.degree(),
        "fingerprint": crate::container::fingerprint_of(context.key_level().parms_id()),
        "scale": choice.scale,
        "files": files.iter().map(|(path, bytes)| json!({"path": path.display().to_string(), "bytes": bytes})).collect::<Vec<_>>(),
    });
    ui.report(&report, false)
}

/// Makes the directory unless it exists, and says whether it did.
fn create_directory(path: &Path) -> Result<bool> {
    if path.is_dir() {
        return Ok(false);
    }
    let parent_exists = path.parent().is_none_or(|parent| parent.as_os_str().is_empty() || parent.is_dir());
    fs::create_dir_all(path).map_err(|error| CliError::from(error).file(path))?;
    Ok(parent_exists)
}

fn make_all(args: &KeygenArgs, choice: &Suggestion, context: &Context, ui: &Ui) -> Result<Vec<(PathBuf, u64)>> {
    // Opened before the work, so that existing files are found before it.
    let open = |name, purpose| Output::create(Some(&args.output.join(name)), purpose);
    let secret_output = open(SECRET_KEY, Purpose::SecretKey)?;
    let public_output = open(PUBLIC_KEY, Purpose::PublicKey)?;
    let evaluation_output = match context.supports_key_switching() {
        true => Some(open(EVALUATION_KEY, Purpose::PublicKey)?),
        false => {
            ui.warn("parameters with one prime have no evaluation key: they can add, but neither multiply nor rotate");
            None
        }
    };
    let generator = match args.seed.bytes(0) {
        Some(seed) => KeyGenerator::insecure_from_seed(context, seed)?,
        None => KeyGenerator::new(context)?,
    };
    let key_id = new_key_id(args.seed)?;
    let manifest = |kind, objects| {
        let mut manifest = Manifest::new(kind, context, objects);
        manifest.key = Some(key_id.clone());
        manifest.scale = choice.scale;
        manifest
    };
    let mut progress = ui.progress("keys", 3);
    let mut outputs = vec![
        write_one(secret_output, &manifest(Kind::SecretKey, 1), generator.secret_key())?,
        write_one(public_output, &manifest(Kind::PublicKey, 1), &generator.public_key()?)?,
    ];
    progress.step();
    if let Some(output) = evaluation_output {
        let relin = generator.relin_keys()?;
        progress.step();
        let mut contents = vec![ContentKind::RelinKeys];
        let galois = match args.rotations.apply_to(context) {
            true => Some(match args.rotations.steps(context) {
                None => generator.galois_keys(GaloisSelection::All)?,
                Some(steps) => generator.galois_keys(GaloisSelection::Steps(&steps))?,
            }),
            false => None,
        };
        contents.extend(galois.as_ref().map(|_| ContentKind::GaloisKeys));
        let mut manifest = manifest(Kind::EvaluationKey, contents.len() as u64);
        manifest.contents = contents;
        let mut writer = ContainerWriter::new(output, &manifest)?;
        writer.object(&relin)?;
        if let Some(galois) = &galois {
            writer.object(galois)?;
        }
        outputs.push(writer.finish()?);
        progress.step();
    }
    let paths: Vec<PathBuf> = outputs.iter().map(|output| output.path().to_owned()).collect();
    Output::commit_all(outputs)?;
    paths
        .into_iter()
        .map(|path| {
            let bytes = fs::metadata(&path).map_err(|error| CliError::from(error).file(&path))?.len();
            Ok((path, bytes))
        })
        .collect()
}

fn write_one(output: Output, manifest: &Manifest, key: &impl Save) -> Result<Output> {
    let path = output.path().to_owned();
    let write = || {
        let mut writer = ContainerWriter::new(output, manifest)?;
        writer.object(key)?;
        writer.finish()
    };
    write().map_err(|error: CliError| error.file(path))
}

/// A name for the key pair, so that keys of another pair are noticed.
fn new_key_id(seed: SeedArgs) -> Result<String> {
    let mut rng = match seed.bytes(1) {
        Some(seed) => SecretRng::insecure_from_seed(seed),
        None => SecretRng::from_os()?,
    };
    let seed = phoca::ring::random::Seed::random(&mut rng);
    Ok(seed.as_bytes()[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}
