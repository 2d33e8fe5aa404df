//! `phoca decrypt`: a file of ciphertexts back to values.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use phoca::{Decryptor, Scheme};
use serde_json::json;

use crate::array::{self, Codec, array_of, decoded_dtype};
use crate::container::{ArrayInfo, ContainerReader, Dtype};
use crate::error::{CliError, ExitCode, Result};
use crate::keys;
use crate::output::{Output, Purpose};
use crate::ui::{Ui, counted};
use crate::values::{Array, Values, csv, json, npy};

/// Arguments of `decrypt`.
#[derive(Args, Debug)]
pub struct DecryptArgs {
    /// Secret key
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// File of ciphertexts, `-` for standard input
    input: PathBuf,
    /// Format of the output [default: by the output's name, else csv, or text for polynomials]
    #[arg(short, long, value_name = "FORMAT", value_enum)]
    format: Option<OutputFormat>,
    /// File for the values, `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The formats of outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Comma-separated values
    Csv,
    /// A JSON array; with --json an object with type and shape
    Json,
    /// NumPy's file
    Npy,
    /// One value in each line
    Text,
}

/// Decrypts one ciphertext after another.
pub fn run(args: &DecryptArgs, ui: &Ui) -> Result<()> {
    let loaded = keys::load_secret_key(&args.key)?;
    let mut reader = array::open(&args.input, &loaded.manifest)?;
    let info = array_of(reader.manifest())?.clone();
    let format = args.format(&info, ui)?;
    let decryptor = Decryptor::new(&loaded.context, loaded.key)?;
    let codec = Codec::new(&loaded.context, info.encoding, Some(1.0))?;
    let mut values = Values::empty(decoded_dtype(&info));
    let budget = decrypt(&mut reader, &loaded.context, &decryptor, &codec, &info, &mut values, ui)?;
    reader.finish()?;
    let decrypted = Array { values, shape: info.shape, vectors: info.vectors, columns: info.columns };
    write(args, decrypted.into_row_major(), format, ui)?;
    if let Some(budget) = budget {
        ui.detail(format!("the smallest noise budget was {}", counted(budget as usize, "bit")));
    }
    Ok(())
}

/// Reads and decrypts all ciphertexts; gives the smallest noise budget of BFV and BGV.
fn decrypt(
    reader: &mut ContainerReader,
    context: &phoca::Context,
    decryptor: &Decryptor,
    codec: &Codec,
    info: &ArrayInfo,
    values: &mut Values,
    ui: &Ui,
) -> Result<Option<u32>> {
    let length = info.length();
    let slots = codec.slots() as u64;
    let mut progress = ui.progress("decrypt", reader.manifest().objects);
    let mut smallest: Option<u32> = None;
    for _ in 0..info.vectors {
        let mut left = length;
        while left > 0 {
            let ciphertext = reader.object(context)?;
            if context.scheme() != Scheme::Ckks {
                let budget = decryptor.invariant_noise_budget(&ciphertext)?;
                if budget == 0 {
                    return Err(reader.error(exhausted()));
                }
                smallest = Some(smallest.map_or(budget, |smallest| smallest.min(budget)));
            }
            let plaintext = decryptor.decrypt(&ciphertext)?;
            let count = left.min(slots);
            codec.decode_into(&plaintext, count as usize, values)?;
            left -= count;
            progress.step();
        }
    }
    Ok(smallest)
}

fn exhausted() -> CliError {
    CliError::new(
        ExitCode::Exhausted,
        "the noise budget is exhausted: the ciphertext would not decrypt to the right values",
    )
    .hint("phoca params suggest with a larger --depth, and new keys")
}

fn write(args: &DecryptArgs, array: Array, format: OutputFormat, ui: &Ui) -> Result<()> {
    let purpose = if format == OutputFormat::Npy { Purpose::Binary } else { Purpose::Text };
    let mut output = Output::create(args.output.as_deref(), purpose)?;
    let named = |error: CliError| match &args.output {
        Some(path) => error.file(path),
        None => error,
    };
    match format {
        OutputFormat::Csv => csv::write(&mut output, &array),
        OutputFormat::Json => json::write(&mut output, &array, ui.json),
        OutputFormat::Npy => npy::write(&mut output, &array),
        OutputFormat::Text => write_text(&mut output, &array.values),
    }
    .map_err(named)?;
    let to_stdout = output.is_stdout();
    output.commit()?;
    if to_stdout {
        return Ok(());
    }
    let report = json!({
        "schema": "phoca.decrypt/1",
        "output": args.output.as_ref().map(|path| path.display().to_string()),
        "shape": array.shape,
        "dtype": array.values.dtype().name(),
    });
    ui.report(&report, false)
}

fn write_text(output: &mut Output, values: &Values) -> Result<()> {
    use std::io::Write;
    for index in 0..values.len() {
        writeln!(output, "{}", values.text(index))?;
    }
    Ok(())
}

impl DecryptArgs {
    fn format(&self, info: &ArrayInfo, ui: &Ui) -> Result<OutputFormat> {
        let by_name = || match self.output.as_deref().and_then(Path::extension)?.to_str()? {
            "csv" => Some(OutputFormat::Csv),
            "json" => Some(OutputFormat::Json),
            "npy" => Some(OutputFormat::Npy),
            "txt" => Some(OutputFormat::Text),
            _ => None,
        };
        let polynomial = info.dtype == Dtype::Polynomial;
        let to_stdout = self.output.as_deref().is_none_or(|path| path.as_os_str() == "-");
        let format = match self.format.or_else(by_name) {
            Some(format) => format,
            None if ui.json && to_stdout => OutputFormat::Json,
            None if polynomial => OutputFormat::Text,
            None => OutputFormat::Csv,
        };
        if polynomial && format == OutputFormat::Npy {
            return Err(CliError::usage("polynomials cannot be written as .npy").hint("-f text or -f json"));
        }
        Ok(format)
    }
}
