//! The command line of `bench`; what it measures is tested in the crate of the benchmarks.

use serde_json::Value;

use crate::support::Sandbox;

const SUITES: [&str; 4] = ["seal", "h33", "he-benchmark", "tfhe"];

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

/// Outside of a checkout there are no scripts that start the peers.
#[test]
fn a_checkout_is_asked_for_where_there_is_none() {
    let sandbox = Sandbox::new();
    let checkout = ["--peers", "checkout", "git clone"];
    for suite in SUITES {
        sandbox.run(&["bench", suite]).expect_code(2).expect_message(&checkout).expect_message(&["bench/peers/run.sh"]);
    }
    for host in ["native", "node", "chromium"] {
        sandbox.run(&["bench", "seal", "--hosts", host]).expect_code(2).expect_message(&checkout);
    }
    sandbox.run(&["bench", "seal", "--peers", "nowhere"]).expect_code(2).expect_message(&["nowhere/run.sh"]);
    let run = sandbox.run(&["bench", "seal", "--json"]).expect_code(2);
    let error: Value = serde_json::from_str(run.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(error["code"], 2);
    assert!(sandbox.names(".").is_empty());
}

/// The driver is there, but what it starts is not installed.
#[test]
fn a_missing_peer_is_named() {
    let sandbox = Sandbox::new();
    sandbox.write("run.sh", "exit 1");
    let run = sandbox.run(&["bench", "seal", "--peers", "."]).expect_code(1);
    run.expect_message(&["./run.sh", "setup.sh"]);
}
