//! Suite `seal`: Microsoft SEAL, through its Python wheel, and Phoca, row by row.

use std::path::{Path, PathBuf};

use phoca::ring::arch::Arch;
use phoca::{Parameters, Scheme, SecurityLevel, coeff_modulus, plain_modulus};
use serde_json::{Value, json};

use crate::error::BenchError;
use crate::peer::Peer;
use crate::report::{Report, Row, Sample, machine};
use crate::session::Session;

/// What to run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the peers' drivers.
    pub peers: PathBuf,
    /// Ring degrees; SEAL's default chains are used.
    pub degrees: Vec<usize>,
    /// Only rows whose `scheme/name` contains this.
    pub filter: Option<String>,
    /// Turns of each side in a row.
    pub rounds: usize,
}

impl Options {
    /// Degrees 4096, 8192 and 16384.
    pub fn quick(peers: &Path) -> Self {
        Self { peers: peers.to_owned(), degrees: vec![4096, 8192, 16384], filter: None, rounds: 5 }
    }
}

/// Times of one turn should add up to about this, so that a row takes a fraction of a second.
const TURN_NS: u64 = 20_000_000;

/// Runs the suite; `progress` hears of each row as it is done.
///
/// # Errors
///
/// [`BenchError`] where the peer cannot be used or a result is wrong.
pub fn run(options: &Options, mut progress: impl FnMut(&Row)) -> Result<Report, BenchError> {
    let mut peer = Peer::start(&options.peers, "seal")?;
    let version = peer.ask(&json!({ "command": "version" }))?;
    let name = |field: &str| version[field].as_str().unwrap_or("?").to_owned();
    let mut rows = Vec::new();
    for &degree in &options.degrees {
        for scheme in [Scheme::Bfv, Scheme::Bgv, Scheme::Ckks] {
            let parameters = parameters(scheme, degree)?;
            let request = request(&parameters);
            let session = Session::new(parameters)?;
            for row in session.rows() {
                let wanted = options.filter.as_ref();
                if wanted
                    .is_some_and(|filter| !format!("{scheme}/{row}").to_lowercase().contains(&filter.to_lowercase()))
                {
                    continue;
                }
                let row = time_row(&mut peer, &session, &request, row, options.rounds)?;
                progress(&row);
                rows.push(row);
            }
            peer.ask(&json!({ "command": "time_reset" }))?;
        }
    }
    Ok(Report {
        schema: "phoca-bench-seal/1",
        peer: format!("SEAL ({} {})", name("library"), name("version")),
        machine: machine(),
        arch: Arch::selected().name(),
        threads: 1,
        rows,
    })
}

fn parameters(scheme: Scheme, degree: usize) -> Result<Parameters, BenchError> {
    Ok(Parameters {
        scheme,
        degree,
        coeff_modulus: coeff_modulus::seal_default(degree, SecurityLevel::Bits128)?,
        plain_modulus: if scheme == Scheme::Ckks { 0 } else { plain_modulus::batching(degree, 20)? },
    })
}

fn request(parameters: &Parameters) -> Value {
    let primes: Vec<String> = parameters.coeff_modulus.iter().map(u64::to_string).collect();
    json!({
        "command": "time",
        "scheme": parameters.scheme.name().to_lowercase(),
        "n": parameters.degree,
        "coeff_modulus": primes,
        "plain_modulus": parameters.plain_modulus.to_string(),
        "security": 128,
        "scale": Session::scale(parameters),
    })
}

/// Lets both sides take turns; each warms up first.
fn time_row(peer: &mut Peer, session: &Session, request: &Value, name: &str, rounds: usize) -> Result<Row, BenchError> {
    session.check(name)?;
    let mut peer_turn = |iterations: usize| -> Result<Vec<u64>, BenchError> {
        let mut request = request.clone();
        request["row"] = name.into();
        request["iterations"] = iterations.into();
        let answer = peer.ask(&request)?;
        Ok(answer["nanoseconds"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect())
    };
    let peer_count = iterations(&peer_turn(2)?);
    let own_count = iterations(&session.time(name, 2)?);
    let (mut theirs, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        theirs.extend(peer_turn(peer_count)?);
        ours.extend(session.time(name, own_count)?);
    }
    Ok(Row {
        scheme: session.context().scheme().name(),
        degree: session.context().degree(),
        modulus_bits: session.context().key_level().modulus_bits(),
        name: name.to_owned(),
        peer: Sample::of(theirs),
        phoca: Sample::of(ours),
    })
}

/// How many operations fill one turn, by the times of a trial.
fn iterations(trial: &[u64]) -> usize {
    let fastest = trial.iter().copied().min().unwrap_or(TURN_NS).max(1);
    (TURN_NS / fastest).clamp(2, 200) as usize
}
