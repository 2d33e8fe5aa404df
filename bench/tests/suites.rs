//! Each suite for real, a few rows of it, next to the real peer: both sides' results are checked before they are timed,
//! so a wrong one on either side fails here. Nothing depends on the times.
//!
//! Where the peers are not installed the tests are skipped and say so, and fail if `CI` or `PHOCA_REQUIRE_PEERS` is set.
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test, in its helpers too")]

use std::env;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

use phoca_bench::{BenchError, Options, Report, Suite, run};

/// The folder of the drivers, where they are installed.
fn peers(test: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    if Path::new(env!("CARGO_MANIFEST_DIR")).join("../.peers/stamp").exists() {
        return Some(folder);
    }
    let required = |name| env::var(name).is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()));
    assert!(!required("CI") && !required("PHOCA_REQUIRE_PEERS"), "the peers are missing: run bench/peers/setup.sh");
    // Not captured by the harness, so that it is seen.
    let _ = writeln!(stderr(), "test {test} ... skipped, the peers are not installed: run bench/peers/setup.sh");
    None
}

/// The folder of the drivers, where that of TFHE-rs is built. Continuous integration does not build it.
fn tfhe_rs(test: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    if folder.join("../../.peers/tfhe-rs/release/tfhe-rs-driver").exists() {
        return Some(folder);
    }
    let _ = writeln!(stderr(), "test {test} ... skipped, TFHE-rs is not built: run bench/peers/setup.sh tfhe-rs");
    None
}

fn options(peers: &Path, degree: usize, filter: &str) -> Options {
    let mut options = Options::new(peers, true);
    options.degrees = Some(vec![degree]);
    options.filters = filter.split(',').map(str::to_owned).collect();
    options.rounds = 1;
    options
}

/// What every report must hold, in each of its forms.
fn check(report: &Report, operations: &[&str]) {
    let names: Vec<_> = report.entries.iter().map(|entry| entry.op.as_str()).collect();
    assert_eq!(names, operations);
    for entry in &report.entries {
        assert!(entry.ours_us > 0.0 && entry.peer_us.is_some_and(|time| time > 0.0), "{entry:?}");
        assert!(entry.ratio.is_some_and(|ratio| ratio > 0.0) && entry.peer_form.is_some(), "{entry:?}");
        let row = serde_json::to_value(entry).unwrap();
        for field in
            ["suite", "scheme", "op", "n", "log_q", "threads", "arch", "host", "ours_us", "peer", "peer_us", "ratio"]
        {
            assert!(!row[field].is_null(), "{field} is missing in {row}");
        }
    }
    assert!(report.markdown().contains(&report.host));
    assert!(report.svg().matches("<circle").count() > operations.len());
}

#[test]
fn seal_rows_of_every_kind() {
    let Some(peers) = peers("seal_rows_of_every_kind") else { return };
    let report = run(Suite::Seal, &options(&peers, 1024, "bfv/"), |_| ()).unwrap();
    let published = report.entries.iter().filter(|entry| entry.published.is_some()).count();
    assert_eq!((report.entries.len(), published), (22, 21));
    let floors = report.entries.iter().filter(|entry| entry.machine_floor_us.is_some_and(|floor| floor > 0.0));
    assert_eq!(floors.count(), 4, "one for each transform of one prime");
    let report = run(Suite::Seal, &options(&peers, 1024, "bgv/evaluatemul"), |_| ()).unwrap();
    let operations = ["EvaluateMulCt", "EvaluateMulPt", "EvaluateMulCtInplace", "EvaluateMulPtInplace"];
    check(&report, &operations);
}

#[test]
fn seal_rows_that_need_keys() {
    let Some(peers) = peers("seal_rows_that_need_keys") else { return };
    let report = run(Suite::Seal, &options(&peers, 4096, "ckks/evaluaterot"), |_| ()).unwrap();
    check(&report, &["EvaluateRotate", "EvaluateRotateMany"]);
    let report = run(Suite::Seal, &options(&peers, 4096, "bgv/evaluaterot"), |_| ()).unwrap();
    let operations =
        ["EvaluateRotateRows", "EvaluateRotateCols", "EvaluateRotateRowsInplace", "EvaluateRotateColsInplace"];
    check(&report, &operations);
    let report =
        run(Suite::Seal, &options(&peers, 4096, "4096/ckks/evaluatere,ckks/evaluatemulrelin"), |_| ()).unwrap();
    check(&report, &["EvaluateRescaleInplace", "EvaluateRelinInplace", "EvaluateMulRelinRescale"]);
}

#[test]
fn several_threads() {
    let Some(peers) = peers("several_threads") else { return };
    let options = Options { threads: 2, ..options(&peers, 4096, "ckks/evaluatemulrelinrescale") };
    let report = run(Suite::Seal, &options, |_| ()).unwrap();
    check(&report, &["EvaluateMulRelinRescale"]);
    assert_eq!((report.threads, report.entries[0].threads), (2, 2));
    assert!(report.entries[0].one_thread.is_some());
}

#[test]
fn h33_workloads() {
    let Some(peers) = peers("h33_workloads") else { return };
    let report = run(Suite::H33, &options(&peers, 8192, "product"), |_| ()).unwrap();
    check(&report, &["DotProduct", "DotProduct, radix 4"]);
    let report = run(Suite::H33, &options(&peers, 8192, "polynomial"), |_| ()).unwrap();
    check(&report, &["Polynomial", "Polynomial, split"]);
    for entry in &report.entries {
        let quality = entry.quality.as_ref().unwrap();
        assert!(quality.ours <= quality.own_bound.unwrap(), "{entry:?}");
        assert!(quality.peer.unwrap() <= quality.published.unwrap(), "{entry:?}");
    }
}

#[test]
fn he_benchmark_operations() {
    let Some(peers) = peers("he_benchmark_operations") else { return };
    let report = run(Suite::HeBenchmark, &Options { rounds: 50, ..options(&peers, 4096, "ckks/c*") }, |_| ()).unwrap();
    check(&report, &["C*P", "C*P, encoded before", "C*C", "C*C, neither relinearized nor rescaled"]);
    for entry in &report.entries {
        let quality = entry.quality.as_ref().unwrap();
        assert!(quality.ours > 0.0 && quality.ours < 0.1, "{entry:?}");
        assert_eq!(quality.bytes, quality.peer_bytes);
        assert_eq!((entry.ours.count, entry.peer_sample.unwrap().count), (100, 100));
    }
    let report = run(Suite::HeBenchmark, &Options { rounds: 50, ..options(&peers, 4096, "bfv/c+") }, |_| ()).unwrap();
    check(&report, &["C+P", "C+P, encoded before", "C+C"]);
    assert!(report.entries.iter().all(|entry| entry.quality.as_ref().unwrap().ours == 0.0), "BFV is exact");
}

fn check_tfhe(report: &Report, operations: &[&str]) {
    let names: Vec<_> = report.entries.iter().map(|entry| entry.op.as_str()).collect();
    assert_eq!(names, operations);
    for entry in &report.entries {
        assert!(entry.ours_us > 0.0 && entry.ratio.is_some_and(|ratio| ratio > 0.0), "{entry:?}");
        let row = serde_json::to_value(entry).unwrap();
        for field in ["n", "ours_us", "peer", "peer_us", "bootstraps", "key_bytes", "peer_key_bytes", "log2_failure"] {
            assert!(!row[field].is_null(), "{field} is missing in {row}");
        }
    }
    let text = report.markdown();
    assert!(text.contains("TFHE-rs µs") && text.contains("## Parameter sets") && !text.contains("SEAL"), "{text}");
    assert!(report.svg().matches("<circle").count() > operations.len());
}

#[test]
fn tfhe_gates_and_short_integers() {
    let Some(peers) = tfhe_rs("tfhe_gates_and_short_integers") else { return };
    let report = run(Suite::Tfhe, &options(&peers, 8, "boolean/and/default,boolean/mux/default"), |_| ()).unwrap();
    check_tfhe(&report, &["and/DEFAULT", "mux/DEFAULT", "and/DEFAULT_KS_PBS", "mux/DEFAULT_KS_PBS"]);
    let bootstraps: Vec<_> =
        report.entries.iter().map(|entry| entry.bootstrapping.as_ref().unwrap().bootstraps).collect();
    assert_eq!(bootstraps, [1, 2, 1, 2]);
    let report = run(Suite::Tfhe, &options(&peers, 8, "1/shortint"), |_| ()).unwrap();
    check_tfhe(&report, &["unchecked_add", "add", "mul_lsb", "keyswitch_programmable_bootstrap"]);
}

#[test]
fn tfhe_integers() {
    let Some(peers) = tfhe_rs("tfhe_integers") else { return };
    let report = run(Suite::Tfhe, &options(&peers, 8, "8/integer/add,8/integer/eq,8/integer/sel"), |_| ()).unwrap();
    check_tfhe(&report, &["add", "eq", "select"]);
    let counted = |entry: &phoca_bench::Entry| entry.bootstrapping.as_ref().unwrap().peer_bootstraps.is_some();
    assert!(report.entries.iter().all(counted));
}

#[test]
fn what_cannot_be_run_is_refused() {
    let Some(peers) = peers("what_cannot_be_run_is_refused") else { return };
    let refused = |suite, options: &Options| run(suite, options, |_| ()).unwrap_err();
    let error = refused(Suite::Seal, &options(&peers, 4096, "no such row"));
    assert!(matches!(error, BenchError::NoRow { suite: "seal", .. }), "{error}");
    let error = refused(Suite::H33, &options(&peers, 4096, ""));
    assert!(matches!(error, BenchError::UnknownDegree { degree: 4096, .. }), "{error}");
    let error = refused(Suite::Seal, &Options::new(Path::new("nowhere"), true));
    assert!(matches!(error, BenchError::NoScript { .. }), "{error}");
}
