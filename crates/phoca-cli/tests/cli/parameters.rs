//! `params`, and that suggested parameters do what they promise.

use serde_json::{Value, json};

use crate::support::{Sandbox, assert_close, fixture};

#[test]
fn suggestions_are_within_their_table() {
    let sandbox = Sandbox::new();
    for scheme in ["bfv", "bgv", "ckks"] {
        for depth in ["0", "1", "2", "5", "8"] {
            for level in ["128", "192"] {
                let report = sandbox.json(&["params", "suggest", scheme, "--depth", depth, "--security", level]);
                assert_eq!(report["schema"], "phoca.params/1");
                let table = &report["security"][0];
                assert_eq!(table["table"], "ePrint 2024/463");
                assert!(table["level"].as_u64() >= level.parse().ok(), "{report}");
                assert!(table["margin_bits"].as_u64().is_some());
                // A smaller degree would not do: half of it does not allow this modulus and is not enough.
                let bits = report["moduli_bits"].as_array().unwrap().iter();
                assert!(bits.clone().all(|bits| bits.as_u64().unwrap() <= 60));
            }
        }
    }
}

#[test]
fn ordinary_requests_get_primes_of_the_fast_widths() {
    let sandbox = Sandbox::new();
    for request in [
        &["bfv", "--depth", "3"][..],
        &["bgv", "--depth", "2"],
        &["ckks", "--depth", "2", "--precision", "18", "--integer-bits", "8"],
    ] {
        let report = sandbox.json(&[&["params", "suggest"], request].concat());
        let bits = report["moduli_bits"].as_array().unwrap();
        assert!(bits.iter().all(|bits| bits.as_u64().unwrap() <= 50), "{report}");
    }
}

#[test]
fn the_command_that_a_suggestion_names_makes_these_parameters() {
    let sandbox = Sandbox::new();
    for (index, scheme) in ["bfv", "bgv", "ckks"].iter().enumerate() {
        let text = sandbox.text(&["params", "suggest", scheme, "--depth", "1"]);
        assert!(text.contains("why"), "{text}");
        let command = text.lines().find_map(|line| line.strip_prefix("next        phoca ")).unwrap();
        let directory = format!("keys{index}");
        let command = command.replace("-o keys", &format!("-o {directory} --rotations none -q"));
        sandbox.ok(&command.split(' ').collect::<Vec<_>>());
        let suggested = sandbox.json(&["params", "suggest", scheme, "--depth", "1"]);
        let made = sandbox.json(&["inspect", &format!("{directory}/public.key")]);
        assert_eq!(made["manifest"]["parameters"], suggested["parameters"]);
        assert_eq!(made["manifest"]["scale"], suggested["scale"]);
        let security = json!({"checked": {"table": "guidelines-2024", "level": 128}});
        assert_eq!(made["manifest"]["security"], security);
    }
}

#[test]
fn checks_name_the_table_and_the_margin() {
    let sandbox = Sandbox::new();
    // SEAL's default for 8192: 218 bits, exactly the limit of 2018, and 4 above that of 2024.
    let report = sandbox.json(&["params", "check", "bfv", "-n", "8192"]);
    assert_eq!(report["modulus_bits"], 218);
    assert_eq!(report["security"][0], json!({"table": "ePrint 2024/463", "level": 0}));
    let standard = json!({"table": "HomomorphicEncryption.org 2018", "level": 128, "max_bits": 218, "margin_bits": 0});
    assert_eq!(report["security"][1], standard);
    sandbox
        .run(&["params", "check", "bfv", "-n", "8192", "--table", "guidelines-2024"])
        .expect_code(6)
        .expect_message(&["218 bits", "ePrint 2024/463", "214 bits"]);
    sandbox.run(&["params", "check", "bfv"]).expect_code(2);
    sandbox.run(&["params", "check", "ckks", "-n", "5000", "--moduli-bits", "40,40"]).expect_code(1);
    sandbox.run(&["params", "suggest", "bfv", "--insecure"]).expect_code(2);
    sandbox.run(&["params", "suggest", "ckks", "--precision", "60"]).expect_code(1);
    sandbox.run(&["params", "suggest", "bfv", "--depth", "200", "--plain-bits", "60"]).expect_code(1);
}

#[test]
fn parameters_travel_in_files() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["params", "suggest", "ckks", "--depth", "1", "-o", "parameters.phoca"]);
    sandbox.ok(&["keygen", "ckks", "--parameters", "parameters.phoca", "--rotations", "none", "-q", "-o", "keys"]);
    let show = |file: &str| sandbox.json(&["params", "show", file]);
    assert_eq!(show("parameters.phoca")["parameters"], show("keys/public.key")["parameters"]);
    let parms = fixture("node-seal7/bgv/parms.seal");
    let parms = parms.to_str().unwrap();
    let report = show(parms);
    assert_eq!(report["parameters"]["scheme"], "bgv");
    assert_eq!(report["parameters"]["plain_modulus"], "12289");
    assert_eq!(report["slots"], 64);
    sandbox.run(&["keygen", "bgv", "--parameters", parms, "-o", "k"]).expect_code(6);
    sandbox.run(&["keygen", "bfv", "--parameters", parms, "--insecure", "-o", "k"]).expect_code(4);
    sandbox.ok(&["keygen", "bgv", "--parameters", parms, "--insecure", "-q", "-o", "k"]);
    sandbox.write("other", "text");
    sandbox.run(&["params", "show", "other"]).expect_code(3);
    sandbox.run(&["params", "show", "missing"]).expect_code(74);
}

#[test]
fn slots_raise_the_degree() {
    let sandbox = Sandbox::new();
    let degree = |arguments: &[&str]| -> u64 {
        let report: Value = sandbox.json(&[&["params", "suggest"], arguments].concat());
        report["parameters"]["degree"].as_u64().unwrap()
    };
    assert_eq!(degree(&["bfv", "--depth", "0"]), 4096);
    assert_eq!(degree(&["bfv", "--depth", "0", "--slots", "5000"]), 8192);
    assert_eq!(degree(&["ckks", "--depth", "0", "--slots", "5000"]), 16384);
}

#[test]
fn slots_need_a_plain_modulus_with_batching() {
    let sandbox = Sandbox::new();
    let suggest = ["params", "suggest", "bfv", "--depth", "0", "--plain-modulus"];
    sandbox
        .run(&[&suggest[..], &["1024", "--slots", "64"]].concat())
        .expect_code(1)
        .expect_message(&["does not support batching"]);
    sandbox.run(&[&suggest[..], &["65537", "--slots", "65536"]].concat()).expect_code(1);
    sandbox.ok(&[&suggest[..], &["65537", "--slots", "32768"]].concat());
    sandbox.ok(&[&suggest[..], &["1024"]].concat());
}

#[test]
fn suggestions_hold_what_they_say() {
    let sandbox = Sandbox::new();
    // Sums over all slots, and levels of BGV that are wider than a prime.
    let exact = [
        ("bfv", &["--depth", "0"][..], "sum(x)", 6),
        ("bgv", &["--depth", "0"], "sum(x)", 6),
        ("bfv", &["--depth", "1"], "sum(x * x)", 14),
        ("bgv", &["--depth", "1"], "sum(x * x)", 14),
        ("bgv", &["--depth", "2", "--plain-bits", "60"], "sum(x^4)", 98),
    ];
    for (index, (scheme, goal, expression, expected)) in exact.into_iter().enumerate() {
        let keys = format!("keys{index}");
        sandbox.keys(&[&["keygen", scheme], goal].concat(), &keys);
        let key = |name: &str| format!("{keys}/{name}.key");
        sandbox.ok(&["encrypt", "-k", &key("public"), "--values", "1,2,3", "-o", "x.phoca"]);
        sandbox.ok(&["eval", expression, "-k", &key("eval"), "x=x.phoca", "-o", "y.phoca"]);
        assert_eq!(sandbox.decrypt(&key("secret"), "y.phoca"), expected, "{scheme} {goal:?}");
    }
    // Constant vectors have one large coefficient, which needs all bits before the binary point.
    let real: [(&[&str], f64, &str, f64); 2] = [
        (&["--depth", "0", "--precision", "30", "--integer-bits", "0"], 1.0, "x - 0.25", 0.75),
        (&["--depth", "1", "--precision", "20", "--integer-bits", "10"], 31.9, "x * x", 31.9 * 31.9),
    ];
    for (index, (goal, value, expression, expected)) in real.into_iter().enumerate() {
        let keys = format!("real{index}");
        sandbox.keys(&[&["keygen", "ckks", "--rotations", "none"], goal].concat(), &keys);
        let key = |name: &str| format!("{keys}/{name}.key");
        sandbox.write("x.json", json!(vec![value; 2048]).to_string());
        sandbox.ok(&["encrypt", "-k", &key("public"), "x.json", "-o", "x.phoca"]);
        sandbox.ok(&["eval", expression, "-k", &key("eval"), "x=x.phoca", "-o", "y.phoca"]);
        assert_close(&sandbox.decrypt(&key("secret"), "y.phoca"), &[expected; 2048], 1e-4);
    }
}
