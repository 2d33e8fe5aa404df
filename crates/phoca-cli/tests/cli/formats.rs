//! Inputs and outputs: CSV, JSON and NumPy's files.

use serde_json::json;

use crate::support::{Sandbox, TINY_BFV, TINY_CKKS, assert_close};

/// A `.npy` file as numpy writes it: padded header, version 1.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn numpy_arrays_come_back_byte_for_byte() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    let signed: Vec<u8> = (0..150_i64).flat_map(|value| (value * 80 - 6000).to_le_bytes()).collect();
    let unsigned: Vec<u8> = (0..150_u64).flat_map(|value| (value * 81).to_le_bytes()).collect();
    let files = [
        npy("<i8", "(150,)", &signed),
        npy("<i8", "(10, 15)", &signed),
        npy("<u8", "(2, 3, 25)", &unsigned),
        npy("<u8", "()", &unsigned[..8]),
    ];
    for file in files {
        sandbox.write("x.npy", &file);
        sandbox.ok(&["encrypt", "-k", "keys/public.key", "x.npy", "-o", "x.phoca"]);
        sandbox.ok(&["decrypt", "-k", "keys/secret.key", "x.phoca", "-o", "y.npy"]);
        assert_eq!(sandbox.read("y.npy"), file);
    }
}

#[test]
fn real_and_complex_arrays_keep_their_shape() {
    let sandbox = Sandbox::with_keys(TINY_CKKS, "keys");
    let numbers: Vec<f64> = (0..80).map(|index| f64::from(index) * 0.5 - 20.0).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|value| value.to_le_bytes()).collect();
    for (descr, shape, json_shape) in [("<f8", "(8, 10)", json!([8, 10])), ("<c16", "(40,)", json!([40]))] {
        sandbox.write("x.npy", npy(descr, shape, &bytes));
        sandbox.ok(&["encrypt", "-k", "keys/public.key", "x.npy", "-o", "x.phoca"]);
        let array = sandbox.json(&["decrypt", "-k", "keys/secret.key", "x.phoca"]);
        assert_eq!(array["shape"], json_shape);
        let output = sandbox.ok(&["decrypt", "-k", "keys/secret.key", "x.phoca", "-f", "npy"]);
        let input = sandbox.read("x.npy");
        let start = input.len() - bytes.len();
        assert_eq!(output[..start], input[..start]);
        let (words, []) = output[start..].as_chunks::<8>() else { panic!("whole words") };
        let result: Vec<f64> = words.iter().map(|&word| f64::from_le_bytes(word)).collect();
        assert_close(&json!(result), &numbers, 1e-6);
    }
}

#[test]
fn json_keeps_nesting_and_single_numbers() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    for text in ["[[1,2,3],[-4,5,6]]", "[[[1],[2]]]", "7"] {
        sandbox.write("x.json", text);
        sandbox.ok(&["encrypt", "-k", "keys/public.key", "x.json", "-o", "x.phoca"]);
        assert_eq!(sandbox.decrypt("keys/secret.key", "x.phoca").to_string(), text);
        // What `decrypt --json` writes is an input too.
        sandbox.write("y.json", sandbox.json(&["decrypt", "-k", "keys/secret.key", "x.phoca"]).to_string());
        sandbox.ok(&["encrypt", "-k", "keys/public.key", "y.json", "-o", "y.phoca"]);
        assert_eq!(sandbox.decrypt("keys/secret.key", "y.phoca").to_string(), text);
    }
}

#[test]
fn the_format_is_found_by_name_and_by_content() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    let numbers: Vec<u8> = [1_i64, 2].iter().flat_map(|value| value.to_le_bytes()).collect();
    for (name, content) in [
        ("a.csv", b"1\n2\n".to_vec()),
        ("b", b"1\n2\n".to_vec()),
        ("c.json", b"[1,2]".to_vec()),
        ("d", b" [1,2]".to_vec()),
        ("e.npy", npy("<i8", "(2,)", &numbers)),
        ("f", npy("<i8", "(2,)", &numbers)),
    ] {
        sandbox.write(name, content);
        sandbox.ok(&["encrypt", "-k", "keys/public.key", name, "-o", "x.phoca"]);
        assert_eq!(sandbox.decrypt("keys/secret.key", "x.phoca"), json!([1, 2]), "{name}");
    }
    sandbox.run(&["encrypt", "-k", "keys/public.key", "a.csv", "--format", "json", "-o", "y.phoca"]).expect_code(3);
    sandbox.run(&["encrypt", "-k", "keys/public.key", "c.json", "--col", "1", "-o", "y.phoca"]).expect_code(2);
}

#[test]
fn values_that_cannot_be_encrypted_are_named() {
    let sandbox = Sandbox::with_keys(TINY_BFV, "bfv");
    sandbox.keys(TINY_CKKS, "ckks");
    let cases: [(&str, &str, &str, i32, &str); 9] = [
        ("bfv", "x.csv", "a\n1\n2.5\n", 3, "value 2 is 2.5"),
        ("bfv", "x.csv", "1\n7000\n", 1, "7000"),
        ("bfv", "x.csv", "a,b\n1,2\n3\n", 3, "line"),
        ("bfv", "x.json", "[1, \"2\"]", 3, "value 2"),
        ("bfv", "x.json", "[]", 3, "no values"),
        ("bfv", "x.csv", "", 3, "no values"),
        ("ckks", "x.csv", "1\nNaN\n", 3, "not a finite number"),
        ("ckks", "x.csv", "1\ninf\n", 3, "not a finite number"),
        ("ckks", "x.json", "[1e400]", 3, "JSON"),
    ];
    for (keys, name, content, code, message) in cases {
        sandbox.write(name, content);
        let key = format!("{keys}/public.key");
        sandbox.run(&["encrypt", "-k", &key, name, "-o", "y.phoca"]).expect_code(code).expect_message(&[message]);
        assert!(!sandbox.path("y.phoca").exists(), "{content:?}");
    }
    sandbox.run(&["encrypt", "-k", "ckks/public.key", "--values", "1,nan", "-o", "y.phoca"]).expect_code(2);
    sandbox.run(&["encrypt", "-k", "ckks/public.key", "--values", "1,x", "-o", "y.phoca"]).expect_code(2);
    // 2^60 times the scale is far above the modulus.
    sandbox.run(&["encrypt", "-k", "ckks/public.key", "--values", "1e60", "-o", "y.phoca"]).expect_code(5);
}
