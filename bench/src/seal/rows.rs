//! The rows: what each is called where it is published, and what is timed for it.

use phoca::Scheme;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// `KeyGen`, a scheme or `UTIL`, as published.
    pub(crate) group: &'static str,
    /// As published, or in the same style.
    pub(crate) name: &'static str,
    /// The operation of a [`Session`](super::session::Session), which is also the peer's name for it.
    pub(crate) operation: &'static str,
    pub(crate) note: Option<&'static str>,
}

type Rows = &'static [(&'static str, &'static str)];

const KEYGEN: Rows = &[("Secret", "keygen_secret"), ("Public", "keygen_public")];
const KEYGEN_SWITCHING: Rows = &[("Relin", "keygen_relin"), ("Galois", "keygen_galois")];
const ENCRYPTION: Rows =
    &[("EncryptSecret", "encrypt_symmetric"), ("EncryptPublic", "encrypt_public"), ("Decrypt", "decrypt")];
const BATCH: Rows = &[("EncodeBatch", "encode"), ("DecodeBatch", "decode")];
const DOUBLE: Rows = &[("EncodeDouble", "encode"), ("DecodeDouble", "decode")];
const ARITHMETIC: Rows = &[
    ("EvaluateAddCt", "add"),
    ("EvaluateAddPt", "add_plain"),
    ("EvaluateNegate", "negate"),
    ("EvaluateSubCt", "sub"),
    ("EvaluateSubPt", "sub_plain"),
    ("EvaluateMulCt", "multiply"),
    ("EvaluateMulPt", "multiply_plain"),
    ("EvaluateSquare", "square"),
];
const BGV_IN_PLACE: Rows = &[
    ("EvaluateNegateInplace", "negate_assign"),
    ("EvaluateAddCtInplace", "add_assign"),
    ("EvaluateAddPtInplace", "add_plain_assign"),
    ("EvaluateMulCtInplace", "multiply_assign"),
    ("EvaluateMulPtInplace", "multiply_plain_assign"),
    ("EvaluateSquareInplace", "square_assign"),
    ("EvaluateToNTTInplace", "to_ntt_assign"),
    ("EvaluateFromNTTInplace", "from_ntt_assign"),
];
const PLAIN_TO_NTT: Rows = &[("EvaluatePlainToNTT", "plain_to_ntt")];
const BFV_SWITCHING: Rows = &[
    ("EvaluateModSwitchInplace", "mod_switch_assign"),
    ("EvaluateRelinInplace", "relinearize_assign"),
    ("EvaluateRotateRows", "rotate"),
    ("EvaluateRotateCols", "rotate_columns"),
];
const BGV_SWITCHING: Rows =
    &[("EvaluateRotateRowsInplace", "rotate_assign"), ("EvaluateRotateColsInplace", "rotate_columns_assign")];
const CKKS_SWITCHING: Rows = &[
    ("EvaluateRescaleInplace", "rescale_assign"),
    ("EvaluateRelinInplace", "relinearize_assign"),
    ("EvaluateRotate", "rotate"),
    ("EvaluateConjugate", "conjugate"),
    ("EvaluateModSwitchInplace", "mod_switch_assign"),
    ("EvaluateMulRelinRescale", "multiply_relinearize_rescale"),
    ("EvaluateRotateMany", "rotate_many"),
];
const UTIL: Rows = &[
    ("NTTForward", "to_ntt_assign"),
    ("NTTInverse", "from_ntt_assign"),
    ("NTTForwardLowLevel", "ntt_forward_one_prime"),
    ("NTTInverseLowLevel", "ntt_inverse_one_prime"),
    ("NTTForwardLowLevelLazy", "ntt_forward_one_prime_lazy"),
    ("NTTInverseLowLevelLazy", "ntt_inverse_one_prime_lazy"),
];

/// The rows of a scheme. Keys and transforms are published once, for BFV. With one or two primes there is less to do.
pub(crate) fn of(scheme: Scheme, primes: usize) -> Vec<Row> {
    let (switching, levels) = (primes > 1, primes > 2);
    let mut rows = Vec::new();
    let mut extend = |group, tables: &[Rows]| {
        let all = tables.iter().flat_map(|table| table.iter());
        rows.extend(all.map(|&(name, operation)| Row::new(group, name, operation)));
    };
    let group = scheme.name();
    match scheme {
        Scheme::Bfv => {
            extend("KeyGen", &[KEYGEN]);
            if switching {
                extend("KeyGen", &[KEYGEN_SWITCHING]);
            }
            extend(group, &[ENCRYPTION, BATCH, ARITHMETIC, PLAIN_TO_NTT]);
            if switching {
                extend(group, &[BFV_SWITCHING]);
            }
            extend("UTIL", &[UTIL]);
        }
        Scheme::Bgv => {
            extend(group, &[ENCRYPTION, BATCH, ARITHMETIC, BGV_IN_PLACE]);
            if switching {
                extend(group, &[BFV_SWITCHING, BGV_SWITCHING]);
            }
        }
        Scheme::Ckks => {
            extend(group, &[ENCRYPTION, DOUBLE, ARITHMETIC]);
            if switching {
                extend(group, &[CKKS_SWITCHING]);
            }
        }
    }
    rows.retain(|row| levels || !row.needs_levels());
    rows
}

impl Row {
    fn new(group: &'static str, name: &'static str, operation: &'static str) -> Self {
        let note = match operation {
            "ntt_forward_one_prime" | "ntt_inverse_one_prime" => Some(
                "one prime, the chain's first; SEAL: half the time of a ciphertext of two polynomials at the last level, \
                 since the wheel has no transform of one polynomial",
            ),
            "ntt_forward_one_prime_lazy" | "ntt_inverse_one_prime_lazy" => Some(
                "Phoca leaves results below 4q (inverse 2q); SEAL: its full transform, as in the row without `Lazy`, since \
                 the wheel has no lazy one",
            ),
            "to_ntt_assign" | "from_ntt_assign" => Some("a whole ciphertext: two polynomials, every data prime"),
            "multiply_relinearize_rescale" => Some("SEAL: its three calls"),
            "rotate_many" => Some("eight rotations of one ciphertext, by 1 to 8 steps; SEAL: eight calls"),
            "keygen_galois" => Some("the key of one step"),
            "plain_to_ntt" => Some("lift and transform of one plaintext, every data prime"),
            _ => None,
        };
        Self { group, name, operation, note }
    }

    /// The name among the rows of its scheme, as in results.
    pub(crate) fn op(&self) -> String {
        match self.group {
            "KeyGen" | "UTIL" => format!("{}/{}", self.group, self.name),
            _ => self.name.to_owned(),
        }
    }

    /// The wheel has no lazy transforms; its full ones stand in for them, which the note says.
    pub(crate) fn peer_operation(&self) -> &'static str {
        self.operation.strip_suffix("_lazy").unwrap_or(self.operation)
    }

    /// One polynomial under one prime.
    pub(crate) fn is_one_transform(&self) -> bool {
        self.peer_operation().ends_with("_one_prime")
    }

    pub(crate) fn is_product(&self) -> bool {
        matches!(self.operation.trim_end_matches("_assign"), "multiply" | "multiply_plain" | "square" | "plain_to_ntt")
    }

    fn needs_levels(&self) -> bool {
        matches!(self.operation, "mod_switch_assign" | "rescale_assign" | "multiply_relinearize_rescale")
    }
}
