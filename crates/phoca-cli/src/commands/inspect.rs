//! `phoca inspect`: what files are.

use std::fmt::Write as _;
use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::Args;

use crate::container::{Manifest, SecurityInfo, TableName};
use crate::error::{CliError, Result};
use crate::inspect::{self, FileReport, Format, KnownLevels};
use crate::ui::{Ui, printable, to_json};

/// The most objects that are listed for people.
const MAX_LISTED: usize = 8;

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub struct InspectArgs {
    /// Files of Phoca, Microsoft SEAL or TenSEAL, `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// File with the parameters of the others, to tell levels and schemes; parameters among the files are used anyway
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
}

/// Inspects all files; fails with the first error, after all were tried.
pub fn run(args: &InspectArgs, ui: &Ui) -> Result<()> {
    let mut levels = KnownLevels::default();
    if let Some(path) = &args.parameters {
        let parameters = inspect::parameters_in(path)
            .ok_or_else(|| CliError::bad_file("there are no parameters in this file").file(path))?;
        levels.add(&parameters);
    }
    args.files.iter().filter_map(|path| inspect::parameters_in(path)).for_each(|parameters| levels.add(&parameters));
    let mut first_error: Option<CliError> = None;
    for path in &args.files {
        match inspect::inspect(path, &mut levels) {
            Ok(report) => {
                let text = if ui.json { to_json(&report)? } else { printable(&describe(&report, ui)) };
                writeln!(stdout(), "{text}")?;
            }
            // The first error decides the exit code and is shown at the end.
            Err(error) if first_error.is_none() => first_error = Some(error),
            Err(error) => ui.error(&error),
        }
    }
    first_error.map_or(Ok(()), Err)
}

fn describe(report: &FileReport, ui: &Ui) -> String {
    let mut text = report.file.clone();
    let what = match (report.format, &report.manifest) {
        (Format::Phoca, Some(manifest)) => format!("Phoca file of {}", manifest.kind.title()),
        (Format::Phoca, None) => "Phoca file".to_owned(),
        (Format::Seal, _) => "Microsoft SEAL".to_owned(),
        (Format::TensealContext, _) => "TenSEAL context".to_owned(),
        (Format::TensealVector, _) => "TenSEAL vector".to_owned(),
    };
    let _ = write!(text, ": {what}");
    if let Some(version) = report.version {
        let _ = write!(text, ", version {version}");
    }
    if let Some(manifest) = &report.manifest {
        describe_manifest(&mut text, manifest);
    }
    if let Some(extra) = &report.tenseal {
        if let Some(scale) = extra.scale {
            line(&mut text, "scale", &inspect::power(scale));
        }
        match report.format {
            Format::TensealVector => line(&mut text, "values", &format!("{:?}", extra.lengths)),
            _ if extra.has_secret_key => line(&mut text, "secret key", "yes: whoever has this file can decrypt"),
            _ => line(&mut text, "secret key", "no"),
        }
    }
    let listed = if ui.verbose { report.objects.len() } else { MAX_LISTED };
    for object in report.objects.iter().take(listed) {
        let _ = write!(text, "\n  {object}");
    }
    let more = report.object_count.saturating_sub(listed as u64);
    if more > 0 {
        let _ = write!(text, "\n  and {more} more; {} objects have {} bytes", report.object_count, report.object_bytes);
    }
    text
}

fn describe_manifest(text: &mut String, manifest: &Manifest) {
    let parameters = &manifest.parameters;
    let mut scheme = format!("{}, n = {}", parameters.scheme.to_uppercase(), parameters.degree);
    if parameters.plain_modulus != "0" {
        let _ = write!(scheme, ", t = {}", parameters.plain_modulus);
    }
    line(text, "scheme", &scheme);
    let bits = |prime: &String| prime.parse().map_or(0, |prime: u64| 64 - prime.leading_zeros());
    let sizes: Vec<String> = parameters.coeff_modulus.iter().map(|prime| bits(prime).to_string()).collect();
    line(text, "primes", &format!("{} bits", sizes.join(" + ")));
    line(text, "parameters", &manifest.fingerprint);
    if let Some(key) = &manifest.key {
        line(text, "key pair", key);
    }
    line(text, "security", &security_text(manifest.security));
    if let Some(scale) = manifest.scale {
        line(text, "scale", &inspect::power(scale));
    }
    if let Some(array) = &manifest.array {
        let mut values = format!("{} of shape {:?}", array.dtype.name(), array.shape);
        if !array.columns.is_empty() {
            let _ = write!(values, ": {}", array.columns.join(", ").replace('\n', "\\n"));
        }
        line(text, "values", &values);
    }
}

/// The security check of a manifest in words.
pub fn security_text(security: SecurityInfo) -> String {
    match security {
        SecurityInfo::Checked { table, level } => {
            let table = match table {
                TableName::Guidelines2024 => phoca::SecurityTable::Guidelines2024,
                TableName::Standard2018 => phoca::SecurityTable::Standard2018,
            };
            format!("{level} bits in the table {table}")
        }
        SecurityInfo::Insecure => "insecure: not checked".to_owned(),
    }
}

fn line(text: &mut String, name: &str, value: &str) {
    let _ = write!(text, "\n  {name:<11} {value}");
}
