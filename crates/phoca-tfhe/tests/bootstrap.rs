//! Bootstraps under toy and real parameters: the right box, every time.

use phoca_ring::fourier::Decomposition;
use phoca_ring::random::SecretRng;
use phoca_tfhe::Error;
use phoca_tfhe::bootstrap::{Job, SeededBootstrapKey, Workspace};
use phoca_tfhe::glwe::GlweSecretKey;
use phoca_tfhe::key_switch::SeededKeySwitchKey;
use phoca_tfhe::lookup::LookupTable;
use phoca_tfhe::lwe::LweSecretKey;
use phoca_tfhe::modulus_switch::ModulusSwitch;
use phoca_tfhe::noise::Noise;

#[test]
fn every_message_is_looked_up() -> Result<(), Error> {
    let mut rng = SecretRng::insecure_from_seed([3; 32]);
    let shapes = [(1, 512, 23, 1), (2, 256, 15, 2), (3, 128, 10, 3)];
    for (k, size, bits, levels) in shapes {
        let small = LweSecretKey::generate(100, &mut rng);
        let big = GlweSecretKey::generate(k, size, &mut rng);
        let noise = Noise::TUniform { bound_log2: 17 };
        let pbs = Decomposition::new(bits, levels).expect("a valid decomposition");
        let ks = Decomposition::new(4, 5).expect("a valid decomposition");
        let bsk = SeededBootstrapKey::generate(&small, &big, pbs, noise, &mut rng)?.expand()?;
        let ks_noise = Noise::TUniform { bound_log2: 40 };
        let ksk = SeededKeySwitchKey::<u32>::generate(big.as_lwe(), &small, ks, ks_noise, &mut rng)?.expand();
        let boxes = 8;
        let delta = 1_u64 << 60;
        let table = LookupTable::new(size, boxes, 1, |_, m| ((3 * m + 5) % 8) as u64 * delta);
        let pair = LookupTable::new(size, boxes, 2, |f, m| (5 * f + m) as u64 % 8 * delta);
        let mut workspace = Workspace::default();
        for message in 0..boxes as u64 {
            let input = big.as_lwe().encrypt(message * delta, noise, &mut rng)?;
            let switched = ksk.switch(&input)?;
            for kind in [ModulusSwitch::Plain, ModulusSwitch::CenteredMean] {
                let out = bsk.bootstrap(Job { input: &switched, table: &table }, kind, &mut workspace)?;
                let phase = big.as_lwe().phase(&out[0])?;
                let found = phase.wrapping_add(delta / 2) / delta;
                assert_eq!(found % 16, (3 * message + 5) % 8, "message {message}, k = {k}");
                if message < 4 {
                    let out = bsk.bootstrap(Job { input: &switched, table: &pair }, kind, &mut workspace)?;
                    for (f, out) in out.iter().enumerate() {
                        let phase = big.as_lwe().phase(out)?;
                        assert_eq!(phase.wrapping_add(delta / 2) / delta, (5 * f as u64 + message) % 8);
                    }
                }
            }
        }
    }
    Ok(())
}
