//! `phoca params`: encryption parameters, and how secure they are.

use std::io::{Write, stdout};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use phoca::seal::SaveOptions;
use phoca::{Context, Parameters, Scheme, Security, SecurityLevel, SecurityTable};
use serde_json::{Value, json};

use crate::container::{ContainerWriter, Kind, Manifest, ParametersInfo, fingerprint_of};
use crate::error::{CliError, Result};
use crate::inspect::power;
use crate::output::{Output, Purpose};
use crate::parameters::{
    ExplicitArgs, GoalArgs, PlainArgs, SchemeArg, SecurityArgs, integers, modulus_bits, read_parameters,
    supports_batching,
};
use crate::ui::{Ui, to_json};
use phoca::params::suggest::Suggestion;

/// The commands below `params`.
#[derive(Debug, Subcommand)]
pub enum ParamsCommand {
    /// Find the smallest secure parameters for a task, and say why
    Suggest(SuggestArgs),
    /// Show the parameters in files
    Show(ShowArgs),
    /// Check explicit parameters against a security table
    Check(CheckArgs),
}

/// Arguments of `params suggest`.
#[derive(Args, Debug)]
pub struct SuggestArgs {
    /// The scheme
    #[arg(value_enum)]
    scheme: SchemeArg,
    #[command(flatten)]
    goal: GoalArgs,
    #[command(flatten)]
    plain: PlainArgs,
    #[command(flatten)]
    security: SecurityArgs,
    /// File for the parameters, for keygen --parameters
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Arguments of `params show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    /// Files of Phoca, or parameters of Microsoft SEAL
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Arguments of `params check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// The scheme
    #[arg(value_enum)]
    scheme: SchemeArg,
    #[command(flatten)]
    explicit: ExplicitArgs,
    #[command(flatten)]
    plain: PlainArgs,
    #[command(flatten)]
    security: SecurityArgs,
    /// File for the parameters, for keygen --parameters
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs one of the commands.
pub fn run(command: &ParamsCommand, ui: &Ui) -> Result<()> {
    match command {
        ParamsCommand::Suggest(args) => {
            if args.security.insecure {
                return Err(
                    CliError::usage("suggestions are always secure").hint("phoca params check takes --insecure")
                );
            }
            let choice = args.goal.resolve(args.scheme.into(), args.plain, args.security)?;
            let context = choice.parameters.clone().builder().security(choice.security).build()?;
            finish(&choice, &context, args.output.as_ref(), ui)
        }
        ParamsCommand::Check(args) => {
            let (choice, context) = args.explicit.resolve(args.scheme.into(), args.plain, args.security)?;
            if context.security() == Security::Insecure {
                ui.warn("these parameters are insecure: do not protect anything with them");
            }
            finish(&choice, &context, args.output.as_ref(), ui)
        }
        ParamsCommand::Show(args) => args.files.iter().try_for_each(|path| {
            let parameters = read_parameters(path)?;
            let choice = Suggestion { scale: None, security: Security::Insecure, parameters, reasons: Vec::new() };
            print(&choice, Some(path.display().to_string()), ui)
        }),
    }
}

fn finish(choice: &Suggestion, context: &Context, output: Option<&PathBuf>, ui: &Ui) -> Result<()> {
    if let Some(path) = output {
        let mut manifest = Manifest::new(Kind::Parameters, context, 1);
        manifest.scale = choice.scale;
        let output = Output::create(Some(path), Purpose::Binary)?;
        if output.is_stdout() {
            return Err(CliError::usage("-o takes a file here, since standard output has the description"));
        }
        let mut writer = ContainerWriter::with_options(output, &manifest, SaveOptions::default())?;
        writer.object(&choice.parameters)?;
        writer.finish()?.commit()?;
    }
    print(choice, None, ui)
}

fn print(choice: &Suggestion, file: Option<String>, ui: &Ui) -> Result<()> {
    let text = if ui.json { to_json(&report(choice, file))? } else { describe(choice, file.as_deref()) };
    Ok(writeln!(stdout(), "{text}")?)
}

/// What a table says of parameters.
struct Margin {
    table: SecurityTable,
    /// None where they are insecure.
    strongest: Option<Strongest>,
}

/// The strongest level that a table grants.
struct Strongest {
    level: SecurityLevel,
    /// The bits that the modulus may have.
    limit: u32,
    /// The bits that it does not have.
    spare: u32,
}

fn margins(parameters: &Parameters) -> Vec<Margin> {
    let bits = modulus_bits(parameters);
    let margin = |table: SecurityTable| {
        let strongest = SecurityLevel::ALL.into_iter().rev().find_map(|level| {
            let limit = table.max_bits(parameters.degree, level)?;
            let spare = limit.checked_sub(bits)?;
            Some(Strongest { level, limit, spare })
        });
        Margin { table, strongest }
    };
    [SecurityTable::Guidelines2024, SecurityTable::Standard2018].map(margin).into()
}

fn report(choice: &Suggestion, file: Option<String>) -> Value {
    let parameters = &choice.parameters;
    let security = margins(parameters).into_iter().map(|margin| match margin.strongest {
        Some(Strongest { level, limit, spare }) => json!({
            "table": margin.table.name(), "level": level.bits(), "max_bits": limit, "margin_bits": spare,
        }),
        None => json!({"table": margin.table.name(), "level": 0}),
    });
    json!({
        "schema": "phoca.params/1",
        "file": file,
        "parameters": ParametersInfo::new(parameters),
        "moduli_bits": sizes(parameters),
        "modulus_bits": modulus_bits(parameters),
        "slots": slots(parameters),
        "scale": choice.scale,
        "fingerprint": fingerprint_of(parameters.parms_id()),
        "security": security.collect::<Vec<_>>(),
        "reasons": choice.reasons,
    })
}

fn describe(choice: &Suggestion, file: Option<&str>) -> String {
    let parameters = &choice.parameters;
    let mut lines: Vec<(&str, String)> = Vec::new();
    let join = |items: Vec<String>| items.join(" ");
    lines.push(("scheme", parameters.scheme.to_string()));
    lines.push(("degree", parameters.degree.to_string()));
    lines.push(("slots", slots(parameters).to_string()));
    lines.push(("prime bits", format!("{}: {} in all", join(strings(&sizes(parameters))), modulus_bits(parameters))));
    lines.push(("primes", join(strings(&parameters.coeff_modulus))));
    if parameters.scheme != Scheme::Ckks {
        lines.push(("plain", parameters.plain_modulus.to_string()));
        lines.extend(integers(parameters).map(|range| ("integers", range)));
    }
    lines.extend(choice.scale.map(|scale| ("scale", power(scale))));
    lines.push(("parameters", fingerprint_of(parameters.parms_id())));
    lines.push(("sizes", file_sizes(parameters)));
    for Margin { table, strongest } in margins(parameters) {
        let text = match strongest {
            Some(Strongest { level, limit, spare }) => {
                format!(
                    "{} bits reached in the table {table}: {spare} of {limit} bits of modulus to spare",
                    level.bits()
                )
            }
            None => format!("insecure in the table {table}"),
        };
        lines.push(("security", text));
    }
    let mut text: Vec<String> = file.map(|file| format!("{file}:")).into_iter().collect();
    text.extend(lines.into_iter().map(|(name, value)| format!("{name:<11} {value}")));
    if !choice.reasons.is_empty() {
        text.push("why".to_owned());
        text.extend(choice.reasons.iter().map(|reason| format!("  {reason}")));
        text.push(format!("next        {}", keygen_command(choice)));
    }
    text.join("\n")
}

/// The command that makes keys for exactly these parameters.
fn keygen_command(choice: &Suggestion) -> String {
    let parameters = &choice.parameters;
    let scheme = parameters.scheme.name().to_lowercase();
    let moduli = strings(&parameters.coeff_modulus).join(",");
    let mut command = format!("phoca keygen {scheme} -n {} --moduli {moduli}", parameters.degree);
    match choice.scale {
        Some(scale) => command.push_str(&format!(" --scale-bits {}", scale.log2())),
        None => command.push_str(&format!(" --plain-modulus {}", parameters.plain_modulus)),
    }
    if let Security::Checked { table: SecurityTable::Guidelines2024, .. } = choice.security {
        command.push_str(" --table guidelines-2024");
    }
    command + " -o keys"
}

fn file_sizes(parameters: &Parameters) -> String {
    let (degree, primes) = (parameters.degree as u64, parameters.coeff_modulus.len() as u64);
    let data = primes.saturating_sub(1).max(1);
    // SEAL's layouts: 194 bytes of head and seed, or 113 of head, and the words.
    format!(
        "ciphertext {} (seeded {}), public key {}, each rotation key {} bytes",
        113 + 16 * degree * data,
        194 + 8 * degree * data,
        194 + 8 * degree * primes,
        data * (194 + 8 * degree * primes)
    )
}

fn sizes(parameters: &Parameters) -> Vec<u32> {
    parameters.coeff_modulus.iter().map(|prime| 64 - prime.leading_zeros()).collect()
}

/// The values in one ciphertext.
fn slots(parameters: &Parameters) -> usize {
    let batches = supports_batching(parameters.plain_modulus, parameters.degree);
    match parameters.scheme {
        Scheme::Ckks => parameters.degree / 2,
        Scheme::Bfv | Scheme::Bgv if batches => parameters.degree,
        Scheme::Bfv | Scheme::Bgv => 0,
    }
}

fn strings<T: ToString>(items: &[T]) -> Vec<String> {
    items.iter().map(T::to_string).collect()
}
