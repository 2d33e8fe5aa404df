//! What is measured: the rows of each layer and parameter set.

use phoca::tfhe::params::{self, Parameters};

use super::clear::{self, Words};

/// A part of the library on either side, as in the published tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    Boolean,
    Shortint,
    Integer,
}

impl Layer {
    /// Its name in rows and in the peer's protocol.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Shortint => "shortint",
            Self::Integer => "integer",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) layer: Layer,
    /// The peer's name for the set.
    pub(super) peer_set: &'static str,
    /// The peer's name for the operation; `scalar_` stands for a clear right operand.
    pub(super) operation: &'static str,
    /// Bits of an operand.
    pub(super) bits: u32,
    /// How many are done at once.
    pub(super) count: usize,
}

/// Rows that share keys.
pub(super) struct Set {
    pub(super) layer: Layer,
    pub(super) parameters: &'static Parameters,
    pub(super) peer_sets: &'static [&'static str],
    pub(super) rows: Vec<Row>,
}

/// How many items a batch has.
const BATCH: usize = 64;

const GATES: &[&str] = &["and", "nand", "or", "nor", "xor", "xnor", "mux"];
const QUICK_GATES: &[&str] = &["and", "xor", "mux"];
const SHORT: &[&str] = &["unchecked_add", "add", "mul_lsb", "keyswitch_programmable_bootstrap"];
const INTEGER: &[&str] = &[
    "neg", "add", "sub", "eq", "ne", "lt", "le", "gt", "ge", "max", "min", "select", "bitand", "bitor", "bitxor",
    "mul", "shl", "shr", "rotl", "rotr", "div", "rem",
];
const SCALAR: &[&str] = &[
    "scalar_add",
    "scalar_sub",
    "scalar_eq",
    "scalar_ne",
    "scalar_lt",
    "scalar_le",
    "scalar_gt",
    "scalar_ge",
    "scalar_max",
    "scalar_min",
    "scalar_bitand",
    "scalar_bitor",
    "scalar_bitxor",
    "scalar_mul",
    "scalar_shl",
    "scalar_shr",
    "scalar_rotl",
    "scalar_rotr",
    "scalar_div",
    "scalar_rem",
];
/// One of each group of rows that do the same work.
const QUICK_INTEGER: &[&str] = &[
    "neg",
    "add",
    "sub",
    "eq",
    "gt",
    "max",
    "select",
    "bitand",
    "scalar_add",
    "scalar_eq",
    "scalar_gt",
    "scalar_max",
    "scalar_bitand",
    "mul",
    "shl",
    "scalar_shl",
];

/// The sets of a run, those of integers with these widths.
pub(super) fn sets(quick: bool, widths: &[usize]) -> Vec<Set> {
    let boolean = |parameters, peer_sets: &'static [&'static str]| {
        let gates = if quick { QUICK_GATES } else { GATES };
        let row = |operation, count| Row { layer: Layer::Boolean, peer_set: peer_sets[0], operation, bits: 1, count };
        let batch = (!quick || peer_sets[0] == "DEFAULT").then(|| row("and", BATCH));
        let rows = gates.iter().map(|operation| row(operation, 1)).chain(batch).collect();
        Set { layer: Layer::Boolean, parameters, peer_sets, rows }
    };
    let short = |parameters: &'static Parameters, peer_sets: &'static [&'static str]| {
        let (layer, bits, count) = (Layer::Shortint, parameters.message_bits, 1);
        let row = |peer_set, operation| Row { layer, peer_set, operation, bits, count };
        let rows = peer_sets.iter().flat_map(|&set| SHORT.iter().map(move |operation| row(set, operation)));
        Set { layer, parameters, peer_sets, rows: rows.collect() }
    };
    let mut sets = vec![
        boolean(&params::BOOLEAN_DEFAULT, &["DEFAULT"]),
        boolean(&params::BOOLEAN_DEFAULT_KS_PBS, &["DEFAULT_KS_PBS"]),
        boolean(&params::BOOLEAN_2M165, &["2M165"]),
        boolean(&params::BOOLEAN_2M165_KS_PBS, &["2M165_KS_PBS"]),
        boolean(&params::BOOLEAN_TFHE_LIB, &["TFHE_LIB"]),
        short(&params::MESSAGE_1_CARRY_1, &["1_1"]),
        short(&params::MESSAGE_2_CARRY_2, &["2_2", "2_2_KS32"]),
    ];
    if !quick {
        sets.push(short(&params::MESSAGE_3_CARRY_3, &["3_3"]));
        sets.push(short(&params::MESSAGE_4_CARRY_4, &["4_4"]));
    }
    sets.push(integer(quick, widths));
    sets
}

fn integer(quick: bool, widths: &[usize]) -> Set {
    const PEER_SETS: &[&str] = &["2_2"];
    let (layer, peer_set) = (Layer::Integer, PEER_SETS[0]);
    let operations: Vec<_> =
        if quick { QUICK_INTEGER.to_vec() } else { INTEGER.iter().chain(SCALAR).copied().collect() };
    let mut rows = Vec::new();
    for &width in widths {
        let row = |operation, count| Row { layer, peer_set, operation, bits: width as u32, count };
        rows.extend(operations.iter().map(|operation| row(operation, 1)));
        if quick && width == 8 {
            rows.extend(["div", "scalar_div"].map(|operation| row(operation, 1)));
        }
        if width == 8 {
            rows.push(row("bitand", BATCH));
        }
    }
    Set { layer, parameters: &params::MESSAGE_2_CARRY_2, peer_sets: PEER_SETS, rows }
}

impl Row {
    /// The name in results.
    pub(super) fn op(&self) -> String {
        let Self { layer, peer_set, operation, count, .. } = self;
        let many = if *count > 1 { format!(" of {count}") } else { String::new() };
        match layer {
            Layer::Boolean => format!("{operation}{many}/{peer_set}"),
            Layer::Shortint if peer_set.ends_with("KS32") => format!("{operation}/KS32"),
            _ => format!("{operation}{many}"),
        }
    }

    /// Whether the keys take gigabytes.
    pub(super) fn is_huge(&self) -> bool {
        self.peer_set == "4_4"
    }

    /// What the peer says about its boolean sets, where it says something.
    pub(super) fn stated_log2_failure(&self) -> Option<f64> {
        match self.peer_set {
            "DEFAULT" => Some(-64.3),
            "DEFAULT_KS_PBS" => Some(-64.0),
            "2M165" | "2M165_KS_PBS" => Some(-165.0),
            _ => None,
        }
    }

    /// Operands of each item, which differ from item to item.
    pub(super) fn items(&self) -> Vec<Vec<Words>> {
        (0..self.count as u64).map(|item| clear::operands(self, item)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_given_twice() {
        for quick in [false, true] {
            let sets = sets(quick, &[8, 16, 64]);
            let rows = sets.iter().flat_map(|set| &set.rows);
            let mut names: Vec<_> = rows.map(|row| (row.bits, row.layer.name(), row.op())).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }

    #[test]
    fn every_row_is_of_a_peer_set_that_is_measured() {
        for set in sets(false, &[8, 256]) {
            assert!(set.rows.iter().all(|row| set.peer_sets.contains(&row.peer_set) && row.layer == set.layer));
        }
    }
}
