//! `phoca doctor`: what the processor can do, which kernels were chosen, and whether every scheme computes rightly.

use std::io::{Write, stdout};

use phoca::ring::arch::Arch;
use phoca::ring::{Modulus, NttTables};
use phoca::{
    BatchEncoder, CkksEncoder, Context, Decryptor, Encryptor, Evaluator, KeyGenerator, Parameters, Scheme,
    SecurityLevel, coeff_modulus, plain_modulus,
};
use serde_json::json;

use crate::error::{CliError, Result};
use crate::ui::{Ui, counted, to_json};

/// The degree of the self-test.
const DEGREE: usize = 4096;
/// The widths for which kernels differ.
const WIDTHS: [u32; 4] = [30, 47, 50, 60];
/// How far CKKS's product may be off: the scale is 2^30 and the values at most 2.
const TOLERANCE: f64 = 1e-3;

/// One row of the self-test.
struct Test {
    scheme: Scheme,
    error: Option<String>,
}

/// Prints the report; fails where a test fails.
pub fn run(ui: &Ui) -> Result<()> {
    let kernels = WIDTHS.into_iter().map(|bits| Ok((bits, kernel(bits)?))).collect::<Result<Vec<_>>>()?;
    let tests: Vec<Test> = [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks]
        .into_iter()
        .map(|scheme| Test { scheme, error: self_test(scheme).err().map(|error| error.message) })
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let text = match ui.json {
        true => to_json(&report(&kernels, &tests, threads))?,
        false => describe(&kernels, &tests, threads),
    };
    writeln!(stdout(), "{text}")?;
    match tests.iter().find_map(|test| test.error.as_ref().map(|error| (test.scheme, error))) {
        Some((scheme, error)) => Err(CliError::failed(format!("the self-test of {scheme} failed: {error}"))
            .hint("PHOCA_ARCH=portable phoca doctor tells whether the fast kernels are at fault")),
        None => Ok(()),
    }
}

fn report(kernels: &[(u32, &'static str)], tests: &[Test], threads: usize) -> serde_json::Value {
    json!({
        "schema": "phoca.doctor/1",
        "version": env!("CARGO_PKG_VERSION"),
        "target": target(),
        "instruction_sets": Arch::all().iter()
            .map(|arch| json!({"name": arch.name(), "available": arch.is_available()})).collect::<Vec<_>>(),
        "selected": Arch::selected().name(),
        "transforms": kernels.iter().map(|(bits, name)| json!({"prime_bits": bits, "kernel": name})).collect::<Vec<_>>(),
        "threads": threads,
        "tests": tests.iter()
            .map(|test| json!({"scheme": test.scheme.name(), "ok": test.error.is_none(), "error": test.error}))
            .collect::<Vec<_>>(),
    })
}

fn describe(kernels: &[(u32, &'static str)], tests: &[Test], threads: usize) -> String {
    let mut lines = vec![
        format!("phoca        {} for {}", env!("CARGO_PKG_VERSION"), target()),
        format!("processor    {}", counted(threads, "thread")),
    ];
    for arch in Arch::all() {
        let state = match (arch.is_available(), *arch == Arch::selected()) {
            (true, true) => "available, selected",
            (true, false) => "available",
            (false, _) => "not available",
        };
        lines.push(format!("kernels      {}: {state}", arch.name()));
    }
    for (bits, name) in kernels {
        lines.push(format!("transform    {name} for primes of {bits} bits"));
    }
    for test in tests {
        let result = test.error.as_deref().unwrap_or("encrypt, multiply, relinearize, decrypt: right");
        lines.push(format!("self-test    {}: {result}", test.scheme));
    }
    lines.join("\n")
}

fn target() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// The transform that is chosen for primes of this width.
fn kernel(bits: u32) -> Result<&'static str> {
    let prime = coeff_modulus::create(DEGREE, &[bits])?[0];
    Ok(NttTables::new(DEGREE, Modulus::new(prime)?)?.kernel_name())
}

/// Multiplies two encrypted vectors and compares with the plain product.
fn self_test(scheme: Scheme) -> Result<()> {
    let context = context(scheme)?;
    let generator = KeyGenerator::new(&context)?;
    let relin = generator.relin_keys()?;
    let encryptor = Encryptor::new(&context, generator.public_key()?)?;
    let decryptor = Decryptor::new(&context, generator.secret_key().clone())?;
    let evaluator = Evaluator::new(&context);
    let multiply = |left, right| -> Result<_> {
        let product = evaluator.multiply(&encryptor.encrypt(left)?, &encryptor.encrypt(right)?)?;
        Ok(decryptor.decrypt(&evaluator.relinearize(&product, &relin)?)?)
    };
    if scheme == Scheme::Ckks {
        let encoder = CkksEncoder::new(&context)?;
        let (left, right): (Vec<f64>, Vec<f64>) =
            (0..encoder.slot_count()).map(|index| ((index as f64).sin(), (index as f64).cos() * 2.0)).unzip();
        let scale = 30_f64.exp2();
        let product = multiply(&encoder.encode(&left, scale)?, &encoder.encode(&right, scale)?)?;
        let result = encoder.decode(&product)?;
        let expected = left.iter().zip(&right).map(|(left, right)| left * right);
        return compare(&result, expected, |got, expected| (got - expected).abs() < TOLERANCE);
    }
    let encoder = BatchEncoder::new(&context)?;
    let half = context.plain_modulus().isqrt() as i64 / 2;
    let (left, right): (Vec<i64>, Vec<i64>) =
        (0..encoder.slot_count() as i64).map(|index| (index % half - half / 2, 7 * index % half - half / 2)).unzip();
    let product = multiply(&encoder.encode_signed(&left)?, &encoder.encode_signed(&right)?)?;
    let result = encoder.decode_signed(&product)?;
    compare(&result, left.iter().zip(&right).map(|(left, right)| left * right), |got, expected| got == expected)
}

fn compare<T: Copy + std::fmt::Debug>(
    result: &[T],
    expected: impl Iterator<Item = T>,
    equal: impl Fn(T, T) -> bool,
) -> Result<()> {
    match result.iter().zip(expected).enumerate().find(|(_, (got, expected))| !equal(**got, *expected)) {
        Some((slot, (got, expected))) => {
            Err(CliError::failed(format!("slot {slot} is {got:?}, but must be {expected:?}")))
        }
        None => Ok(()),
    }
}

fn context(scheme: Scheme) -> Result<Context> {
    let parameters = match scheme {
        Scheme::Ckks => Parameters {
            scheme,
            degree: 2 * DEGREE,
            coeff_modulus: coeff_modulus::create(2 * DEGREE, &[60, 40, 60])?,
            plain_modulus: 0,
        },
        Scheme::Bfv | Scheme::Bgv => Parameters {
            scheme,
            degree: DEGREE,
            coeff_modulus: coeff_modulus::seal_default(DEGREE, SecurityLevel::Bits128)?,
            plain_modulus: plain_modulus::batching(DEGREE, 16)?,
        },
    };
    Ok(parameters.build()?)
}
