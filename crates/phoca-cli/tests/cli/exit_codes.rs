//! Every exit code that the manual lists, and what the messages name.

use std::process::Stdio;

use crate::support::{Sandbox, TINY_BFV, TINY_BGV, TINY_CKKS};

/// A sandbox with keys of BFV in `keys` and a ciphertext `x.phoca`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_keys(TINY_BFV, "keys");
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values", "1,2,3", "-o", "x.phoca"]);
    sandbox
}

#[test]
fn code_1_keys_are_never_overwritten() {
    let sandbox = sandbox();
    let before = ["secret.key", "public.key", "eval.key"].map(|name| sandbox.read(&format!("keys/{name}")));
    sandbox.run(&[TINY_BFV, &["-o", "keys"]].concat()).expect_code(1).expect_message(&[
        "keys/secret.key",
        "not overwritten",
        "try:",
    ]);
    for target in ["keys/secret.key", "keys/public.key", "keys/eval.key"] {
        sandbox.run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", target]).expect_code(1);
        sandbox.run(&["decrypt", "-k", "keys/secret.key", "x.phoca", "-o", target]).expect_code(1);
    }
    // Also where only the last of the three is in the way.
    std::fs::create_dir(sandbox.path("partial")).unwrap();
    sandbox.write("partial/eval.key", "something else");
    sandbox.run(&[TINY_BFV, &["-o", "partial"]].concat()).expect_code(1).expect_message(&["partial/eval.key"]);
    assert_eq!(sandbox.names("partial"), ["eval.key"]);
    let after = ["secret.key", "public.key", "eval.key"].map(|name| sandbox.read(&format!("keys/{name}")));
    assert_eq!(before, after);
    assert_eq!(sandbox.names("keys").len(), 3);
}

#[test]
fn code_1_secret_keys_of_seal_are_not_overwritten_either() {
    let sandbox = sandbox();
    sandbox.ok(&["convert", "keys/secret.key", "-o", "secret.seal"]);
    let before = sandbox.read("secret.seal");
    sandbox.run(&["decrypt", "-k", "keys/secret.key", "x.phoca", "-o", "secret.seal"]).expect_code(1);
    assert_eq!(sandbox.read("secret.seal"), before);
}

#[test]
fn code_1_files_that_may_be_keys_are_not_overwritten() {
    let sandbox = sandbox();
    // A key of a later version, a damaged one, and one behind SEAL's parameters.
    let key = sandbox.read("keys/secret.key");
    for (name, position) in [("later.key", 8), ("damaged.key", 40)] {
        let mut changed = key.clone();
        changed[position] ^= 2;
        sandbox.write(name, changed);
    }
    sandbox.ok(&["convert", "keys/secret.key", "-o", "seal/"]);
    sandbox.write("both.seal", [sandbox.read("seal/parms.seal"), sandbox.read("seal/secret_key.seal")].concat());
    for name in ["later.key", "damaged.key", "both.seal"] {
        let before = sandbox.read(name);
        sandbox.run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", name]).expect_code(1);
        assert_eq!(sandbox.read(name), before, "{name}");
    }
}

#[test]
fn command_lines_are_refused_in_json_too() {
    let sandbox = Sandbox::new();
    for arguments in [&["--json"][..], &["encrypt", "--json"], &["--json", "keygen", "rsa", "-o", "k"]] {
        let run = sandbox.run(arguments).expect_code(2);
        let error: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
        assert_eq!((error["schema"].as_str(), error["code"].as_u64()), (Some("phoca.error/1"), Some(2)));
        assert!(run.stdout.is_empty());
    }
    // After `--` it is a file's name.
    assert!(sandbox.run(&["encrypt", "--", "--json"]).expect_code(2).stderr.starts_with("error: "));
}

#[test]
fn code_2_wrong_command_lines() {
    let sandbox = sandbox();
    sandbox.ok(&["convert", "x.phoca", "-o", "x.seal"]);
    let cases: [&[&str]; 16] = [
        &[],
        &["nonsense"],
        &["keygen", "bfv"],
        &["keygen", "rsa", "-o", "k"],
        &["keygen", "ckks", "--plain-bits", "20", "-o", "k"],
        &["keygen", "bfv", "--precision", "20", "-o", "k"],
        &["keygen", "bfv", "-n", "4096", "--depth", "1", "-o", "k"],
        &["encrypt", "-k", "keys/public.key"],
        &["encrypt", "-k", "keys/public.key", "a.csv", "--values", "1"],
        &["inspect", "x.phoca", "--quiet", "--verbose"],
        // Options without a meaning there are not ignored.
        &["keygen", "ckks", "--scale-bits", "30", "-o", "k"],
        &["encrypt", "-k", "keys/public.key", "--values", "1", "--scale-bits", "30"],
        &["convert", "x.phoca", "--length", "3", "-o", "y"],
        &["convert", "x.seal", "--parameters", "x.phoca", "--compression", "zstd", "-o", "y"],
        // Values of the command line are no files.
        &["encrypt", "-k", "keys/public.key", "--values", "1.5"],
        &["encrypt", "-k", "keys/public.key", "--values", "nan"],
    ];
    for case in cases {
        let run = sandbox.run(case).expect_code(2);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty());
    }
    sandbox.write("data.csv", "a,b\n1,2\n");
    sandbox
        .run(&["encrypt", "-k", "keys/public.key", "data.csv", "--col", "c", "-o", "y.phoca"])
        .expect_code(2)
        .expect_message(&["\"c\"", "a, b"]);
}

#[test]
fn code_2_unknown_kernels_in_every_command() {
    let sandbox = sandbox();
    let cases: [&[&str]; 13] = [
        &["params", "show", "x.phoca"],
        &["keygen", "bfv", "-n", "4096", "-o", "k"],
        &["encrypt", "-k", "keys/public.key", "--values", "1", "-o", "y.phoca"],
        &["eval", "x", "-k", "keys/eval.key", "x=x.phoca", "-o", "y.phoca"],
        &["decrypt", "-k", "keys/secret.key", "x.phoca"],
        &["demo"],
        &["inspect", "x.phoca"],
        &["convert", "x.phoca", "-o", "y.seal"],
        &["bench", "seal"],
        &["bench", "seal", "--arch", "portable"],
        &["doctor"],
        &["completions", "bash"],
        &["man"],
    ];
    for case in cases {
        let run = sandbox.command(case).env("PHOCA_ARCH", "bogus").output().unwrap();
        let message = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{case:?}: {message}");
        assert!(run.stdout.is_empty() && message.contains("PHOCA_ARCH") && message.contains("bogus"), "{message}");
    }
    assert_eq!(sandbox.names("."), ["keys", "x.phoca"]);
}

#[cfg(unix)]
#[test]
fn code_3_endless_inputs() {
    let sandbox = sandbox();
    let encrypt = ["encrypt", "-k", "keys/public.key", "/dev/zero", "-o", "y.phoca"];
    sandbox.run(&encrypt).expect_code(3).expect_message(&["/dev/zero", "longer than 16777216 bytes", "--format"]);
    sandbox.run(&[&encrypt[..], &["--format", "json"]].concat()).expect_code(3);
    sandbox.run(&[&encrypt[..], &["--format", "npy"]].concat()).expect_code(3);
    sandbox
        .run(&["eval", "--program", "/dev/zero", "-k", "keys/eval.key", "x=x.phoca"])
        .expect_code(3)
        .expect_message(&["/dev/zero", "longer than 1048576 bytes"]);
    let zero =
        ["inspect", "params show", "decrypt -k keys/secret.key", "convert -o y.phoca", "eval x -k keys/eval.key"];
    for command in zero {
        let mut arguments: Vec<&str> = command.split(' ').collect();
        arguments.push(if command.starts_with("eval") { "x=/dev/zero" } else { "/dev/zero" });
        sandbox.run(&arguments).expect_code(3);
    }
    assert_eq!(sandbox.names("."), ["keys", "x.phoca"]);
}

#[test]
fn code_74_missing_directories_are_named() {
    let sandbox = sandbox();
    let run = sandbox.run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", "nk/y.phoca"]).expect_code(74);
    assert!(run.stderr.contains("the directory nk does not exist") && !run.stderr.contains(".tmp"), "{}", run.stderr);
}

#[test]
fn code_3_files_of_the_wrong_kind() {
    let sandbox = sandbox();
    sandbox.run(&["decrypt", "-k", "keys/public.key", "x.phoca"]).expect_code(3).expect_message(&[
        "keys/public.key",
        "a public key",
        "a secret key",
        "parameters: ",
    ]);
    sandbox.run(&["decrypt", "-k", "keys/secret.key", "keys/public.key"]).expect_code(3);
    sandbox.run(&["encrypt", "-k", "keys/eval.key", "--values", "1", "-o", "y.phoca"]).expect_code(3);
    sandbox.ok(&["convert", "x.phoca", "-o", "x.seal"]);
    sandbox
        .run(&["decrypt", "-k", "keys/secret.key", "x.seal"])
        .expect_code(3)
        .expect_message(&["Microsoft SEAL", "phoca convert"]);
    sandbox.write("other", "text");
    sandbox.run(&["decrypt", "-k", "keys/secret.key", "other"]).expect_code(3).expect_message(&["phoca inspect"]);
}

#[test]
fn code_4_keys_and_data_of_different_origin() {
    let sandbox = sandbox();
    sandbox.keys(TINY_BGV, "bgv");
    sandbox.keys(TINY_BFV, "same");
    let fingerprint = |file: &str| {
        let report = sandbox.json(&["inspect", file]);
        report["manifest"]["fingerprint"].as_str().unwrap().to_owned()
    };
    // Other parameters: both fingerprints are named.
    sandbox.run(&["decrypt", "-k", "bgv/secret.key", "x.phoca"]).expect_code(4).expect_message(&[
        "x.phoca",
        &fingerprint("x.phoca"),
        &fingerprint("bgv/secret.key"),
        "phoca inspect",
    ]);
    // The same parameters, but other keys.
    sandbox
        .run(&["decrypt", "-k", "same/secret.key", "x.phoca"])
        .expect_code(4)
        .expect_message(&["x.phoca", "key pair"]);
    sandbox.ok(&["decrypt", "-k", "keys/secret.key", "x.phoca"]);
}

#[test]
fn code_5_an_exhausted_noise_budget() {
    // The plain modulus leaves one bit, and the noise of a fresh ciphertext takes several in some of 64 coefficients.
    for scheme in ["bfv", "bgv"] {
        let keys = ["keygen", scheme, "-n", "64", "--moduli-bits", "21,22", "--plain-bits", "20", "--insecure"];
        let sandbox = Sandbox::with_keys(&keys, "keys");
        sandbox.ok(&["encrypt", "-k", "keys/public.key", "--values", "1,2,3", "-o", "x.phoca"]);
        let run = sandbox.run(&["decrypt", "-k", "keys/secret.key", "x.phoca", "-o", "out.csv"]);
        run.expect_code(5).expect_message(&["x.phoca", "noise budget", "--depth"]);
        assert_eq!(sandbox.names("."), ["keys", "x.phoca"]);
    }
}

#[test]
fn code_6_insecure_parameters() {
    let sandbox = Sandbox::new();
    let insecure = ["bfv", "-n", "1024", "--moduli-bits", "27,28"];
    for command in [&["keygen"][..], &["params", "check"]] {
        let output: &[&str] = if command.len() == 1 { &["-o", "keys"] } else { &[] };
        sandbox.run(&[command, &insecure, output].concat()).expect_code(6).expect_message(&[
            "55 bits",
            "1024",
            "HomomorphicEncryption.org 2018",
            "27 bits",
            "--insecure",
        ]);
        sandbox
            .run(&[command, &insecure, output, &["--insecure"]].concat())
            .expect_code(0)
            .expect_message(&["warning"]);
    }
    let keys = sandbox.json(&["inspect", "keys/public.key"]);
    assert_eq!(keys["manifest"]["security"], "insecure");
}

#[test]
fn code_74_reading_and_writing() {
    let sandbox = sandbox();
    sandbox.run(&["decrypt", "-k", "keys/secret.key", "missing"]).expect_code(74).expect_message(&["missing"]);
    sandbox.run(&["encrypt", "-k", "missing", "--values", "1", "-o", "y.phoca"]).expect_code(74);
    sandbox.run(&["encrypt", "-k", "keys/public.key", "missing.csv", "-o", "y.phoca"]).expect_code(74);
    sandbox
        .run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", "no/such/directory"])
        .expect_code(74)
        .expect_message(&["no/such/directory"]);
    // A file stands where a directory is needed.
    sandbox.run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", "x.phoca/y"]).expect_code(74);
    sandbox.run(&[TINY_BFV, &["-o", "x.phoca/keys"]].concat()).expect_code(74);
    assert_eq!(sandbox.names("."), ["keys", "x.phoca"]);
}

#[cfg(target_os = "linux")]
#[test]
fn code_74_a_full_disk() {
    let sandbox = sandbox();
    sandbox
        .run(&["encrypt", "-k", "keys/public.key", "--values", "1", "-o", "/dev/full"])
        .expect_code(74)
        .expect_message(&["/dev/full"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = sandbox
        .command(&["decrypt", "-k", "keys/secret.key", "x.phoca"])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(74));
}

#[cfg(unix)]
#[test]
fn code_130_interruption_leaves_nothing_behind() {
    for (signal, code) in [("-INT", Some(130)), ("-TERM", Some(130)), ("-KILL", None)] {
        let sandbox = Sandbox::new();
        std::fs::create_dir(sandbox.path("keys")).unwrap();
        let mut child = sandbox
            .command(&["keygen", "ckks", "-n", "32768", "--rotations", "all", "-o", "keys"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The temporary files are there from the start, and the keys take seconds.
        while sandbox.names("keys").len() + unnamed_files(&sandbox, child.id()) < 3 {
            assert_eq!(child.try_wait().unwrap(), None);
            std::thread::yield_now();
        }
        let named = sandbox.names("keys").len();
        let killed = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), code);
        // Nobody removes files that have names after SIGKILL.
        if code.is_some() || named == 0 {
            assert_eq!(sandbox.names("keys"), [""; 0], "{signal}");
        }
    }
}

/// How many files in `keys` a process has open that have no name: on Linux, where its file systems have such.
#[cfg(unix)]
fn unnamed_files(sandbox: &Sandbox, process: u32) -> usize {
    let directory = sandbox.path("keys").canonicalize().unwrap();
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten();
    let targets = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    targets.filter(|target| target.starts_with(&directory)).count()
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let sandbox = Sandbox::with_keys(TINY_CKKS, "keys");
    let numbers: String = (0..20_000).map(|number| format!("{number}\n")).collect();
    sandbox.write("x.csv", numbers);
    sandbox.ok(&["encrypt", "-k", "keys/public.key", "x.csv", "-o", "x.phoca"]);
    for arguments in [&["decrypt", "-k", "keys/secret.key", "x.phoca"][..], &["man"], &["completions", "bash"]] {
        let mut child = sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn errors_are_json_too() {
    let sandbox = sandbox();
    sandbox.keys(TINY_BGV, "bgv");
    let run = sandbox.run(&["decrypt", "-k", "bgv/secret.key", "x.phoca", "--json"]).expect_code(4);
    let error: serde_json::Value = serde_json::from_str(&run.stderr).unwrap();
    assert_eq!(error["schema"], "phoca.error/1");
    assert_eq!(error["code"], 4);
    assert_eq!(error["file"], "x.phoca");
    assert!(error["hint"].as_str().unwrap().contains("phoca inspect"));
    assert!(run.stdout.is_empty());
}

#[test]
fn quiet_runs_say_nothing() {
    let sandbox = sandbox();
    let run = sandbox.run(&["encrypt", "-q", "-k", "keys/public.key", "--values", "1", "-o", "y.phoca"]);
    let run = run.expect_code(0);
    assert!(run.stdout.is_empty() && run.stderr.is_empty());
    let run = sandbox.run(&["decrypt", "-v", "-k", "keys/secret.key", "y.phoca"]).expect_code(0);
    assert!(run.stderr.contains("noise budget"), "{}", run.stderr);
}
