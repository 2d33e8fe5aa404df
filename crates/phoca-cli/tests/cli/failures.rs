//! Damaged and hostile files: an error that names the cause, no panic, and nothing half-written.

use serde_json::{Value, json};

use crate::support::{Sandbox, TINY_BFV, TINY_CKKS};

/// The prefix before the manifest: magic, version, reserved, length.
const PREFIX: usize = 16;

fn split(container: &[u8]) -> (Value, Vec<u8>) {
    let len = u32::from_le_bytes(container[12..16].try_into().unwrap()) as usize;
    let (manifest, objects) = container[PREFIX..].split_at(len);
    (serde_json::from_slice(manifest).unwrap(), objects.to_vec())
}

fn join(manifest: &Value, objects: &[u8]) -> Vec<u8> {
    let manifest = manifest.to_string();
    let mut bytes = b"\x89PHOCA\r\n\x01\0\0\0".to_vec();
    bytes.extend((manifest.len() as u32).to_le_bytes());
    bytes.extend(manifest.as_bytes());
    bytes.extend(objects);
    bytes
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    let numbers: Vec<i64> = (0..200).collect();
    sandbox.write("x.json", json!(numbers).to_string());
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "x.json", "-o", "x.phoca"]);
    sandbox
}

#[test]
fn a_file_that_was_cut_off_anywhere_is_refused() {
    let sandbox = sandbox();
    let whole = sandbox.read("x.phoca");
    let step = (whole.len() / 60).max(1);
    for len in (0..PREFIX + 8).chain((PREFIX + 8..whole.len()).step_by(step)).chain([whole.len() - 1]) {
        sandbox.write("cut.phoca", &whole[..len]);
        sandbox.run(&["decrypt", "-k", "keys/secret.key", "cut.phoca", "-o", "out.csv"]).expect_code(3);
        sandbox.run(&["inspect", "cut.phoca"]).expect_code(3);
    }
    sandbox.write("cut.phoca", [&whole[..], b"x"].concat());
    sandbox
        .run(&["decrypt", "-k", "keys/secret.key", "cut.phoca", "-o", "out.csv"])
        .expect_code(3)
        .expect_message(&["after its last object"]);
    let names = sandbox.names(".");
    assert_eq!(names, ["cut.phoca", "keys", "x.json", "x.phoca"], "no output and no temporary file");
}

#[test]
fn flipped_bits_never_pass_for_something_else() {
    let sandbox = sandbox();
    let whole = sandbox.read("x.phoca");
    // Up to the words of the first ciphertext, whose noise hides small changes.
    let head = PREFIX + split(&whole).0.to_string().len() + 113;
    for position in (0..head).step_by(3) {
        let mut damaged = whole.clone();
        damaged[position] ^= 1 << (position % 8);
        sandbox.write("bad.phoca", &damaged);
        let run = sandbox.run(&["decrypt", "-k", "keys/secret.key", "bad.phoca", "-f", "json"]);
        // Remarks and the shape may change without harm; anything else is found.
        assert!([0, 3, 4, 5].contains(&run.code), "byte {position}: code {} {}", run.code, run.stderr);
        if run.code == 0 {
            assert!(run.stdout.starts_with(b"[0,1,2,3"), "byte {position}");
        }
    }
}

#[test]
fn hostile_manifests_are_refused() {
    let sandbox = sandbox();
    let (manifest, objects) = split(&sandbox.read("x.phoca"));
    let primes: Vec<String> = (0..300).map(|index| (1_000_003 + index).to_string()).collect();
    let cases: [(&str, Value, &str); 25] = [
        ("/kind", json!("secret-key"), "4 objects"),
        ("/kind", json!("nonsense"), "nonsense"),
        ("/objects", json!(0), "0 objects"),
        ("/objects", json!(3), "3 ciphertexts"),
        ("/objects", json!(u64::MAX), "objects"),
        ("/objects", json!(-1), "manifest"),
        ("/fingerprint", json!("0000000000000000"), "fingerprint"),
        ("/fingerprint", json!("\u{1b}[31m"), "\\u{1b}[31m"),
        ("/key", json!("0123456789ABCDEF"), "16 hexadecimal digits"),
        ("/security", json!({"checked": {"table": "standard-2018", "level": 7}}), "level 7"),
        ("/parameters/degree", json!(128), "fingerprint"),
        ("/parameters/degree", json!(1_u64 << 40), "degree"),
        ("/parameters/scheme", json!("rsa"), "rsa"),
        ("/parameters/coeff_modulus", json!([]), "0 primes"),
        ("/parameters/coeff_modulus", json!(primes), "300 primes"),
        ("/parameters/plain_modulus", json!("012289"), "012289"),
        ("/parameters/plain_modulus", json!("99999999999999999999"), "99999999999999999999"),
        ("/array/shape", json!([u64::MAX, u64::MAX]), "shape"),
        ("/array/shape", json!([0]), "shape"),
        ("/array/shape", json!([1000]), "1000 values"),
        ("/array/shape", json!(vec![1; 40]), "40 dimensions"),
        ("/array/vectors", json!(7), "7 vectors"),
        ("/array/columns", json!(["a", "b"]), "2 column names"),
        ("/array/encoding", json!("ckks"), "ckks encoding"),
        ("/array/dtype", json!("float64"), "float64"),
    ];
    for (pointer, value, message) in cases {
        let mut changed = manifest.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[name] = value.clone();
        sandbox.write("bad.phoca", join(&changed, &objects));
        for command in [&["inspect", "bad.phoca"][..], &["decrypt", "-k", "keys/secret.key", "bad.phoca"]] {
            sandbox.run(command).expect_code(3).expect_message(&["bad.phoca", message]);
        }
    }
    // Scales that are none.
    let mut changed = manifest.clone();
    changed["scale"] = json!(-1.0);
    sandbox.write("bad.phoca", join(&changed, &objects));
    sandbox.run(&["inspect", "bad.phoca"]).expect_code(3).expect_message(&["scale"]);
}

#[test]
fn unknown_members_are_allowed_in_remarks_only() {
    let sandbox = sandbox();
    let (manifest, objects) = split(&sandbox.read("x.phoca"));
    for place in ["", "/parameters", "/array"] {
        let mut changed = manifest.clone();
        changed.pointer_mut(place).unwrap()["surprise"] = json!(1);
        sandbox.write("bad.phoca", join(&changed, &objects));
        sandbox.run(&["inspect", "bad.phoca"]).expect_code(3).expect_message(&["surprise"]);
    }
    let mut changed = manifest;
    changed["info"]["surprise"] = json!({"anything": [1, 2]});
    sandbox.write("good.phoca", join(&changed, &objects));
    sandbox.ok(&["decrypt", "-k", "keys/secret.key", "good.phoca"]);
}

#[test]
fn the_header_is_checked_field_by_field() {
    let sandbox = sandbox();
    let whole = sandbox.read("x.phoca");
    let with = |position: usize, bytes: &[u8]| {
        let mut changed = whole.clone();
        changed[position..position + bytes.len()].copy_from_slice(bytes);
        sandbox.write("bad.phoca", changed);
        sandbox.run(&["inspect", "bad.phoca"]).expect_code(3)
    };
    with(8, &[2, 0]).expect_message(&["version 2", "version 1"]);
    with(10, &[1]).expect_message(&["reserved"]);
    with(12, &[0xff; 4]).expect_message(&["4294967295 bytes of manifest", "1048576"]);
    with(12, &1_048_576_u32.to_le_bytes()).expect_message(&["manifest"]);
    with(6, b"\n\n").expect_message(&["text mode"]);
}

#[test]
fn keys_that_are_too_short_for_their_parameters_cost_nothing() {
    let sandbox = Sandbox::with_keys(&["keygen", "bfv", "-n", "4096"], "keys");
    let key = sandbox.read("keys/secret.key");
    sandbox.write("short.key", &key[..4096]);
    sandbox
        .run(&["encrypt", "-k", "short.key", "--values", "1", "-o", "y.phoca"])
        .expect_code(3)
        .expect_message(&["short.key", "cut off"]);
    // The manifest's parameters must be secure if it says that they were checked.
    let (mut manifest, objects) = split(&key);
    manifest["security"] = json!({"checked": {"table": "standard-2018", "level": 256}});
    sandbox.write("weak.key", join(&manifest, &objects));
    sandbox.run(&["encrypt", "-k", "weak.key", "--values", "1", "-o", "y.phoca"]).expect_code(6);
    assert_eq!(sandbox.names("."), ["keys", "short.key", "weak.key"]);
}

#[test]
fn an_output_is_whole_or_not_there() {
    let sandbox = sandbox();
    sandbox.write("out.csv", "precious");
    // The third ciphertext is damaged: two decrypt before it is found.
    let mut damaged = sandbox.read("x.phoca");
    let position = damaged.len() - 3000;
    damaged[position..position + 64].fill(0xff);
    sandbox.write("bad.phoca", damaged);
    sandbox.run(&["decrypt", "-k", "keys/secret.key", "bad.phoca", "-o", "out.csv"]).expect_code(3);
    assert_eq!(sandbox.read("out.csv"), b"precious");
    sandbox.run(&["convert", "bad.phoca", "-o", "seal/"]).expect_code(3);
    assert_eq!(sandbox.names("seal"), [""; 0]);
    sandbox.run(&["convert", "bad.phoca", "-o", "x.seal"]).expect_code(3);
    // A value in the last ciphertext does not fit.
    let mut numbers = vec![1_i64; 200];
    numbers[199] = 1 << 40;
    sandbox.write("y.json", json!(numbers).to_string());
    sandbox
        .run(&["encrypt", "-k", "keys/public.key", "y.json", "-o", "y.phoca"])
        .expect_code(1)
        .expect_message(&["1099511627776", "index 199"]);
    assert_eq!(sandbox.names("."), ["bad.phoca", "keys", "out.csv", "seal", "x.json", "x.phoca", "y.json"]);
}

#[test]
fn an_interrupted_input_leaves_nothing() {
    let sandbox = Sandbox::with_keys(TINY_CKKS, "keys");
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values", "1,2", "-o", "x.phoca"]);
    let half = sandbox.read("x.phoca").len() / 2;
    let input = sandbox.read("x.phoca")[..half].to_vec();
    sandbox.run_with_input(&["decrypt", "-k", "keys/secret.key", "-", "-o", "out.csv"], &input).expect_code(3);
    sandbox.run_with_input(&["convert", "-", "-o", "out.seal"], &input).expect_code(3);
    sandbox.run_with_input(&["encrypt", "-k", "keys/public.key", "-", "-o", "y.phoca"], b"[1, 2").expect_code(3);
    assert_eq!(sandbox.names("."), ["keys", "x.phoca"]);
}

#[test]
fn claims_of_security_are_checked_in_every_file() {
    let sandbox = sandbox();
    for file in ["x.phoca", "keys/public.key"] {
        let (mut manifest, objects) = split(&sandbox.read(file));
        manifest["security"] = json!({"checked": {"table": "guidelines-2024", "level": 128}});
        sandbox.write("bad.phoca", join(&manifest, &objects));
        sandbox.run(&["inspect", "bad.phoca"]).expect_code(6).expect_message(&["2024/463", "degree 64"]);
    }
    // Whoever encrypts under an insecure key is told.
    sandbox
        .run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", "y.phoca"])
        .expect_code(0)
        .expect_message(&["insecure"]);
}

#[test]
fn objects_are_what_the_manifest_says() {
    let sandbox = sandbox();
    let (mut manifest, objects) = split(&sandbox.read("x.phoca"));
    manifest.as_object_mut().unwrap().remove("array");
    manifest["kind"] = json!("secret-key");
    manifest["objects"] = json!(1);
    sandbox.write("bad.key", join(&manifest, &objects[..objects.len() / 4]));
    sandbox.run(&["inspect", "bad.key"]).expect_code(3).expect_message(&["a secret key", "object 1"]);
    let (mut manifest, objects) = split(&sandbox.read("keys/eval.key"));
    manifest["contents"] = json!(["galois-keys", "relin-keys"]);
    sandbox.write("bad.key", join(&manifest, &objects));
    sandbox.run(&["inspect", "bad.key"]).expect_code(3).expect_message(&["an evaluation key", "object 1"]);
}

#[test]
fn files_cannot_drive_the_terminal() {
    let sandbox = sandbox();
    let (mut manifest, objects) = split(&sandbox.read("x.phoca"));
    manifest["array"]["columns"] = json!(["\u{1b}[2Jcleared\nsecurity    256 bits"]);
    sandbox.write("x.phoca", join(&manifest, &objects));
    let text = sandbox.text(&["inspect", "x.phoca", "--color", "always"]);
    assert!(!text.contains('\u{1b}') && text.contains("cleared\\nsecurity"), "{text}");
    manifest["\u{1b}[2J"] = json!(1);
    sandbox.write("x.phoca", join(&manifest, &objects));
    let run = sandbox.run(&["inspect", "x.phoca"]).expect_code(3);
    assert!(run.stderr.contains("\\u{1b}[2J"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn links_and_names_of_standard_output_stay() {
    use std::os::unix::fs::symlink;

    let sandbox = sandbox();
    let encrypt = |output: &str| sandbox.run(&["encrypt", "-k", "keys/public.key", "--values", "5", "-o", output]);
    std::fs::create_dir(sandbox.path("links")).unwrap();
    for (target, link) in [("../x.phoca", "links/there"), ("../new.phoca", "links/not-yet"), ("loop", "links/loop")] {
        symlink(target, sandbox.path(link)).unwrap();
    }
    encrypt("links/there").expect_code(0);
    encrypt("links/not-yet").expect_code(0);
    encrypt("links/loop").expect_code(74);
    assert_eq!(sandbox.names("links"), ["loop", "not-yet", "there"]);
    for name in ["x.phoca", "new.phoca"] {
        assert_eq!(sandbox.decrypt("keys/secret.key", name), json!([5]));
        assert!(!sandbox.path(name).is_symlink());
    }
    assert!(sandbox.path("links/not-yet").is_symlink());
    // Where standard output is a file, it is written to and not replaced.
    let stdout = std::fs::File::create(sandbox.path("stdout")).unwrap();
    let mut command = sandbox.command(&["encrypt", "-k", "keys/public.key", "--values", "5", "-o", "/dev/fd/1"]);
    assert!(command.stdout(stdout).status().unwrap().success());
    assert_eq!(sandbox.decrypt("keys/secret.key", "stdout"), json!([5]));
}
