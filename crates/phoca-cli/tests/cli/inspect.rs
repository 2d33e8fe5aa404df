//! `inspect` against what the libraries that made the files say about them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Sandbox, TINY_BFV, fixture};

const LIBRARIES: [&str; 4] = ["seal", "node-seal6", "node-seal7", "tenseal"];

/// The words of a `parms_id` in our notation.
fn hexadecimal(words: &Value) -> String {
    let words = words.as_array().unwrap().iter();
    words.map(|word| format!("{:016x}", word.as_str().unwrap().parse::<u64>().unwrap())).collect()
}

#[test]
fn files_of_other_libraries_are_what_their_makers_say() {
    let sandbox = Sandbox::new();
    let mut files = 0;
    for library in LIBRARIES {
        for scheme in ["bfv", "bgv", "ckks"] {
            let folder = fixture(library).join(scheme);
            let expected: Value = serde_json::from_slice(&fs::read(folder.join("expected.json")).unwrap()).unwrap();
            let parameters = folder.join("parms.seal");
            for (name, file) in expected["files"].as_object().unwrap() {
                let path = folder.join(name);
                let report =
                    sandbox.json(&["inspect", path.to_str().unwrap(), "--parameters", parameters.to_str().unwrap()]);
                check(&report, file, scheme, &format!("{library}/{scheme}/{name}"));
                files += 1;
            }
        }
    }
    assert!(files > 200, "{files} files");
}

fn check(report: &Value, file: &Value, scheme: &str, name: &str) {
    assert_eq!(report["schema"], "phoca.inspect/1");
    assert_eq!(report["format"], "seal", "{name}");
    let object = &report["objects"][0];
    let kind = match file["object"].as_str().unwrap() {
        "Ciphertext" => "ciphertext",
        "EncryptionParameters" => "parameters",
        "GaloisKeys" => "Galois keys",
        "Modulus" => "modulus",
        "Plaintext" => "plaintext",
        "PublicKey" => "public key",
        "RelinKeys" => "relinearization keys",
        "SecretKey" => "secret key",
        other => panic!("{other}"),
    };
    assert_eq!(object["object"], kind, "{name}");
    assert_eq!(object["bytes"], file["bytes"], "{name}");
    assert_eq!(object["compression"], file["compression"], "{name}");
    assert_eq!(object["seal_version"], file["version"], "{name}");
    if let Some(seeded) = object.get("seeded") {
        assert_eq!(*seeded, file["seeded"], "{name}");
    }
    let Some(size) = file.get("size") else {
        return;
    };
    assert_eq!(object["polynomials"], *size, "{name}");
    assert_eq!(object["level"], file["chain_index"], "{name}");
    assert_eq!(object["primes"], file["coeff_modulus_size"], "{name}");
    assert_eq!(object["ntt_form"], file["is_ntt_form"], "{name}");
    assert_eq!(object["scale"].as_f64(), file["scale"].as_f64(), "{name}");
    assert_eq!(object["parms_id"], hexadecimal(&file["parms_id"]), "{name}");
    assert_eq!(object["scheme"], json!([scheme.to_uppercase()]), "{name}");
    let factor = object.get("correction_factor").map_or("1".to_owned(), Value::to_string);
    assert_eq!(factor, file["correction_factor"].as_str().unwrap_or("1"), "{name}");
}

#[test]
fn messages_of_tenseal_are_recognized() {
    let sandbox = Sandbox::new();
    let kinds = |report: &Value| -> Vec<String> {
        let objects = report["objects"].as_array().unwrap().iter();
        objects.map(|object| object["object"].as_str().unwrap().to_owned()).collect()
    };
    for scheme in ["bfv", "ckks"] {
        let inspect =
            |name: &str| sandbox.json(&["inspect", fixture(&format!("tenseal/{scheme}/{name}")).to_str().unwrap()]);
        let context = inspect("tenseal_context.bin");
        assert_eq!(context["format"], "tenseal-context");
        assert_eq!(context["tenseal"]["has_secret_key"], true);
        assert_eq!(kinds(&context), ["parameters", "public key", "secret key"]);
        assert_eq!(context["objects"][0]["parameters"]["degree"], 2048);
        let vector = inspect(&format!("tenseal_{scheme}_vector.bin"));
        assert_eq!(vector["format"], "tenseal-vector");
        assert_eq!(kinds(&vector), ["ciphertext"]);
        assert_eq!(vector["tenseal"]["lengths"], json!([3]));
        assert_eq!(vector["objects"][0]["scheme"], json!([scheme.to_uppercase()]));
    }
    let public = sandbox.json(&["inspect", fixture("tenseal/ckks/tenseal_context.public.bin").to_str().unwrap()]);
    assert_eq!(public["tenseal"], json!({"scale": 1048576.0, "has_secret_key": false}));
    assert_eq!(kinds(&public), ["parameters", "public key", "relinearization keys"]);
}

#[test]
fn text_says_the_same_for_people() {
    let sandbox = Sandbox::new();
    let text = |name: &str| sandbox.text(&["inspect", fixture(name).to_str().unwrap()]);
    let vector = text("tenseal/ckks/tenseal_ckks_vector.bin");
    assert!(vector.contains("TenSEAL vector") && vector.contains("2^20") && vector.contains("SEAL 4.3"), "{vector}");
    let context = text("tenseal/bfv/tenseal_context.bin");
    assert!(context.contains("whoever has this file can decrypt"), "{context}");
    let ciphertext = text("node-seal7/bgv/cipher.switched.seal");
    assert!(ciphertext.contains("BGV") && ciphertext.contains("correction factor 4633"), "{ciphertext}");
}

#[test]
fn containers_tell_everything_without_a_key() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values", "1,2,3", "-o", "x.phoca"]);
    let report = sandbox.json(&["inspect", "x.phoca"]);
    assert_eq!(report["format"], "phoca");
    assert_eq!(report["version"], 1);
    let manifest = &report["manifest"];
    assert_eq!(manifest["kind"], "ciphertexts");
    assert_eq!(manifest["security"], "insecure");
    assert_eq!(manifest["parameters"]["scheme"], "bfv");
    assert_eq!(manifest["array"], json!({"encoding": "batch", "dtype": "int64", "shape": [3], "vectors": 1}));
    assert_eq!(report["objects"][0]["level"], 1);
    let keys = sandbox.json(&["inspect", "keys/eval.key"]);
    assert_eq!(keys["manifest"]["key"], manifest["key"]);
    assert_eq!(keys["manifest"]["contents"], json!(["relin-keys", "galois-keys"]));
    assert_eq!(sandbox.json(&["inspect", "keys/secret.key"])["objects"][0]["object"], "secret key");
}

#[test]
fn one_bad_file_among_many_does_not_hide_the_others() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    sandbox.write("bad", "nothing");
    let run = sandbox.run(&["inspect", "keys/public.key", "bad", "keys/secret.key", "--json"]).expect_code(3);
    assert_eq!(run.stdout.iter().filter(|&&byte| byte == b'\n').count(), 2);
    assert!(run.stderr.contains("\"schema\":\"phoca.error/1\""), "{}", run.stderr);
}

#[test]
fn damaged_messages_and_objects_are_refused() {
    let sandbox = Sandbox::new();
    for name in
        ["tenseal/ckks/tenseal_context.bin", "tenseal/bfv/tenseal_bfv_vector.bin", "node-seal7/ckks/cipher.seal"]
    {
        let bytes = fs::read(fixture(name)).unwrap();
        for len in [1, 2, 5, 17, 40, bytes.len() / 2, bytes.len() - 1] {
            sandbox.write("cut", &bytes[..len]);
            sandbox.run(&["inspect", "cut"]).expect_code(3);
        }
    }
    sandbox.write("empty", "");
    sandbox.run(&["inspect", "empty"]).expect_code(3).expect_message(&["empty"]);
    sandbox.run(&["inspect", "missing"]).expect_code(74).expect_message(&["missing"]);
}

#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    let key = sandbox.read("keys/eval.key");
    for command in [&["inspect", "/dev/stdin"][..], &["params", "show", "/dev/stdin"]] {
        let run = sandbox.run_with_input(command, &key).expect_code(0);
        assert!(String::from_utf8(run.stdout).unwrap().contains("BFV"));
    }
    let container = sandbox.run_with_input(&["convert", "/dev/stdin", "-o", "seal/"], &key);
    container.expect_code(0);
    assert_eq!(sandbox.names("seal"), ["galois_keys.seal", "parms.seal", "relin_keys.seal"]);
}
