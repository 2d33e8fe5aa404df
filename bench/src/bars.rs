//! The ratios that the project wants to reach, by kernels, rows and ring degree.

mod hosts;
mod tfhe;

use crate::report::{Against, Entry, Target};

/// Rows that share targets.
struct Bar {
    name: &'static str,
    schemes: &'static [&'static str],
    /// Beginnings of operations' names.
    ops: &'static [&'static str],
    /// Wanted ratios at a ring degree, for the fastest kernels.
    fastest: &'static [(usize, f64)],
}

/// SEAL's time over Phoca's, one thread, with kernels for AVX-512 IFMA.
const SEAL: &[Bar] = &[
    Bar {
        name: "NTT, one prime",
        schemes: &["BFV"],
        ops: &["UTIL/NTTForwardLowLevel", "UTIL/NTTInverseLowLevel"],
        fastest: &[(8192, 10.0), (16384, 9.0), (32768, 4.0)],
    },
    Bar {
        name: "CKKS and BGV multiply",
        schemes: &["CKKS", "BGV"],
        ops: &["EvaluateMulCt"],
        fastest: &[(8192, 9.0), (16384, 6.0), (32768, 3.0)],
    },
    Bar {
        name: "relinearize, rotate",
        schemes: &["BFV", "BGV", "CKKS"],
        ops: &["EvaluateRelin", "EvaluateRotate", "EvaluateConjugate"],
        fastest: &[(8192, 9.0), (16384, 8.0), (32768, 4.0)],
    },
    Bar {
        name: "rescale, BGV mod-switch",
        schemes: &["CKKS"],
        ops: &["EvaluateRescale"],
        fastest: &[(8192, 9.0), (16384, 8.0), (32768, 4.0)],
    },
    Bar {
        name: "rescale, BGV mod-switch",
        schemes: &["BGV"],
        ops: &["EvaluateModSwitch"],
        fastest: &[(8192, 9.0), (16384, 8.0), (32768, 4.0)],
    },
    Bar {
        name: "multiply + relinearize + rescale",
        schemes: &["CKKS"],
        ops: &["EvaluateMulRelinRescale"],
        fastest: &[(8192, 12.0), (16384, 9.0), (32768, 5.0)],
    },
    Bar {
        name: "BFV multiply, square",
        schemes: &["BFV"],
        ops: &["EvaluateMulCt", "EvaluateSquare"],
        fastest: &[(8192, 10.0), (16384, 8.0), (32768, 5.0)],
    },
    Bar {
        name: "BFV multiply_plain",
        schemes: &["BFV"],
        ops: &["EvaluateMulPt"],
        fastest: &[(8192, 12.0), (16384, 9.0), (32768, 5.0)],
    },
    Bar {
        name: "encrypt, key generation",
        schemes: &["BFV", "BGV", "CKKS"],
        ops: &["Encrypt", "KeyGen/"],
        fastest: &[(8192, 7.0), (16384, 7.0), (32768, 4.0)],
    },
    Bar {
        name: "decrypt",
        schemes: &["BFV", "BGV", "CKKS"],
        ops: &["Decrypt"],
        fastest: &[(8192, 6.0), (16384, 5.0), (32768, 3.0)],
    },
    Bar {
        name: "CKKS encode, decode",
        schemes: &["CKKS"],
        ops: &["EncodeDouble", "DecodeDouble"],
        fastest: &[(8192, 8.0), (16384, 8.0), (32768, 6.0)],
    },
    Bar {
        name: "batch encode, decode",
        schemes: &["BFV", "BGV"],
        ops: &["EncodeBatch", "DecodeBatch"],
        fastest: &[(8192, 8.0), (16384, 8.0), (32768, 6.0)],
    },
    Bar {
        name: "add, negate, sub",
        schemes: &["BFV", "BGV", "CKKS"],
        ops: &["EvaluateAddCt", "EvaluateNegate", "EvaluateSubCt"],
        fastest: &[(8192, 2.0), (16384, 1.5), (32768, 1.1)],
    },
];

/// The bars that AVX2 and portable kernels are held to as well, and where.
const ALL_KERNELS: [&str; 3] = ["NTT, one prime", "relinearize, rotate", "BFV multiply, square"];
const ALL_KERNELS_DEGREE: usize = 8192;
const AVX2: f64 = 3.0;
const PORTABLE: f64 = 1.1;

/// Two threads against one, in the rows of [`ALL_KERNELS`] that are large enough, transforms of one prime aside.
const TWO_THREADS: f64 = 1.6;
const TWO_THREADS_DEGREE: usize = 16384;

/// Every workload of suite `h33` against its published time for one core.
const H33: f64 = 50.0;

/// The least time of one transform under one prime of at most 47 bits: `(n/16)·log2(n)` butterflies of eight lanes at 1.5
/// cycles each, at 4.2 GHz with two 512-bit multiplies a cycle, in microseconds.
const NTT_FLOORS: [(usize, f64); 4] = [(4096, 1.1), (8192, 2.4), (16384, 5.1), (32768, 11.0)];

pub(crate) fn ntt_floor(n: usize) -> Option<f64> {
    NTT_FLOORS.into_iter().find_map(|(degree, floor)| (degree == n).then_some(floor))
}

/// The target of a row with times, if it has one.
pub(crate) fn target(entry: &Entry) -> Option<Target> {
    let (name, against, at_least) = match entry.suite {
        "seal" if entry.threads == 2 => two_threads(entry)?,
        "seal" => seal(entry).filter(|_| entry.threads < 2)?,
        "seal-hosts" => hosts::bar(entry)?,
        "tfhe" => tfhe::bar(entry)?,
        "h33" => ("published workloads", Against::Published, entry.published_us.map(|_| H33)?),
        _ => return None,
    };
    let ratio = entry.against(against)?;
    Some(Target { name, against, at_least, met: ratio >= at_least })
}

fn seal(entry: &Entry) -> Option<(&'static str, Against, f64)> {
    let bar = bar(entry)?;
    let everywhere = ALL_KERNELS.contains(&bar.name) && entry.n == ALL_KERNELS_DEGREE;
    let at_least = match entry.arch.as_str() {
        "portable" => everywhere.then_some(PORTABLE),
        "avx2" => everywhere.then_some(AVX2),
        _ => bar.fastest.iter().find_map(|&(n, ratio)| (n == entry.n).then_some(ratio)),
    };
    Some((bar.name, Against::Peer, at_least?))
}

fn two_threads(entry: &Entry) -> Option<(&'static str, Against, f64)> {
    let bar = bar(entry).filter(|bar| ALL_KERNELS[1..].contains(&bar.name))?;
    (entry.n >= TWO_THREADS_DEGREE).then_some((bar.name, Against::OneThread, TWO_THREADS))
}

fn bar(entry: &Entry) -> Option<&'static Bar> {
    // The peer has no lazy transforms to compare with.
    SEAL.iter()
        .filter(|_| !entry.op.ends_with("Lazy"))
        .find(|bar| bar.schemes.contains(&entry.scheme.as_str()) && bar.ops.iter().any(|op| entry.op.starts_with(op)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn entry(scheme: &str, op: &str, n: usize, arch: &'static str) -> Entry {
        let mut entry =
            Entry { suite: "seal", scheme: scheme.into(), op: op.into(), n, arch: arch.into(), ..Entry::default() };
        let times = |median| Sample { median, ..Sample::default() };
        entry.set_times(times(10.0), Some(("SEAL", times(90.0))));
        entry
    }

    #[test]
    fn a_target_is_met_at_its_ratio() {
        let target = entry("CKKS", "EvaluateMulCtInplace", 8192, "ifma").target.expect("a bar");
        assert_eq!((target.at_least, target.met), (9.0, true));
        let target = entry("UTIL", "NTTForwardLowLevel", 8192, "ifma").target;
        assert_eq!(target, None, "the scheme is BFV");
        let target = entry("BFV", "UTIL/NTTForwardLowLevel", 8192, "ifma").target.expect("a bar");
        assert_eq!((target.at_least, target.met), (10.0, false));
        assert_eq!(entry("BFV", "UTIL/NTTForwardLowLevelLazy", 8192, "ifma").target, None);
    }

    #[test]
    fn targets_depend_on_kernels_and_degree() {
        let at_least = |op, n, arch| entry("BFV", op, n, arch).target.map(|target| target.at_least);
        assert_eq!(at_least("EvaluateMulCt", 16384, "ifma"), Some(8.0));
        assert_eq!(at_least("EvaluateMulCt", 4096, "ifma"), None);
        assert_eq!(at_least("EvaluateMulCt", 8192, "avx2"), Some(3.0));
        assert_eq!(at_least("EvaluateMulCt", 16384, "avx2"), None);
        assert_eq!(at_least("EvaluateSquare", 8192, "portable"), Some(1.1));
        assert_eq!(at_least("EvaluateMulPt", 8192, "portable"), None);
        assert_eq!(at_least("EvaluateModSwitchInplace", 8192, "ifma"), None, "only BGV's is a target");
        assert_eq!(entry("CKKS", "EvaluateModSwitchInplace", 8192, "ifma").target, None, "only BGV's is a target");
        assert!(entry("BGV", "EvaluateModSwitchInplace", 8192, "ifma").target.is_some());
    }

    #[test]
    fn two_threads_are_measured_against_one() {
        let mut entry = entry("CKKS", "EvaluateRotate", 16384, "ifma");
        (entry.threads, entry.one_thread) = (2, Some(Sample { median: 17.0, ..Sample::default() }));
        let times = Sample { median: 10.0, ..Sample::default() };
        entry.set_times(times, Some(("SEAL", times)));
        assert!(entry.target.is_some_and(|target| target.met && target.against == Against::OneThread));
        entry.n = 8192;
        entry.set_times(times, Some(("SEAL", times)));
        assert_eq!(entry.target, None, "bars against the peer are for one thread");
    }

    #[test]
    fn h33_is_measured_against_what_is_published() {
        let mut entry = Entry { suite: "h33", published_us: Some(61_000.0), ..Entry::default() };
        entry.set_times(Sample { median: 1000.0, ..Sample::default() }, None);
        assert!(entry.target.is_some_and(|target| target.met && target.against == Against::Published));
        entry.set_times(Sample { median: 2000.0, ..Sample::default() }, None);
        assert!(entry.target.is_some_and(|target| !target.met));
    }
}
