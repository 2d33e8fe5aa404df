//! What the three methods cost with SEAL's default primes: the table in `docs/architecture.md`.

use phoca_ring::Modulus;
use phoca_ring::rns::{RnsBasis, auxiliary_basis};
use phoca_rlwe::{SecurityLevel, coeff_modulus, plain_modulus};

/// Transforms, and multiplications of words for each coefficient in all that converts and scales.
type Cost = (usize, usize);

/// The lengths of the bases.
struct Lengths {
    /// The primes of the level.
    q: usize,
    /// Of the whole auxiliary basis, for squares.
    p: usize,
    /// Of its part above `Q`, for other products.
    above: usize,
}

#[test]
fn methods_cost_what_the_documentation_says() {
    let costs = [8192, 16384, 32768].map(|degree| {
        let lengths = Lengths::of_default(degree);
        let (narrow, wide) = (lengths.p, lengths.q);
        let products = [lengths.product(), lengths.behz(4, narrow), lengths.behz(4, wide)];
        let squares = [lengths.square(), lengths.behz(2, narrow), lengths.behz(2, wide)];
        [products, squares]
    });
    let expected = [
        [[(56, 300), (70, 363), (63, 310)], [(45, 317), (50, 285), (45, 242)]],
        [[(119, 979), (133, 1112), (119, 926)], [(90, 954), (95, 880), (85, 730)]],
        [[(231, 3072), (245, 3426), (217, 2774)], [(170, 2873), (175, 2724), (155, 2200)]],
    ];
    assert_eq!(costs, expected);
}

impl Lengths {
    fn of_default(degree: usize) -> Self {
        let chain = coeff_modulus::seal_default(degree, SecurityLevel::Bits128).unwrap();
        let moduli: Vec<_> = chain[..chain.len() - 1].iter().map(|&prime| Modulus::new(prime).unwrap()).collect();
        let t = Modulus::new(plain_modulus::batching(degree, 20).unwrap()).unwrap();
        let auxiliary = auxiliary_basis(degree, &RnsBasis::new(&moduli).unwrap(), &t).unwrap();
        Self { q: moduli.len(), p: auxiliary.all.len(), above: auxiliary.above_modulus }
    }

    /// HPSPOVERQ, of two ciphertexts of two polynomials: four are extended, two of them switched before, three rounded.
    fn product(&self) -> Cost {
        let (q, p) = (self.q, self.above);
        (7 * (q + p), 2 * converted(q, p) + 2 * (converted(q, p) + converted(p, q)) + 3 * rounded(p, q))
    }

    /// HPS, of a ciphertext of two polynomials: two are extended, three rounded and brought back.
    fn square(&self) -> Cost {
        let (q, p) = (self.q, self.p);
        (5 * (q + p), 2 * converted(q, p) + 3 * (rounded(q, p) + converted(p, q)))
    }

    /// BEHZ with `b` primes in `B`: as many as HPS has, or with 61 bits each as many as `q` has, as in SEAL. Constants that
    /// follow one another count as one.
    fn behz(&self, operands: usize, b: usize) -> Cost {
        let k = self.q;
        let b_sk = b + 1;
        let lift = k + k * (b_sk + 1) + 1 + b_sk;
        let floor = k + k * b_sk + b_sk;
        let restore = b + b * (k + 1) + 1 + k;
        ((operands + 3) * (k + b_sk), operands * lift + 3 * (floor + restore))
    }
}

/// Exact conversion: a factor and a fraction of two words for each limb, and a matrix with a column for the quotient.
fn converted(from: usize, to: usize) -> usize {
    3 * from + (from + 1) * to
}

/// Rounding: one more column, for the limb's own residue.
fn rounded(from: usize, to: usize) -> usize {
    3 * from + (from + 2) * to
}
