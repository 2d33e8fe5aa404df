//! `convert`, with files that Microsoft SEAL, node-seal and TenSEAL made.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Sandbox, TINY_BFV, TINY_BGV, TINY_CKKS, assert_close, fixture};

const LIBRARIES: [&str; 4] = ["seal", "node-seal6", "node-seal7", "tenseal"];

#[test]
fn ciphertexts_of_other_libraries_decrypt_to_their_values() {
    let sandbox = Sandbox::new();
    let mut count = 0;
    for library in LIBRARIES {
        for scheme in ["bfv", "bgv", "ckks"] {
            let folder = fixture(library).join(scheme);
            let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
            let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
            let key = format!("{library}.{scheme}.key");
            sandbox.ok(&["convert", &path("parms.seal"), &path("secret_key.seal"), "--insecure", "-o", &key]);
            for (name, file) in expected["files"].as_object().unwrap() {
                let is_complex = name.contains("complex") || name.contains("conjugate");
                if file["object"] != "Ciphertext" || !file["values"].is_array() || is_complex {
                    continue;
                }
                sandbox.ok(&[
                    "convert",
                    &path(name),
                    "--parameters",
                    &path("parms.seal"),
                    "--insecure",
                    "-o",
                    "x.phoca",
                ]);
                let got = sandbox.decrypt(&key, "x.phoca");
                let mut values: Vec<f64> =
                    file["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
                values.resize(got.as_array().unwrap().len(), 0.0);
                assert_close(&got, &values, expected["tolerance"].as_f64().unwrap_or(0.0));
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count} ciphertexts");
}

#[test]
fn objects_pass_through_a_container_unchanged() {
    let sandbox = Sandbox::new();
    for scheme in ["bfv", "bgv", "ckks"] {
        let path = |name: &str| fixture(&format!("node-seal7/{scheme}/{name}")).to_str().unwrap().to_owned();
        for name in [
            "parms",
            "secret_key",
            "public_key",
            "public_key.seeded",
            "relin_keys",
            "relin_keys.seeded",
            "galois_keys",
            "galois_keys.seeded",
            "cipher",
            "cipher.product",
            "cipher.switched",
            "cipher.symmetric.seeded",
        ] {
            let (file, container, back) =
                (path(&format!("{name}.seal")), format!("{scheme}.{name}"), format!("{scheme}.{name}.seal"));
            sandbox.ok(&["convert", &file, "--parameters", &path("parms.seal"), "--insecure", "-o", &container]);
            sandbox.ok(&["convert", &container, "-o", &back]);
            assert_eq!(sandbox.read(&back), fs::read(&file).unwrap(), "{scheme} {name}");
        }
    }
}

#[test]
fn every_version_and_compression_comes_back() {
    for keys in [TINY_BFV, TINY_BGV, TINY_CKKS] {
        let sandbox = Sandbox::with_keys(keys, "keys");
        sandbox.ok(&["encrypt", "-k", "keys/secret.key", "--values", "1,-2,3", "-o", "x.phoca"]);
        for version in ["4.0", "4.1", "4.3", "4.4"] {
            for compression in ["none", "zlib", "zstd"] {
                for full in [&[][..], &["--full"]] {
                    let seal = ["convert", "x.phoca", "--seal-version", version, "--compression", compression];
                    sandbox.ok(&[&seal, full, &["-o", "x.seal"]].concat());
                    let report = sandbox.json(&["inspect", "x.seal", "--parameters", "keys/public.key"]);
                    let object = &report["objects"][0];
                    assert_eq!(object["seal_version"], version);
                    assert_eq!(object["compression"], compression);
                    if !full.is_empty() {
                        assert_eq!(object["seeded"], false);
                    }
                    sandbox.ok(&[
                        "convert",
                        "x.seal",
                        "--parameters",
                        "keys/public.key",
                        "--length",
                        "3",
                        "--insecure",
                        "-o",
                        "y.phoca",
                    ]);
                    assert_close(&sandbox.decrypt("keys/secret.key", "y.phoca"), &[1.0, -2.0, 3.0], 1e-6);
                }
            }
        }
    }
}

#[test]
fn a_directory_gets_one_file_for_each_object() {
    let sandbox = Sandbox::with_keys(TINY_CKKS, "keys");
    let values: Vec<f64> = (0..100).map(f64::from).collect();
    sandbox.write("x.json", json!(values).to_string());
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "x.json", "-o", "x.phoca"]);
    let report = sandbox.json(&["convert", "x.phoca", "keys/public.key", "keys/eval.key", "-o", "seal/"]);
    assert_eq!(report["files"].as_array().unwrap().len(), 8);
    let names = sandbox.names("seal");
    let expected = [
        "galois_keys.seal",
        "parms.seal",
        "public_key.seal",
        "relin_keys.seal",
        "x.0000.seal",
        "x.0001.seal",
        "x.0002.seal",
        "x.0003.seal",
    ];
    assert_eq!(names, expected);
    // Together again, from several files and from one.
    let parts = ["seal/x.0000.seal", "seal/x.0001.seal", "seal/x.0002.seal", "seal/x.0003.seal"];
    let options = ["--parameters", "seal/parms.seal", "--insecure", "--length", "100", "-o", "y.phoca"];
    sandbox.ok(&[&["convert"], &parts[..], &options].concat());
    assert_close(&sandbox.decrypt("keys/secret.key", "y.phoca"), &values, 1e-6);
    sandbox.ok(&["convert", "x.phoca", "-o", "all.seal"]);
    sandbox.ok(&[&["convert", "all.seal"], &options[..]].concat());
    assert_close(&sandbox.decrypt("keys/secret.key", "y.phoca"), &values, 1e-6);
    // Keys are not overwritten, and nothing else of that run appears.
    fs::remove_file(sandbox.path("seal/relin_keys.seal")).unwrap();
    sandbox.run(&["convert", "keys/eval.key", "-o", "seal/"]).expect_code(1).expect_message(&["galois_keys.seal"]);
    assert_eq!(sandbox.names("seal").len(), 7);
}

#[test]
fn files_are_reported_in_both_directions() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    let to = sandbox.run(&["convert", "keys/eval.key", "-o", "eval.seal"]).expect_code(0);
    assert_eq!(to.stderr, format!("eval.seal  {} bytes\n", sandbox.read("eval.seal").len()));
    let from = ["convert", "eval.seal", "--parameters", "keys/public.key", "--insecure", "-o", "again.key"];
    assert_eq!(sandbox.run(&from).expect_code(0).stderr, "again.key  holds an evaluation key: 2 objects\n");
}

#[test]
fn evaluation_keys_come_together_and_apart() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    sandbox.ok(&["convert", "keys/eval.key", "-o", "seal/"]);
    sandbox.ok(&[
        "convert",
        "seal/relin_keys.seal",
        "seal/galois_keys.seal",
        "seal/parms.seal",
        "--insecure",
        "-o",
        "eval.key",
    ]);
    let (made, converted) = (sandbox.json(&["inspect", "keys/eval.key"]), sandbox.json(&["inspect", "eval.key"]));
    assert_eq!(made["objects"], converted["objects"]);
    assert_eq!(converted["manifest"]["contents"], json!(["relin-keys", "galois-keys"]));
    sandbox.ok(&["convert", "eval.key", "-o", "again/"]);
    for name in ["relin_keys.seal", "galois_keys.seal", "parms.seal"] {
        assert_eq!(sandbox.read(&format!("again/{name}")), sandbox.read(&format!("seal/{name}")));
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    sandbox.ok(&["convert", "keys/secret.key", "keys/public.key", "-o", "seal/"]);
    let convert = |inputs: &[&str]| sandbox.run(&[&["convert"], inputs, &["--insecure", "-o", "out.phoca"]].concat());
    convert(&["seal/secret_key.seal"]).expect_code(2).expect_message(&["--parameters"]);
    convert(&["seal/parms.seal", "seal/secret_key.seal", "seal/public_key.seal"]).expect_code(2);
    convert(&["seal/secret_key.seal", "keys/public.key"]).expect_code(2).expect_message(&["keys/public.key"]);
    let plain = fixture("node-seal7/bfv/plain.seal");
    convert(&["seal/parms.seal", plain.to_str().unwrap()]).expect_code(3);
    // A key of other parameters.
    let other = fixture("node-seal7/bfv/public_key.seal");
    convert(&["seal/parms.seal", other.to_str().unwrap()]).expect_code(4);
    let parms = fixture("node-seal7/ckks/parms.seal");
    convert(&["seal/parms.seal", parms.to_str().unwrap(), "seal/secret_key.seal"]).expect_code(4);
    assert!(!sandbox.path("out.phoca").exists());
    sandbox.run(&["convert", "seal/parms.seal", "-o", "out.phoca"]).expect_code(6);
}
