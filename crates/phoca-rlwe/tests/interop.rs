//! Live interoperability with Microsoft SEAL, node-seal and TenSEAL, and the matrix of what goes where.
//!
//! The libraries run behind the drivers of `bench/peers`. Where they are not installed this test is skipped and says
//! so, and fails if `CI` or `PHOCA_REQUIRE_PEERS` is set. It has no harness, so that `cargo test` always shows the
//! matrix; `interop-matrix.md` in the target folder holds it as well.

#[path = "interop/exchange.rs"]
mod exchange;
#[path = "interop/from_peer.rs"]
mod from_peer;
#[path = "interop/identical.rs"]
mod identical;
#[path = "interop/matrix.rs"]
mod matrix;
#[path = "interop/party.rs"]
mod party;
#[path = "interop/peer.rs"]
mod peer;
#[path = "interop/session.rs"]
mod session;
#[path = "interop/slots.rs"]
mod slots;
#[path = "interop/to_peer.rs"]
mod to_peer;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs, thread};

use matrix::Matrix;
use session::{Report, Session};

type Result<T = ()> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

const NAME: &str = "interop";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        println!("{NAME}: test");
        return ExitCode::SUCCESS;
    }
    if is_chosen(&arguments) { run() } else { close(Totals { filtered: 1, ..Totals::default() }, Instant::now()) }
}

/// Whether the arguments of a test program choose this test: filters are parts of names.
fn is_chosen(arguments: &[String]) -> bool {
    const VALUED: [&str; 6] = ["--test-threads", "--color", "--format", "--logfile", "--shuffle-seed", "-Z"];
    let (mut filtered, mut named) = (false, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--skip" {
            if rest.next().is_some_and(|part| NAME.contains(part.as_str())) {
                return false;
            }
        } else if VALUED.contains(&argument.as_str()) {
            rest.next();
        } else if !argument.starts_with('-') {
            filtered = true;
            named |= NAME.contains(argument.as_str());
        }
    }
    named || !filtered
}

fn run() -> ExitCode {
    let started = Instant::now();
    println!("\nrunning {NAME} with {}", peer::NAMES.join(", "));
    if !peer::installed() {
        return not_installed(started);
    }
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let dir = target.join(format!("{NAME}.{}", std::process::id()));
    let (reports, broken) = exchange_with_all(&dir);
    for (name, error) in &broken {
        println!("test {name} ... FAILED: {error}");
    }
    let matrix = match Matrix::new(&reports) {
        Ok(matrix) => matrix,
        Err(error) => {
            println!("the matrix cannot be written: {error}");
            return close(Totals { failed: 1, ..Totals::default() }, started);
        }
    };
    println!("\n{}", matrix.text);
    let file = target.with_file_name("interop-matrix.md");
    let written = fs::write(&file, &matrix.text).inspect_err(|error| println!("{}: {error}", file.display()));
    let failed = matrix.failed + broken.len() + usize::from(written.is_err());
    match failed {
        // What is left behind harms nothing; the folder's name is used once only.
        0 => drop(fs::remove_dir_all(&dir)),
        _ => println!("the files of all exchanges are in {}", dir.display()),
    }
    close(Totals { passed: matrix.passed, failed, ..Totals::default() }, started)
}

/// All peers at once; each is a process of its own that mostly computes.
fn exchange_with_all(dir: &Path) -> (Vec<Report>, Vec<(&'static str, String)>) {
    let one = |name: &'static str| {
        let started = Instant::now();
        let report = Session::run(name, dir).map_err(|error| (name, error.to_string()));
        println!("{name}: done after {:.1} s", started.elapsed().as_secs_f64());
        report
    };
    thread::scope(|scope| {
        let threads = peer::NAMES.map(|name| (name, scope.spawn(move || one(name))));
        let mut all = (Vec::new(), Vec::new());
        for (name, thread) in threads {
            match thread.join() {
                Ok(Ok(report)) => all.0.push(report),
                Ok(Err(error)) => all.1.push(error),
                Err(_) => all.1.push((name, "it panicked".into())),
            }
        }
        all
    })
}

fn not_installed(started: Instant) -> ExitCode {
    let required = ["CI", "PHOCA_REQUIRE_PEERS"]
        .into_iter()
        .any(|variable| env::var(variable).is_ok_and(|value| !["", "0", "false"].contains(&value.as_str())));
    let word = if required { "FAILED" } else { "ignored" };
    for name in peer::NAMES {
        println!("test {name} ... {word}, not installed: run bench/peers/setup.sh");
    }
    let count = peer::NAMES.len();
    let totals = if required {
        Totals { failed: count, ..Totals::default() }
    } else {
        Totals { ignored: count, ..Totals::default() }
    };
    close(totals, started)
}

#[derive(Default)]
struct Totals {
    passed: usize,
    failed: usize,
    ignored: usize,
    filtered: usize,
}

/// The closing line that test programs have.
fn close(totals: Totals, started: Instant) -> ExitCode {
    let Totals { passed, failed, ignored, filtered } = totals;
    let word = if failed == 0 { "ok" } else { "FAILED" };
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "\ntest result: {word}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; {filtered} filtered out; \
         finished in {seconds:.2}s\n"
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(101) }
}
