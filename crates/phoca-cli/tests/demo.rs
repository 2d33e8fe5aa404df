//! `phoca demo` through the real program: two processes, three schemes, all promises.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with the other tests of the program")]
#[path = "cli/support.rs"]
mod support;

use std::fs;

use support::Sandbox;

#[test]
fn all_promises_are_kept() {
    let sandbox = Sandbox::new();
    let report = sandbox.json(&["demo", "--dir", "work"]);
    assert_eq!(report["kept"], true);
    let results: Vec<_> = report["steps"].as_array().unwrap().iter().filter(|step| step["kept"].is_boolean()).collect();
    assert_eq!(results.len(), 5);
    for result in &results {
        let number = |name: &str| result[name].as_f64().unwrap();
        assert!(number("error") <= number("promised"), "{result}");
        assert!(number("promised") <= number("worst_case") && number("promised") < 0.01, "{result}");
    }
    assert_eq!(results[0]["predictions_agree"], 569);
    assert_eq!(results[3]["result"], "212 of 569 rows");
    assert_eq!(results[4]["predictions_agree"], 569);
    for step in report["steps"].as_array().unwrap() {
        assert!(step["bytes"].is_null() || step["bytes"].as_u64().unwrap() > 1000, "{step}");
    }

    // Only the client's directory has secret keys, and only their owner can read them.
    let holds_secret = |name: &str| {
        let entries = fs::read_dir(sandbox.path(name)).unwrap().map(|entry| entry.unwrap().path());
        entries
            .filter(|path| {
                let start = fs::read(path).unwrap();
                String::from_utf8_lossy(&start[..start.len().min(400)]).contains("secret-key")
            })
            .count()
    };
    assert_eq!(["work/client", "work/wire", "work/server"].map(holds_secret), [3, 0, 0]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("work/client"), mode("work/client/ckks-secret.key")), (0o700, 0o600));
    }

    // A server that is given a secret key refuses to work, and keys are not overwritten.
    sandbox.ok(&["demo-server", "--wire", "work/wire", "--dir", "work/server"]);
    fs::copy(sandbox.path("work/client/bfv-secret.key"), sandbox.path("work/server/key")).unwrap();
    let refused = sandbox.run(&["demo-server", "--wire", "work/wire", "--dir", "work/server"]).expect_code(4);
    assert!(refused.stderr.contains("a secret key has come to the server"), "{}", refused.stderr);
    sandbox.run(&["demo", "--dir", "work"]).expect_code(1);
}

#[test]
fn the_table_is_for_people() {
    let sandbox = Sandbox::new();
    let text = sandbox.text(&["demo", "-q"]);
    assert!(text.contains("569 of 569 predictions agree") && text.contains("212 of 569 rows"), "{text}");
    assert!(text.contains("peak memory"), "{text}");
}
