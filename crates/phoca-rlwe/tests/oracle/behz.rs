//! BFV's product by BEHZ (Bajard, Eynard, Hasan and Zucca, ePrint 2016/510, section 4), the method of SEAL, as a second
//! opinion on the two methods of this crate: other lifts, other roundings, the same message.
//!
//! All of it is arithmetic of words, one coefficient after another; only products of polynomials take the crate's
//! transforms. `q` is the level's basis with `k` primes and product `Q`; `B` is a second one with `l` primes and product
//! `M`, followed by one more prime `m_sk`; `m̃` is a power of two.
//!
//! | step | result | by |
//! |---|---|---|
//! | lift | `c' ≡ c` modulo `Q` with `−Q/2 ≤ c' < Q/2·(1 + 2k/m̃)` | Montgomery reduction by `m̃` |
//! | floor | `floor(t/Q·x) − u` with `0 ≤ u < k` | fast conversion, whose surplus is `uQ` |
//! | restore | exact for `\|x\| ≤ M` and `m_sk ≥ 2(l + 1)` | Shenoy and Kumaresan |

use num_bigint::BigInt;
use phoca_ring::{Modulus, NttTables, primes};

use crate::big;
use crate::model::Ring;
use crate::party::Party;

mod counts;
mod tests;

/// The residues of a polynomial, `n` words for each prime.
type Words = Vec<u64>;

/// The width of the auxiliary primes, as in SEAL.
const AUXILIARY_BITS: u32 = 61;

struct Behz {
    degree: usize,
    t: u64,
    m_tilde: u64,
    q: Vec<u64>,
    /// The primes of `B`, then `m_sk`.
    b_sk: Vec<u64>,
    /// Of `q`, then of `B` and `m_sk`.
    tables: Vec<NttTables>,
    /// From `q` to `B`, `m_sk` and `m̃`.
    extend: Conversion,
    /// From `B` to `q` and `m_sk`.
    restore: Conversion,
    /// `Q^{-1}` modulo `B`, `m_sk` and `m̃`.
    q_inverses: Vec<u64>,
    /// `Q` and `m̃^{-1}` modulo `B` and `m_sk`.
    q_residues: Vec<u64>,
    m_tilde_inverses: Vec<u64>,
    /// `M` modulo `q`, and `M^{-1}` modulo `m_sk`.
    m_residues: Vec<u64>,
    m_inverse: u64,
}

/// What the product comes from and what it is: polynomials modulo the primes of `q`, `B` and `m_sk`, and of `q`.
struct Product {
    lifted: [Vec<Words>; 2],
    polynomials: Vec<Words>,
}

impl Behz {
    /// For sums of up to `terms` products of polynomials: `M > terms·t·n·Q`, which is above `t/Q·x` for lifts of at most
    /// `3/4·Q`.
    fn new(ring: &Ring, t: u64, m_tilde: u64, terms: usize) -> Self {
        let (degree, q, product) = (ring.degree, &ring.primes, &ring.modulus);
        assert!(m_tilde.is_power_of_two() && m_tilde >= 4 * q.len() as u64, "lifts are of at most 3/4·Q");
        let bound = product * t * degree * terms;
        let length = (1..).find(|&length| BigInt::from(1) << (60 * length) > bound).unwrap();
        let b_sk = primes::ntt_primes(2 * degree as u64, AUXILIARY_BITS, length + 1).unwrap();
        let (b, m_sk) = (&b_sk[..length], b_sk[length]);
        let m: BigInt = b.iter().product();
        let extended = [&b_sk[..], &[m_tilde]].concat();
        let table = |&prime: &u64| NttTables::new(degree, Modulus::new(prime).unwrap()).unwrap();
        Self {
            degree,
            t,
            m_tilde,
            q: q.clone(),
            tables: q.iter().chain(&b_sk).map(table).collect(),
            restore: Conversion::new(b, &[q, &[m_sk][..]].concat()),
            q_inverses: extended.iter().map(|&modulus| inverse(product, modulus)).collect(),
            q_residues: b_sk.iter().map(|&prime| residue(product, prime)).collect(),
            m_tilde_inverses: b_sk.iter().map(|&prime| inverse(&m_tilde.into(), prime)).collect(),
            m_residues: q.iter().map(|&prime| residue(&m, prime)).collect(),
            m_inverse: inverse(&m, m_sk),
            extend: Conversion::new(q, &extended),
            b_sk,
        }
    }

    /// `floor(t/Q·a·b) − u` with the products over the lifts of `a` and `b`, from polynomials modulo `Q`.
    fn product(&self, a: &[Words], b: &[Words]) -> Product {
        let lifted = [a, b].map(|operand| operand.iter().map(|c| self.lifted(c)).collect::<Vec<_>>());
        let primes = self.q.len();
        let polynomials = self.tensor(&lifted[0], &lifted[1]).into_iter().map(|polynomial| {
            let quotient = self.each(&polynomial, |x| self.floor(&x[..primes], &x[primes..]));
            self.each(&quotient, |x| self.restored(x))
        });
        Product { polynomials: polynomials.collect(), lifted }
    }

    fn lifted(&self, polynomial: &[u64]) -> Words {
        self.each(polynomial, |x| [x, &self.lift(x)].concat())
    }

    /// One coefficient modulo `B` and `m_sk` from its residues modulo `q`.
    ///
    /// `y = [m̃·c]_Q + αQ` is known modulo `m̃` too, so `r` in `[−m̃/2, m̃/2)` is found for which `m̃` divides `y + rQ`.
    fn lift(&self, c: &[u64]) -> Vec<u64> {
        let scaled: Vec<u64> = c.iter().zip(&self.q).map(|(&c, &q)| big::product(c, self.m_tilde, q)).collect();
        let y = self.extend.apply(&scaled);
        let (y_tilde, q_inverse) = (y[self.b_sk.len()], self.q_inverses[self.b_sk.len()]);
        let r = big::product(self.m_tilde - y_tilde, q_inverse, self.m_tilde);
        let quotient = |(i, &m): (usize, &u64)| {
            let r = if r < self.m_tilde / 2 { r } else { m - (self.m_tilde - r) };
            let sum = add(y[i], big::product(r, self.q_residues[i], m), m);
            big::product(sum, self.m_tilde_inverses[i], m)
        };
        self.b_sk.iter().enumerate().map(quotient).collect()
    }

    /// `floor(t/Q·x) − u` modulo `B` and `m_sk`, as `(t·x − ([t·x]_Q + uQ))/Q`.
    fn floor(&self, x_q: &[u64], x_b: &[u64]) -> Vec<u64> {
        let scaled: Vec<u64> = x_q.iter().zip(&self.q).map(|(&x, &q)| big::product(x, self.t, q)).collect();
        let rest = self.extend.apply(&scaled);
        let quotient = |(i, &m): (usize, &u64)| {
            let difference = add(big::product(x_b[i], self.t, m), m - rest[i], m);
            big::product(difference, self.q_inverses[i], m)
        };
        self.b_sk.iter().enumerate().map(quotient).collect()
    }

    /// Residues modulo `q` from those modulo `B` and `m_sk`: the conversion from `B` has `αM` too much, and `m_sk` tells `α`.
    fn restored(&self, x: &[u64]) -> Vec<u64> {
        let (&x_sk, x_b) = x.split_last().unwrap();
        let m_sk = self.b_sk[x_b.len()];
        let y = self.restore.apply(x_b);
        let alpha = big::product(add(y[self.q.len()], m_sk - x_sk, m_sk), self.m_inverse, m_sk);
        let alpha = big::centered(&alpha.into(), &m_sk.into());
        let corrected = |(i, &q): (usize, &u64)| {
            let surplus = big::product(residue(&alpha, q), self.m_residues[i], q);
            add(y[i], q - surplus, q)
        };
        self.q.iter().enumerate().map(corrected).collect()
    }

    /// The products of polynomials modulo every prime, summed by the power of the secret that they belong to.
    fn tensor(&self, a: &[Words], b: &[Words]) -> Vec<Words> {
        let n = self.degree;
        let mut tensor = vec![vec![0; n * self.tables.len()]; a.len() + b.len() - 1];
        for (limb, table) in self.tables.iter().enumerate() {
            let range = limb * n..(limb + 1) * n;
            let values = |operand: &[Words]| -> Vec<Words> {
                let mut values: Vec<Words> = operand.iter().map(|c| c[range.clone()].to_vec()).collect();
                values.iter_mut().for_each(|values| table.forward(values));
                values
            };
            let (a, b) = (values(a), values(b));
            for (i, a) in a.iter().enumerate() {
                for (j, b) in b.iter().enumerate() {
                    table.modulus().mul_add_assign(&mut tensor[i + j][range.clone()], a, b);
                }
            }
            tensor.iter_mut().for_each(|polynomial| table.inverse(&mut polynomial[range.clone()]));
        }
        tensor
    }

    /// `f` of the residues of each coefficient.
    fn each(&self, polynomial: &[u64], f: impl Fn(&[u64]) -> Vec<u64>) -> Words {
        let column = |i: usize| f(&polynomial.iter().skip(i).step_by(self.degree).copied().collect::<Vec<_>>());
        let columns: Vec<Vec<u64>> = (0..self.degree).map(column).collect();
        (0..columns[0].len()).flat_map(|limb| columns.iter().map(move |column| column[limb])).collect()
    }

    /// The message of polynomials modulo `Q` under the party's secret.
    fn message(&self, party: &Party, polynomials: &[Words]) -> Vec<u64> {
        let (n, ring) = (self.degree, party.ring(self.q.len()));
        let secret = ring.decompose(&party.secret, false);
        let mut phase = vec![0; n * self.q.len()];
        for (limb, table) in self.tables[..self.q.len()].iter().enumerate() {
            let range = limb * n..(limb + 1) * n;
            let mut secret = secret[range.clone()].to_vec();
            table.forward(&mut secret);
            let sum = &mut phase[range.clone()];
            for polynomial in polynomials.iter().rev() {
                let mut values = polynomial[range.clone()].to_vec();
                table.forward(&mut values);
                table.modulus().mul_assign(sum, &secret);
                table.modulus().add_assign(sum, &values);
            }
            table.inverse(sum);
        }
        let t = BigInt::from(self.t);
        let message = |x: &BigInt| big::modulo(&big::div_round(&(x * &t), &ring.modulus), &t);
        ring.center(&ring.compose(&phase, false)).iter().map(|x| big::word(&message(x))).collect()
    }
}

/// The fast conversion of residues from one basis, of product `Q`, to another.
struct Conversion {
    from: Vec<u64>,
    to: Vec<u64>,
    /// `(Q/q_i)^{-1} mod q_i`.
    inverses: Vec<u64>,
    /// `Q/q_i` modulo each of `to`.
    weights: Vec<Vec<u64>>,
}

impl Conversion {
    fn new(from: &[u64], to: &[u64]) -> Self {
        let product: BigInt = from.iter().product();
        let weights = |&modulus: &u64| from.iter().map(|&prime| residue(&(&product / prime), modulus)).collect();
        Self {
            inverses: from.iter().map(|&prime| inverse(&(&product / prime), prime)).collect(),
            weights: to.iter().map(weights).collect(),
            from: from.to_vec(),
            to: to.to_vec(),
        }
    }

    /// The residues of `x + αQ` for the `x` in `[0, Q)` with these residues, and `0 ≤ α < k`.
    fn apply(&self, x: &[u64]) -> Vec<u64> {
        let terms = x.iter().zip(&self.inverses).zip(&self.from);
        let terms: Vec<u64> = terms.map(|((&x, &inverse), &prime)| big::product(x, inverse, prime)).collect();
        let sum = |(weights, &modulus): (&Vec<u64>, &u64)| {
            let terms = terms.iter().zip(weights).map(|(&term, &weight)| big::product(term, weight, modulus));
            terms.fold(0, |sum, term| add(sum, term, modulus))
        };
        self.weights.iter().zip(&self.to).map(sum).collect()
    }
}

fn residue(x: &BigInt, modulus: u64) -> u64 {
    big::word(&big::modulo(x, &modulus.into()))
}

fn inverse(x: &BigInt, modulus: u64) -> u64 {
    big::word(&big::inverse(x, &modulus.into()))
}

/// `a + b mod m` for `a`, `b ≤ m`.
fn add(a: u64, b: u64, m: u64) -> u64 {
    ((u128::from(a) + u128::from(b)) % u128::from(m)) as u64
}
