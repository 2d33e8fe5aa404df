//! TFHE-rs's time over Phoca's, at equal parameters and as many threads.

use super::Against;
use crate::report::Entry;

/// Groups of integer operations with the ratio wanted at 64 bits.
const INTEGERS: &[(&str, &[&str], f64)] = &[
    ("integer add, sub", &["neg", "add", "sub", "scalar_add", "scalar_sub"], 2.0),
    ("integer eq, ne", &["eq", "ne"], 2.2),
    ("integer comparisons", &["lt", "le", "gt", "ge"], 2.2),
    ("integer select", &["select"], 2.8),
    ("integer max, min", &["max", "min"], 2.5),
    ("integer bitwise", &["bitand", "bitor", "bitxor"], 1.15),
    ("integer mul", &["mul"], 1.25),
    ("integer div, rem", &["div", "rem"], 1.3),
    ("integer shifts", &["shl", "shr", "rotl", "rotr"], 1.2),
];

const BATCH: f64 = 1.5;
const GATE: f64 = 1.2;
const BOOTSTRAP: f64 = 1.15;

/// What is left of a bar at 8 to 32 bits.
const NARROW: f64 = 0.8;

/// What is left of a bar with two threads on each side.
const TWO_THREADS: f64 = 0.9;

pub(super) fn bar(entry: &Entry) -> Option<(&'static str, Against, f64)> {
    let batch = entry.bootstrapping.as_ref().is_some_and(|bootstrapping| bootstrapping.items > 1);
    let (name, at_least) = match (entry.scheme.as_str(), entry.n) {
        ("boolean", _) if batch => ("batched gates", BATCH),
        ("boolean", _) => ("boolean gate", GATE),
        ("shortint", 2) if entry.op == "keyswitch_programmable_bootstrap" => ("bootstrap at 2_2", BOOTSTRAP),
        ("integer", _) if batch => ("batched bitwise", BATCH),
        ("integer", 8 | 16 | 32) => integer(&entry.op).map(|(name, ratio)| (name, ratio * NARROW))?,
        ("integer", 64) => integer(&entry.op)?,
        _ => return None,
    };
    let at_least = match entry.threads {
        1 => at_least,
        2 => at_least * TWO_THREADS,
        _ => return None,
    };
    // Bars have two decimals.
    Some((name, Against::Peer, (at_least * 100.0).round() / 100.0))
}

fn integer(op: &str) -> Option<(&'static str, f64)> {
    INTEGERS.iter().find_map(|(name, ops, ratio)| ops.contains(&op).then_some((*name, *ratio)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_shrink_with_width_and_threads() {
        let of = |scheme: &str, op: &str, n, threads| {
            let entry = Entry { scheme: scheme.into(), op: op.into(), n, threads, ..Entry::default() };
            bar(&entry).map(|(_, _, ratio)| ratio)
        };
        assert_eq!(of("integer", "select", 64, 1), Some(2.8));
        assert_eq!(of("integer", "select", 8, 1), Some(2.24));
        assert_eq!(of("integer", "add", 64, 2), Some(1.8));
        assert_eq!(of("integer", "add", 128, 1), None);
        assert_eq!(of("boolean", "and/DEFAULT", 1, 1), Some(1.2));
        assert_eq!(of("shortint", "keyswitch_programmable_bootstrap", 2, 1), Some(1.15));
        assert_eq!(of("shortint", "keyswitch_programmable_bootstrap/KS32", 2, 1), None);
    }
}
