//! Keys, encryption and decryption, as the manual shows them.

use serde_json::json;

use crate::support::{Sandbox, TINY_BFV, TINY_BGV, TINY_CKKS, assert_close};

#[test]
fn a_column_of_csv_comes_back_with_its_name() {
    let sandbox = Sandbox::with_keys(&["keygen", "ckks", "--depth", "1", "--precision", "20"], "keys");
    sandbox.write("data.csv", "name,income,age\nann,1.5,30\nbob,-2.25,41\n");
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "data.csv", "--col", "income", "-o", "x.phoca"]);
    let text = sandbox.text(&["decrypt", "-k", "keys/secret.key", "x.phoca"]);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("income"));
    let numbers: Vec<f64> = lines.map(|line| line.parse().unwrap()).collect();
    // 20 bits after the point were asked for.
    assert_close(&json!(numbers), &[1.5, -2.25], (-20_f64).exp2());
}

#[test]
fn each_column_starts_a_new_ciphertext() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    let rows: String = (0..70).map(|row| format!("{row},{}\n", -row)).collect();
    sandbox.write("data.csv", format!("a,b\n{rows}"));
    let report = sandbox.json(&["encrypt", "-k", "keys/public.key", "data.csv", "-o", "x.phoca"]);
    // 70 values in 64 slots make two ciphertexts for each column.
    assert_eq!(report["ciphertexts"], 4);
    assert_eq!(report["shape"], json!([70, 2]));
    assert_eq!(sandbox.text(&["decrypt", "-k", "keys/secret.key", "x.phoca"]), format!("a,b\n{rows}"));
    let array = sandbox.json(&["decrypt", "-k", "keys/secret.key", "x.phoca"]);
    assert_eq!(array["schema"], "phoca.array/1");
    assert_eq!(array["columns"], json!(["a", "b"]));
    assert_eq!(array["values"][69], json!([69, -69]));
}

#[test]
fn a_long_vector_becomes_several_ciphertexts() {
    for (keys, slots) in [(TINY_BFV, 64), (TINY_BGV, 64), (TINY_CKKS, 32)] {
        let sandbox = Sandbox::with_keys(keys, "keys");
        for length in [1, slots - 1, slots, slots + 1, 5 * slots + 7] {
            let values: Vec<i64> = (0..length).map(|index| index * 37 % 6000 - 3000).collect();
            sandbox.write("x.json", json!(values).to_string());
            let report = sandbox.json(&["encrypt", "-k", "keys/public.key", "x.json", "-o", "x.phoca"]);
            assert_eq!(report["ciphertexts"], (length as u64).div_ceil(slots as u64));
            let expected: Vec<f64> = values.iter().map(|&value| value as f64).collect();
            let tolerance = if slots == 32 { 1e-6 } else { 0.0 };
            assert_close(&sandbox.decrypt("keys/secret.key", "x.phoca"), &expected, tolerance);
        }
    }
}

#[test]
fn standard_input_and_output_make_a_pipe() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    let encrypted = sandbox.run_with_input(&["encrypt", "-k", "keys/public.key", "-"], b"1\n-2\n3\n").expect_code(0);
    let decrypted =
        sandbox.run_with_input(&["decrypt", "-k", "keys/secret.key", "-"], &encrypted.stdout).expect_code(0);
    assert_eq!(decrypted.stdout, b"1\n-2\n3\n");
    let encrypted = sandbox
        .run_with_input(&["encrypt", "-k", "keys/public.key", "-", "-o", "-", "--json"], b"[1, 2]")
        .expect_code(0)
        .expect_message(&["\"schema\":\"phoca.encrypt/1\"", "\"ciphertexts\":1"]);
    assert!(encrypted.stdout.starts_with(b"\x89PHOCA\r\n"), "standard output has data only");
}

#[test]
fn the_secret_key_makes_files_of_half_the_size() {
    for keys in [TINY_BFV, TINY_BGV, TINY_CKKS] {
        let sandbox = Sandbox::with_keys(keys, "keys");
        let encrypt = |key: &str, file: &str| {
            let report = sandbox.json(&["encrypt", "-k", key, "--values", "1,-2,3", "-o", file]);
            assert_close(&sandbox.decrypt("keys/secret.key", file), &[1.0, -2.0, 3.0], 1e-6);
            report["bytes"].as_u64().unwrap()
        };
        let (full, seeded) = (encrypt("keys/public.key", "p.phoca"), encrypt("keys/secret.key", "s.phoca"));
        assert!(seeded < full * 6 / 10, "{seeded} of {full} bytes");
        assert_eq!(sandbox.json(&["inspect", "s.phoca"])["objects"][0]["seeded"], true);
    }
}

#[test]
fn polynomials_are_encrypted_as_text() {
    for keys in [TINY_BFV, TINY_BGV] {
        let sandbox = Sandbox::with_keys(keys, "keys");
        let polynomials = ["1Fx^3 + 2x^1 + 7", "3000x^63"];
        sandbox.ok(&[
            "encrypt",
            "-k",
            "keys/public.key",
            "--poly",
            polynomials[0],
            "--poly",
            polynomials[1],
            "-o",
            "x.phoca",
        ]);
        let text = sandbox.text(&["decrypt", "-k", "keys/secret.key", "x.phoca"]);
        assert_eq!(text.lines().collect::<Vec<_>>(), polynomials);
        sandbox.run(&["decrypt", "-k", "keys/secret.key", "x.phoca", "-f", "npy"]).expect_code(2);
    }
    let sandbox = Sandbox::with_keys(TINY_CKKS, "keys");
    sandbox.run(&["encrypt", "-k", "keys/public.key", "--poly", "1", "-o", "x.phoca"]).expect_code(2);
}

#[test]
fn negative_numbers_need_no_tricks() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values", "-1,-2", "-o", "x.phoca"]);
    assert_eq!(sandbox.decrypt("keys/secret.key", "x.phoca"), json!([-1, -2]));
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values=-3", "-o", "x.phoca"]);
    assert_eq!(sandbox.decrypt("keys/secret.key", "x.phoca"), json!([-3]));
}

#[test]
fn equal_seeds_give_equal_files_and_others_do_not() {
    let sandbox = Sandbox::new();
    let seeded = |directory, seed| {
        let arguments = [TINY_BGV, &["--seed", seed, "--insecure-deterministic"]].concat();
        sandbox.keys(&arguments, directory);
        let key = format!("{directory}/public.key");
        let file = format!("{directory}/x.phoca");
        sandbox.ok(&["encrypt", "-k", &key, "--values", "1", "-o", &file, "--seed", seed, "--insecure-deterministic"]);
        ["secret.key", "public.key", "eval.key", "x.phoca"].map(|name| sandbox.read(&format!("{directory}/{name}")))
    };
    let (first, again, other) = (seeded("a", "7"), seeded("b", "7"), seeded("c", "8"));
    assert_eq!(first, again);
    assert!(first.iter().zip(&other).all(|(first, other)| first != other));
    sandbox.run(&[TINY_BGV, &["--seed", "7", "-o", "d"]].concat()).expect_code(2);
}

#[test]
fn rotation_keys_are_those_asked_for() {
    let sandbox = Sandbox::new();
    let count = |directory: &str, rotations: &str| {
        sandbox.keys(&[TINY_BFV, &["--rotations", rotations]].concat(), directory);
        let report = sandbox.json(&["inspect", &format!("{directory}/eval.key")]);
        let objects = report["objects"].as_array().unwrap().clone();
        objects.get(1).map_or(0, |galois| galois["keys"].as_array().unwrap().len())
    };
    // n = 64: rows of 32 slots, so powers of two up to 16 and the swap of rows; SEAL's set has both directions.
    assert_eq!(count("sum", "sum"), 6);
    assert_eq!(count("all", "all"), 10);
    assert_eq!(count("none", "none"), 0);
    assert_eq!(count("some", "1,-2"), 2);
    sandbox.run(&[TINY_BFV, &["--rotations", "1,x", "-o", "bad"]].concat()).expect_code(2);
    sandbox.run(&[TINY_BFV, &["--rotations", "32", "-o", "far"]].concat()).expect_code(1);
    assert!(!sandbox.path("far").exists(), "the directory that was made is removed");
}

#[test]
fn parameters_without_a_special_prime_have_two_keys() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .run(&[
            "keygen",
            "bfv",
            "-n",
            "64",
            "--moduli-bits",
            "50",
            "--plain-modulus",
            "257",
            "--insecure",
            "-o",
            "keys",
        ])
        .expect_code(0)
        .expect_message(&["no evaluation key"]);
    assert!(run.stdout.is_empty());
    assert_eq!(sandbox.names("keys"), ["public.key", "secret.key"]);
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values", "5", "-o", "x.phoca"]);
    assert_eq!(sandbox.decrypt("keys/secret.key", "x.phoca"), json!([5]));
}

#[test]
fn keygen_names_the_integers_that_fit() {
    let sandbox = Sandbox::new();
    let integers = "integers    -6144 to 6144; results beyond wrap around";
    sandbox.run(&[TINY_BFV, &["-o", "bfv"]].concat()).expect_code(0).expect_message(&[integers]);
    assert!(sandbox.text(&["params", "show", "bfv/public.key"]).contains(integers));
    let ckks = sandbox.run(&[TINY_CKKS, &["-o", "ckks"]].concat()).expect_code(0);
    assert!(!ckks.stderr.contains("integers"), "{}", ckks.stderr);
    // The largest comes back, and the sum after it is the smallest.
    sandbox.ok(&["encrypt", "-q", "-k", "bfv/public.key", "--values", "6144", "-o", "x.phoca"]);
    assert_eq!(sandbox.decrypt("bfv/secret.key", "x.phoca"), json!([6144]));
    sandbox.ok(&["eval", "-q", "-k", "bfv/eval.key", "x + 1", "x=x.phoca", "-o", "y.phoca"]);
    assert_eq!(sandbox.decrypt("bfv/secret.key", "y.phoca"), json!([-6144]));
}

#[test]
fn plain_moduli_without_batching_take_polynomials_only() {
    let sandbox = Sandbox::with_keys(
        &["keygen", "bfv", "-n", "64", "--moduli-bits", "50,51", "--plain-modulus", "1024", "--insecure"],
        "keys",
    );
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--poly", "3FFx^2", "-o", "x.phoca"]);
    assert_eq!(sandbox.text(&["decrypt", "-k", "keys/secret.key", "x.phoca"]), "3FFx^2\n");
    sandbox
        .run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", "y.phoca"])
        .expect_code(1)
        .expect_message(&["batching"]);
}

#[cfg(unix)]
#[test]
fn secret_keys_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::with_keys(TINY_CKKS, "keys");
    sandbox.ok(&["convert", "keys/secret.key", "-o", "seal/"]);
    sandbox.ok(&["convert", "keys/secret.key", "-o", "secret.seal"]);
    for name in ["keys/secret.key", "seal/secret_key.seal", "secret.seal"] {
        let mode = sandbox.path(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let mode = sandbox.path("keys/public.key").metadata().unwrap().permissions().mode();
    assert_ne!(mode & 0o777, 0o600, "the public key is for all");
}

#[test]
fn the_doctor_finds_every_scheme_right() {
    let sandbox = Sandbox::new();
    let report = sandbox.json(&["doctor"]);
    assert_eq!(report["schema"], "phoca.doctor/1");
    let tests = report["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 3);
    assert!(tests.iter().all(|test| test["ok"] == true), "{report}");
    let run = sandbox.command(&["doctor", "--json"]).env("PHOCA_ARCH", "portable").output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(report["selected"], "portable");
    let run = sandbox.command(&["doctor"]).env("PHOCA_ARCH", "nonsense").output().unwrap();
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn manual_pages_and_completions_cover_every_command() {
    let sandbox = Sandbox::new();
    sandbox.ok(&["man", "-o", "man"]);
    let pages = sandbox.names("man");
    let script = sandbox.text(&["completions", "bash"]);
    for command in ["params", "keygen", "encrypt", "decrypt", "inspect", "convert", "doctor", "completions", "man"] {
        assert!(pages.contains(&format!("phoca-{command}.1")), "{pages:?}");
        assert!(script.contains(&format!("phoca__subcmd__{command}")) || script.contains(&format!("phoca__{command}")));
    }
    assert!(pages.contains(&"phoca-params-suggest.1".to_owned()));
    let page = sandbox.text(&["man"]);
    for meaning in ["Exit codes", "keys, parameters and data do not belong together", "interrupted"] {
        assert!(page.contains(meaning), "{meaning}");
    }
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        assert!(sandbox.text(&["completions", shell]).contains("keygen"), "{shell}");
    }
}

#[test]
fn results_of_ignored_noise_do_not_pass_for_fresh() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values", "3", "-o", "x.phoca", "-q"]);
    let eval = |text: &str, input: &str, more: &[&str]| {
        sandbox.run(&[&["eval", text, "-k", "keys/eval.key", input, "-o", "y.phoca", "-q"], more].concat())
    };
    eval("x^64", "x=x.phoca", &[]).expect_code(5);
    eval("x^64", "x=x.phoca", &["--ignore-noise"]).expect_code(0);
    eval("y + 1", "y=y.phoca", &[]).expect_code(5);
    eval("y + 1", "y=y.phoca", &["--ignore-noise"]).expect_code(0);
    // Where it would have sufficed, nothing is lost by ignoring it.
    eval("x + 1", "x=x.phoca", &["--ignore-noise"]).expect_code(0);
    eval("y + 1", "y=y.phoca", &[]).expect_code(0);
}
