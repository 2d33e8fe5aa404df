//! The ratios to reach in hosts of WebAssembly: node-seal's time over Phoca's, one thread.

use crate::report::{Against, Entry};

/// Rows that share targets.
struct Bar {
    name: &'static str,
    schemes: &'static [&'static str],
    /// Beginnings of operations' names.
    ops: &'static [&'static str],
    wanted: Wanted,
}

/// By what the engine can do.
struct Wanted {
    /// 128-bit vectors, without a fused multiply-add, as in Node 20.
    simd: f64,
    /// A fused multiply-add.
    relaxed: f64,
    webkit: Option<f64>,
}

const BARS: &[Bar] = &[
    Bar {
        name: "BFV multiply",
        schemes: &["BFV"],
        ops: &["EvaluateMulCt"],
        wanted: Wanted { simd: 3.0, relaxed: 4.0, webkit: Some(1.8) },
    },
    Bar {
        name: "multiply, relinearize, rotate, rescale, multiply_plain, encrypt, decrypt",
        schemes: &["BFV", "BGV", "CKKS"],
        ops: &[
            "EvaluateMul",
            "EvaluateRelin",
            "EvaluateRotate",
            "EvaluateConjugate",
            "EvaluateRescale",
            "Encrypt",
            "Decrypt",
        ],
        wanted: Wanted { simd: 2.2, relaxed: 3.0, webkit: Some(1.8) },
    },
    Bar {
        name: "CKKS encode, decode",
        schemes: &["CKKS"],
        ops: &["EncodeDouble", "DecodeDouble"],
        wanted: Wanted { simd: 2.2, relaxed: 3.0, webkit: Some(1.8) },
    },
    Bar {
        name: "key generation",
        schemes: &["BFV", "BGV", "CKKS"],
        ops: &["KeyGen/"],
        wanted: Wanted { simd: 2.5, relaxed: 2.5, webkit: None },
    },
    Bar {
        name: "every other row",
        schemes: &["BFV", "BGV", "CKKS"],
        ops: &[""],
        wanted: Wanted { simd: 1.2, relaxed: 1.2, webkit: None },
    },
];

/// Where the bars hold.
const DEGREES: [usize; 2] = [4096, 8192];

/// Two threads against one.
const TWO_THREADS: f64 = 1.5;
const TWO_THREADS_DEGREE: usize = 16384;
const TWO_THREADS_OPS: [&str; 2] = ["EvaluateRelin", "EvaluateRotate"];

pub(super) fn bar(entry: &Entry) -> Option<(&'static str, Against, f64)> {
    if entry.threads > 1 {
        let concerned = TWO_THREADS_OPS.iter().any(|op| entry.op.starts_with(op)) && entry.n == TWO_THREADS_DEGREE;
        return concerned.then_some(("relinearize, rotate with two threads", Against::OneThread, TWO_THREADS));
    }
    let bar = BARS.iter().filter(|_| DEGREES.contains(&entry.n)).find(|bar| {
        bar.schemes.contains(&entry.scheme.as_str()) && bar.ops.iter().any(|op| entry.op.starts_with(op))
    })?;
    let at_least = match entry.arch.as_str() {
        _ if entry.host.starts_with("webkit") => bar.wanted.webkit?,
        "relaxed" => bar.wanted.relaxed,
        _ => bar.wanted.simd,
    };
    Some((bar.name, Against::Peer, at_least))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn entry(scheme: &str, op: &str, n: usize, host: &str, arch: &str) -> Entry {
        Entry {
            suite: "seal-hosts",
            scheme: scheme.into(),
            op: op.into(),
            n,
            host: host.into(),
            arch: arch.into(),
            threads: 1,
            ..Entry::default()
        }
    }

    #[test]
    fn targets_depend_on_the_engine() {
        let at_least = |scheme, op, host, arch| bar(&entry(scheme, op, 8192, host, arch)).map(|(_, _, wanted)| wanted);
        assert_eq!(at_least("BFV", "EvaluateMulCt", "node-20.20", "simd128"), Some(3.0));
        assert_eq!(at_least("BFV", "EvaluateMulCt", "firefox-153", "relaxed"), Some(4.0));
        assert_eq!(at_least("BGV", "EvaluateMulCt", "node-20.20", "simd128"), Some(2.2));
        assert_eq!(at_least("CKKS", "EncodeDouble", "webkit-2.50", "simd128"), Some(1.8));
        assert_eq!(at_least("BGV", "EncodeBatch", "chromium-156", "relaxed"), Some(1.2));
        assert_eq!(at_least("BGV", "EncodeBatch", "webkit-2.50", "simd128"), None);
        assert_eq!(at_least("BFV", "KeyGen/Relin", "node-24.1", "relaxed"), Some(2.5));
        assert!(bar(&entry("BFV", "EvaluateMulCt", 16384, "node-20.20", "simd128")).is_none());
    }

    #[test]
    fn threads_are_measured_against_one() {
        let mut entry = entry("CKKS", "EvaluateRotate", 16384, "node-20.20", "simd128");
        (entry.threads, entry.one_thread) = (2, Some(Sample { median: 16.0, ..Sample::default() }));
        entry.set_times(Sample { median: 10.0, ..Sample::default() }, None);
        assert!(entry.target.is_some_and(|target| target.met && target.against == Against::OneThread));
        entry.op = "EvaluateMulCt".into();
        assert!(bar(&entry).is_none());
    }
}
