//! `phoca eval` through the real program.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "shared with the other tests of the program")]
#[path = "cli/support.rs"]
mod support;

use serde_json::{Value, json};
use support::{Run, Sandbox, TINY_BFV, TINY_BGV};

const CKKS: &[&str] =
    &["keygen", "ckks", "-n", "64", "--moduli-bits", "60,40,40,40,60", "--insecure", "--rotations", "all"];

/// Keys in `k`, and `x` and `y` encrypted.
fn sandbox(keys: &[&str], x: &str, y: &str) -> Sandbox {
    let sandbox = Sandbox::with_keys(keys, "k");
    for (name, values) in [("x.phoca", x), ("y.phoca", y)] {
        let values = format!("--values={values}");
        sandbox.ok(&["encrypt", "-q", "-k", "k/public.key", &values, "-o", name]);
    }
    sandbox
}

fn eval(sandbox: &Sandbox, expression: &str) -> Run {
    sandbox.run(&["eval", "-k", "k/eval.key", expression, "x=x.phoca", "y=y.phoca", "-o", "r.phoca"])
}

/// Evaluates and decrypts.
#[track_caller]
fn value(sandbox: &Sandbox, expression: &str) -> Value {
    eval(sandbox, expression).expect_code(0);
    sandbox.decrypt("k/secret.key", "r.phoca")
}

#[track_caller]
fn assert_close(got: &Value, wanted: &[f64]) {
    let got: Vec<f64> = match got {
        Value::Array(values) => values.iter().map(|value| value.as_f64().unwrap()).collect(),
        single => vec![single.as_f64().unwrap()],
    };
    assert_eq!(got.len(), wanted.len());
    for (got, wanted) in got.iter().zip(wanted) {
        assert!((got - wanted).abs() < 1e-5, "{got} is not {wanted}");
    }
}

#[test]
fn real_numbers() {
    let sandbox = sandbox(CKKS, "1,2,3,-4.5", "0.5,-1,2,3");
    assert_close(&value(&sandbox, "sum(x * x) + 1"), &[35.25]);
    assert_close(&value(&sandbox, "-x * y + [1, 2, 3, 4]"), &[0.5, 4.0, -3.0, 17.5]);
    assert_close(&value(&sandbox, "rotate(x, 1)"), &[2.0, 3.0, -4.5, 1.0]);
    assert_close(
        &value(&sandbox, "let d = x - mean(x); d^2 * 0.5"),
        &[0.195_312_5, 1.320_312_5, 3.445_312_5, 11.882_812_5],
    );
    assert_close(&value(&sandbox, "dot(x, [1, 0, 0, 2]) - var(y)"), &[-8.0 - 2.296_875]);
}

#[test]
fn results_are_inputs_again() {
    let sandbox = sandbox(CKKS, "1,2,3,-4.5", "0.5,-1,2,3");
    eval(&sandbox, "x + sum(y)").expect_code(0);
    // The padding of a result is zero, and a single number goes with every element.
    sandbox.ok(&["eval", "-q", "-k", "k/eval.key", "sum(r)", "r=r.phoca", "-o", "s.phoca"]);
    assert_close(&sandbox.decrypt("k/secret.key", "s.phoca"), &[19.5]);
    sandbox.ok(&["eval", "-q", "-k", "k/eval.key", "s - x", "s=s.phoca", "x=x.phoca", "-o", "t.phoca"]);
    assert_close(&sandbox.decrypt("k/secret.key", "t.phoca"), &[18.5, 17.5, 16.5, 24.0]);
}

#[test]
fn long_vectors_span_ciphertexts() {
    let values: Vec<String> = (0..75).map(|i| (f64::from(i) / 10.0).to_string()).collect();
    let sandbox = sandbox(CKKS, &values.join(","), &values.join(","));
    let sum = (0..75).map(|i| f64::from(i) / 10.0).sum::<f64>();
    assert_close(&value(&sandbox, "mean(x) + 1"), &[sum / 75.0 + 1.0]);
    let turned: Vec<f64> = (0..75).map(|i| f64::from((i + 40) % 75) / 10.0 - f64::from(i) / 10.0).collect();
    assert_close(&value(&sandbox, "rotate(x, 40) - y"), &turned);
}

#[test]
fn integers() {
    for keys in [TINY_BFV, TINY_BGV] {
        let sandbox = sandbox(&[keys, &["--rotations", "all"]].concat(), "1,2,3,-4", "5,-1,2,3");
        assert_eq!(value(&sandbox, "x * y - 3"), json!([2, -5, 3, -15]));
        assert_eq!(value(&sandbox, "sum(x * 2 + 1)"), json!(8));
        assert_eq!(value(&sandbox, "rotate(x, -1) * 3"), json!([-12, 3, 6, 9]));
        let exhausted = eval(&sandbox, "(x * y)^64").expect_code(5);
        assert!(exhausted.stderr.contains("the noise of the result may reach"), "{}", exhausted.stderr);
        eval(&sandbox, "x * 0.5").expect_code(2);
        eval(&sandbox, "mean(x)").expect_code(2);
    }
}

#[test]
fn columns_of_a_table_have_names() {
    let sandbox = Sandbox::with_keys(CKKS, "k");
    sandbox.write("t.csv", "age,net income\n30,1.5\n40,2.5\n50,4\n");
    sandbox.ok(&["encrypt", "-q", "-k", "k/public.key", "t.csv", "-o", "t.phoca"]);
    sandbox.ok(&["eval", "-q", "-k", "k/eval.key", "dot(t.age, t.net_income) * 0.01", "t=t.phoca", "-o", "r.phoca"]);
    assert_close(&sandbox.decrypt("k/secret.key", "r.phoca"), &[3.45]);
}

#[test]
fn a_column_in_a_file_name_is_explained() {
    let sandbox = sandbox(CKKS, "1,2", "3,4");
    let run = |file: &str| sandbox.run(&["eval", "-k", "k/eval.key", "x", file, "-o", "r.phoca"]).expect_code(74);
    let column = run("x=x.phoca.income");
    assert!(column.stderr.contains("for a column write t=x.phoca and t.income"), "{}", column.stderr);
    let missing = run("x=w.phoca.income");
    assert!(!missing.stderr.contains("column"), "{}", missing.stderr);
}

#[test]
fn inputs_without_use_are_named() {
    let sandbox = sandbox(CKKS, "1,2", "3,4");
    let unused = eval(&sandbox, "x + 1").expect_code(0);
    assert!(
        unused.stderr.contains("does not depend on the input `y`") && !unused.stderr.contains("`x`"),
        "{}",
        unused.stderr
    );
    assert!(unused.stderr.contains("0 products, 0 rotations"), "{}", unused.stderr);
    let used = eval(&sandbox, "x * y").expect_code(0);
    assert!(!used.stderr.contains("depend"), "{}", used.stderr);
    assert!(used.stderr.contains("1 of 3 levels used, 1 product, 0 rotations"), "{}", used.stderr);
    // A table is used where one of its columns is.
    sandbox.write("t.csv", "a,b\n1,2\n3,4\n");
    sandbox.ok(&["encrypt", "-q", "-k", "k/public.key", "t.csv", "-o", "t.phoca"]);
    let table = sandbox.run(&["eval", "-k", "k/eval.key", "t.b", "t=t.phoca", "-o", "r.phoca"]).expect_code(0);
    assert!(!table.stderr.contains("warning"), "{}", table.stderr);
}

#[test]
fn explain_shows_the_plan_and_computes_nothing() {
    let sandbox = sandbox(CKKS, "1,2", "3,4");
    let inputs = ["x=x.phoca", "y=y.phoca", "--explain"];
    let text = sandbox.text(&[&["eval", "-k", "k/eval.key", "x*y + x*x"], &inputs[..]].concat());
    assert!(text.contains("2 products") && text.contains("1 relinearization,"), "{text}");
    let plan = sandbox.json(&[&["eval", "-k", "k/eval.key", "x*y + x*x"], &inputs[..]].concat());
    assert_eq!((&plan["levels_used"], &plan["levels_available"]), (&json!(1), &json!(3)));
}

#[test]
fn what_is_missing_is_said_before_the_work() {
    let sandbox = sandbox(CKKS, "1,2", "3,4");
    let levels = eval(&sandbox, "x^32").expect_code(5);
    assert!(levels.stderr.contains("needs 5 levels, but the encrypted inputs have 3 levels"), "{}", levels.stderr);
    let name = eval(&sandbox, "x + w").expect_code(2);
    assert!(name.stderr.contains("at byte 4: nothing is called `w`"), "{}", name.stderr);
    eval(&sandbox, "x +").expect_code(2);
    eval(&sandbox, "x - x").expect_code(2);
    assert!(!sandbox.path("r.phoca").exists());

    sandbox.keys(&[&CKKS[..CKKS.len() - 1], &["none"]].concat(), "few");
    sandbox.ok(&["encrypt", "-q", "-k", "few/public.key", "--values", "1,2", "-o", "z.phoca"]);
    let keys = sandbox.run(&["eval", "-k", "few/eval.key", "sum(z)", "z=z.phoca", "-o", "r.phoca"]).expect_code(4);
    assert!(keys.stderr.contains("rotations by 1,2,4,8,16"), "{}", keys.stderr);
    assert!(keys.stderr.contains("(keygen --rotations 1,2,4,8,16, or in SEAL)"), "{}", keys.stderr);
    // Of another key pair.
    sandbox.run(&["eval", "-k", "few/eval.key", "x", "x=x.phoca", "-o", "r.phoca"]).expect_code(4);
    sandbox.run(&["eval", "-k", "k/eval.key", "x", "x.phoca"]).expect_code(2);
}
