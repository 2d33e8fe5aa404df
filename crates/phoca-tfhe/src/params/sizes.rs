//! Sizes of keys and ciphertexts, in bytes of content: files add their headers.

use super::{Order, Parameters};

impl Parameters {
    /// A ciphertext: words of 64 bits under the key of GLWE ciphertexts, of 32 bits under the small key.
    pub const fn ciphertext_bytes(&self) -> usize {
        match self.order {
            Order::KeySwitchFirst => 8 * (self.big_dimension() + 1),
            Order::BootstrapFirst => 4 * (self.lwe_dimension + 1),
        }
    }

    /// The bootstrapping key in memory: `n·l·(k + 1)²·N` doubles.
    pub const fn bootstrap_key_bytes(&self) -> usize {
        self.seeded_bootstrap_key_bytes_without_seed() * (self.glwe_dimension + 1)
    }

    /// The bootstrapping key in seeded form: `n·l·(k + 1)·N` words, and a seed.
    pub const fn seeded_bootstrap_key_bytes(&self) -> usize {
        self.seeded_bootstrap_key_bytes_without_seed() + SEED_BYTES
    }

    /// The key-switching key in memory: `k·N·l·(n + 1)` words of 32 bits.
    pub const fn key_switch_key_bytes(&self) -> usize {
        (self.seeded_key_switch_key_bytes() - SEED_BYTES) * (self.lwe_dimension + 1)
    }

    /// The key-switching key in seeded form: `k·N·l` words of 32 bits, and a seed.
    pub const fn seeded_key_switch_key_bytes(&self) -> usize {
        4 * self.big_dimension() * self.key_switch.levels() as usize + SEED_BYTES
    }

    const fn seeded_bootstrap_key_bytes_without_seed(&self) -> usize {
        8 * self.lwe_dimension * self.bootstrap.levels() as usize * (self.glwe_dimension + 1) * self.polynomial_size
    }
}

const SEED_BYTES: usize = 32;

#[cfg(test)]
mod tests {
    use phoca_ring::random::SecretRng;

    use super::*;
    use crate::bootstrap::SeededBootstrapKey;
    use crate::glwe::GlweSecretKey;
    use crate::key_switch::SeededKeySwitchKey;
    use crate::lwe::LweSecretKey;
    use crate::params::{BOOLEAN_DEFAULT, MESSAGE_2_CARRY_2, decomposition};

    /// Keys of a few bits with the shapes of two sets, which have two and four polynomials and one and two levels.
    #[test]
    fn keys_have_their_sizes() -> Result<(), crate::Error> {
        let mut rng = SecretRng::insecure_from_seed([1; 32]);
        for set in [MESSAGE_2_CARRY_2, BOOLEAN_DEFAULT] {
            let set = Parameters { lwe_dimension: 3, polynomial_size: 64, ..set };
            let small = LweSecretKey::generate(set.lwe_dimension, &mut rng);
            let big = GlweSecretKey::generate(set.glwe_dimension, set.polynomial_size, &mut rng);
            let bsk = SeededBootstrapKey::generate(&small, &big, set.bootstrap, set.glwe_noise, &mut rng)?;
            assert_eq!(set.seeded_bootstrap_key_bytes(), size_of_val(&*bsk.bodies) + bsk.seed.len());
            assert_eq!(set.bootstrap_key_bytes(), bsk.expand()?.byte_len());
            let (ks, noise) = (set.key_switch, set.lwe_noise);
            let ksk = SeededKeySwitchKey::<u32>::generate(big.as_lwe(), &small, ks, noise, &mut rng)?;
            assert_eq!(set.seeded_key_switch_key_bytes(), size_of_val(&*ksk.bodies) + ksk.seed.len());
            assert_eq!(set.key_switch_key_bytes(), ksk.expand().byte_len());
        }
        Ok(())
    }

    #[test]
    fn sizes_of_sets() {
        let set = MESSAGE_2_CARRY_2;
        assert_eq!(set.ciphertext_bytes(), 16_392);
        assert_eq!(set.bootstrap_key_bytes(), 918 * 4 * 2048 * 8);
        assert_eq!(set.seeded_bootstrap_key_bytes(), 918 * 2 * 2048 * 8 + 32);
        assert_eq!(set.key_switch_key_bytes(), 2048 * 4 * 919 * 4);
        assert_eq!(set.seeded_key_switch_key_bytes(), 2048 * 4 * 4 + 32);
        assert_eq!(BOOLEAN_DEFAULT.ciphertext_bytes(), 806 * 4);
        let twice = Parameters { bootstrap: decomposition(10, 2), ..set };
        assert_eq!(twice.bootstrap_key_bytes(), 2 * set.bootstrap_key_bytes());
    }
}
