//! A few rows in real hosts, next to the real node-seal: both sides' results are checked before they are timed, so a wrong one
//! on either side fails here. Nothing depends on the times.
//!
//! Where node-seal or the npm package is missing the tests are skipped and say so, and fail if `CI` or `PHOCA_REQUIRE_PEERS`
//! is set.
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test, in its helpers too")]

use std::env;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use phoca_bench::{BenchError, Host, Options, Suite, run};

/// The folder of the benchmarks, where everything that its scripts need is there.
fn bench(test: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let needed = [
        ("../.peers/stamp", "the peers are not installed: run bench/peers/setup.sh"),
        ("../bindings/npm/phoca/dist/wasm/simd.wasm", "the npm package is not built: run make npm"),
    ];
    let Some((_, missing)) = needed.into_iter().find(|(path, _)| !folder.join(path).exists()) else {
        return Some(folder.to_owned());
    };
    let required = |name| env::var(name).is_ok_and(|value| !["", "0", "false"].contains(&value.as_str()));
    assert!(!required("CI") && !required("PHOCA_REQUIRE_PEERS"), "{missing}");
    // Not captured by the harness, so that it is seen.
    let _ = writeln!(stderr(), "test {test} ... skipped, {missing}");
    None
}

fn options(bench: &Path, host: Host, filter: &str) -> Options {
    let mut options = Options::new(&bench.join("peers"), true);
    options.degrees = Some(vec![1024]);
    options.filters = vec![filter.to_owned()];
    options.rounds = 1;
    options.hosts = vec![host];
    options
}

fn node(bench: &Path, arguments: &[&str]) -> Output {
    Command::new("node").current_dir(bench.join("hosts")).args(arguments).output().unwrap()
}

#[test]
fn rows_in_node() {
    let Some(bench) = bench("rows_in_node") else { return };
    let mut seen = 0;
    let report = run(Suite::SealHosts, &options(&bench, Host::Node, "ckks/evaluateadd"), |_| seen += 1).unwrap();
    let rows: Vec<_> = report.entries.iter().map(|entry| (entry.host.as_str(), entry.op.as_str())).collect();
    let hosts = rows.len() / 2;
    assert!(hosts >= 1 && rows.len() == 2 * hosts && seen == rows.len(), "{rows:?}");
    for entry in &report.entries {
        assert!(entry.host.starts_with("node-") && entry.peer.as_ref().unwrap().starts_with("node-seal "), "{entry:?}");
        assert!(["portable", "simd128", "relaxed"].contains(&entry.arch.as_str()), "{entry:?}");
        assert!(entry.ours_us > 0.0 && entry.ratio.is_some_and(|ratio| ratio > 0.0) && entry.peer_form.is_some());
        let row = serde_json::to_value(entry).unwrap();
        for field in ["suite", "scheme", "op", "n", "log_q", "threads", "arch", "host", "ours_us", "peer", "peer_us"] {
            assert!(!row[field].is_null(), "{field} is missing in {row}");
        }
    }
    let text = report.markdown();
    assert!(text.contains("## CKKS, n = 1024, log q = 27") && text.contains(rows[0].0), "{text}");
    assert!(report.svg().contains("CKKS / EvaluateAddCt, n = 1024"));
}

#[test]
fn hosts_that_are_missing_are_named() {
    let Some(bench) = bench("hosts_that_are_missing_are_named") else { return };
    let options = options(&bench, Host::Node, "no such row");
    assert!(matches!(run(Suite::SealHosts, &options, |_| ()), Err(BenchError::NoRow { suite: "seal-hosts", .. })));
    let output = node(&bench, &["browser.mjs", "netscape", "{}"]);
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["kind"], &line["host"]), (&"skipped".into(), &"netscape".into()));
    assert!(line["reason"].as_str().unwrap().contains("not installed"), "{line}");
}

#[test]
fn wrong_results_are_found() {
    let Some(bench) = bench("wrong_results_are_found") else { return };
    let output = node(&bench, &["--test", "test/"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Rounds without `delete()`, in a short form, and the saving of many keys stay within the limits that the script has.
#[test]
fn memory_is_bounded() {
    let Some(bench) = bench("memory_is_bounded") else { return };
    for arguments in [["memory.mjs", "rounds", "2500"], ["memory.mjs", "save", "16384"]] {
        let output = node(&bench, &arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
}
