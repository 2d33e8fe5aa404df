//! The command line of `bench`; what it measures is tested in the crate of the benchmarks.

use serde_json::Value;

use crate::support::Sandbox;

const SUITES: [&str; 3] = ["seal", "h33", "he-benchmark"];

#[test]
fn every_suite_has_the_same_options() {
    let sandbox = Sandbox::new();
    for suite in SUITES {
        let help = sandbox.text(&["bench", suite, "--help"]);
        for option in ["--quick", "--degrees", "--filter", "--threads", "--arch", "--json", "--svg", "[FILE]"] {
            assert!(help.contains(option), "{suite}: {option} is missing in {help}");
        }
    }
}

#[test]
fn what_cannot_be_measured_is_a_wrong_command_line() {
    let sandbox = Sandbox::new();
    for suite in SUITES {
        let refused = |arguments: &[&str], parts: &[&str]| {
            sandbox.run(&[&["bench", suite], arguments].concat()).expect_code(2).expect_message(parts);
        };
        refused(&["rows.json"], &["--json"]);
        refused(&["--arch", "abacus"], &["abacus", "portable"]);
        refused(&["--threads", "0"], &["threads"]);
    }
    let hosts = |arguments: &[&str], parts: &[&str]| {
        sandbox.run(&[&["bench", "seal", "--hosts"], arguments].concat()).expect_code(2).expect_message(parts);
    };
    hosts(&["node,netscape"], &["netscape", "chromium"]);
    hosts(&["node", "--threads", "2"], &["--threads"]);
    hosts(&["node", "--degrees", "512"], &["512", "4096"]);
}

/// The driver of the peer is missing; the error is JSON only where no file takes the rows.
#[test]
fn a_missing_peer_is_named() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(&["bench", "seal", "--peers", "nowhere"]).expect_code(1);
    run.expect_message(&["nowhere", "setup.sh"]);
    let run = sandbox.run(&["bench", "seal", "--peers", "nowhere", "--json"]).expect_code(1);
    let error: Value = serde_json::from_str(run.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(error["code"], 1);
    assert!(sandbox.names(".").is_empty());
}
