//! Our own files: every object in every form.

use phoca_ring::random::SealGenerator;
use phoca_rlwe::noise::NoiseBound;
use phoca_rlwe::seal::{Compression, Contents, FileError, Load, Modulus, Save, SaveOptions, Seeding, inspect};
use phoca_rlwe::{
    Ciphertext, Context, Encryptor, Error, Evaluator, GaloisKeys, GaloisSelection, KeyGenerator, Parameters, Plaintext,
    PublicKey, RelinKeys, Scheme, SecretKey, SecurityLevel, coeff_modulus,
};

use crate::support::{COMPRESSIONS, FULL, Objects, PLAIN, SCHEMES, VERSIONS, saved};

/// All options with a size that the uncompressed object has under them.
fn all_options() -> Vec<SaveOptions> {
    let mut all = Vec::new();
    for compression in COMPRESSIONS {
        for version in VERSIONS {
            for seeding in [Seeding::Keep, Seeding::Full] {
                all.push(SaveOptions { compression, version, seeding });
            }
        }
    }
    all
}

fn check_header(object: &impl Save, options: &SaveOptions) -> Vec<u8> {
    let bytes = saved(object, options);
    let found = inspect(bytes.as_slice()).unwrap();
    assert_eq!((found.header.major, found.header.minor), options.version.numbers());
    assert_eq!(found.header.compression, options.compression);
    assert_eq!(found.header.size, bytes.len() as u64);
    assert_eq!(found.uncompressed_len, object.saved_len(options));
    if options.compression == Compression::None {
        assert_eq!(bytes.len() as u64, object.saved_len(options));
    }
    bytes
}

fn round_trip<T: Load + PartialEq>(object: &T, context: &Context) {
    for options in all_options() {
        let bytes = check_header(object, &options);
        let mut reader = bytes.as_slice();
        let loaded = T::load(&mut reader, context).unwrap();
        assert!(loaded == *object && reader.is_empty());
        assert_eq!(saved(&loaded, &options), bytes, "{options:?}");
        // What was loaded in full has no seed to keep.
        let kept = saved(&loaded, &PLAIN).len() == saved(object, &PLAIN).len();
        assert_eq!(kept, options.seeding == Seeding::Keep || saved(object, &PLAIN) == saved(object, &FULL));
    }
}

#[test]
fn every_object_comes_back_in_every_form() {
    for scheme in SCHEMES {
        let objects = Objects::new(scheme, 16, 3);
        let context = &objects.context;
        for options in all_options() {
            let modulus = Modulus(12_289);
            assert_eq!(Modulus::load(check_header(&modulus, &options).as_slice()).unwrap(), modulus);
            let parameters = context.parameters();
            assert_eq!(&Parameters::load(check_header(parameters, &options).as_slice()).unwrap(), parameters);
        }
        round_trip(&objects.plaintext, context);
        round_trip(&objects.secret_key, context);
        round_trip(&objects.public_key, context);
        round_trip(&objects.relin_keys, context);
        round_trip(&objects.galois_keys, context);
        round_trip(&objects.ciphertext, context);
        round_trip(&objects.seeded, context);
        round_trip(&objects.product, context);
        let evaluator = Evaluator::new(context);
        round_trip(&evaluator.mod_switch_to_next(&objects.ciphertext).unwrap(), context);
    }
}

#[test]
fn keys_of_some_elements_load_alone() {
    for scheme in SCHEMES {
        let objects = Objects::new(scheme, 16, 3);
        let file = saved(&objects.galois_keys, &PLAIN);
        let all: Vec<u64> = objects.galois_keys.elements().collect();
        for wanted in [&all[..1], &all[1..], &all[..], &[]] {
            let mut reader = file.as_slice();
            let keys = GaloisKeys::load_elements(&mut reader, &objects.context, wanted).unwrap();
            assert!(reader.is_empty());
            assert_eq!(keys.elements().collect::<Vec<_>>(), wanted);
            for &element in wanted {
                assert_eq!(keys.key(element).unwrap(), objects.galois_keys.key(element).unwrap());
            }
        }
        assert!(!all.contains(&5));
        assert!(GaloisKeys::load_elements(file.as_slice(), &objects.context, &[5, 0, 2]).unwrap().is_empty());
        // What is skipped is checked all the same.
        let mut broken = saved(&objects.galois_keys, &FULL);
        let last = broken.len() - 1;
        broken[last] = 0xFF;
        assert!(GaloisKeys::load_elements(broken.as_slice(), &objects.context, &all[..1]).is_err());
    }
}

#[test]
fn every_size_of_a_ciphertext_comes_back() {
    let objects = Objects::new(Scheme::Ckks, 16, 3);
    let evaluator = Evaluator::new(&objects.context);
    let mut power = objects.ciphertext.clone();
    power.set_scale(1.0);
    let factor = power.clone();
    for size in 3..=16 {
        power = evaluator.multiply(&power, &factor).unwrap();
        assert_eq!(power.size(), size);
        round_trip(&power, &objects.context);
    }
}

#[test]
fn both_generators_of_seeds_come_back() {
    let objects = Objects::new(Scheme::Bfv, 16, 3);
    let encryptor = Encryptor::symmetric(&objects.context, objects.secret_key.clone()).unwrap();
    for generator in [SealGenerator::Blake2xb, SealGenerator::Shake256] {
        let encryptor = Encryptor::symmetric(&objects.context, objects.secret_key.clone()).unwrap();
        let ciphertext = encryptor.expansion(generator).encrypt_symmetric(&objects.plaintext).unwrap();
        let bytes = saved(&ciphertext, &PLAIN);
        // The seed's own header, its generator, and 64 bytes are last.
        assert_eq!(bytes[bytes.len() - 65], generator.id());
        round_trip(&ciphertext, &objects.context);
    }
    assert!(encryptor.encrypt_symmetric(&objects.plaintext).unwrap().is_seeded());
}

/// Sizes that node-seal's own tests assert, and those of its real objects.
#[test]
fn sizes_are_those_of_seal() {
    let parameters = Parameters {
        scheme: Scheme::Bfv,
        degree: 4096,
        coeff_modulus: coeff_modulus::seal_default(4096, SecurityLevel::Bits128).unwrap(),
        plain_modulus: 1_032_193,
    };
    assert_eq!(saved(&Modulus(65_537), &PLAIN).len(), 24);
    assert_eq!(saved(&parameters, &PLAIN).len(), 57 + 24 * 3);
    let context = parameters.build().unwrap();
    let generator = KeyGenerator::new(&context).unwrap();
    let len = |object: &dyn Fn(&SaveOptions) -> u64| (object(&FULL), object(&PLAIN));
    let secret_key = generator.secret_key();
    assert_eq!(len(&|options| secret_key.saved_len(options)), (98_392, 98_392));
    let public_key = generator.public_key().unwrap();
    assert_eq!(len(&|options| public_key.saved_len(options)), (196_721, 98_498));
    let relin_keys = generator.relin_keys().unwrap();
    assert_eq!(len(&|options| relin_keys.saved_len(options)), (393_506, 197_060));
    let galois_keys = generator.galois_keys(GaloisSelection::All).unwrap();
    assert_eq!(len(&|options| galois_keys.saved_len(options)), (8_688_548, 4_366_736));
    let plaintext = Plaintext::from_coefficients(&[1, 2, 3]);
    assert_eq!(saved(&plaintext, &PLAIN).len(), 88 + 8 * 3);
    assert_eq!(saved(&Plaintext::from_coefficients(&[]), &PLAIN).len(), 88);
    let encryptor = Encryptor::with_keys(&context, Some(public_key), Some(secret_key.clone())).unwrap();
    let ciphertext = encryptor.encrypt(&plaintext).unwrap();
    assert_eq!(saved(&ciphertext, &PLAIN).len(), 113 + 8 * 2 * 4096 * 2);
    let seeded = encryptor.encrypt_symmetric(&plaintext).unwrap();
    assert_eq!(saved(&seeded, &PLAIN).len(), 194 + 8 * 4096 * 2);
    assert_eq!(saved(&seeded, &FULL).len(), 113 + 8 * 2 * 4096 * 2);
}

/// SEAL needs twelve words in place of the second polynomial to remember a seed in memory.
#[test]
fn short_polynomials_are_never_seeded() {
    for (degree, primes, seeded) in [(2, 6, false), (4, 3, false), (4, 4, true), (8, 3, true)] {
        let parameters = Parameters {
            scheme: Scheme::Ckks,
            degree,
            coeff_modulus: coeff_modulus::create(degree, &vec![36; primes]).unwrap(),
            plain_modulus: 0,
        };
        let context = parameters.builder().security(phoca_rlwe::Security::Insecure).build().unwrap();
        let generator = KeyGenerator::new(&context).unwrap();
        let encryptor = Encryptor::symmetric(&context, generator.secret_key().clone()).unwrap();
        // At the data level, which has one prime less.
        let zero = encryptor.encrypt_zero_symmetric().unwrap();
        let bytes = saved(&zero, &PLAIN);
        let Contents::Ciphertext(found) = inspect(bytes.as_slice()).unwrap().contents else {
            panic!("it is a ciphertext");
        };
        assert_eq!(found.seeded, seeded, "n = {degree}, {} data primes", primes - 1);
        assert!(Ciphertext::load(bytes.as_slice(), &context).unwrap() == zero);
    }
}

/// From node-seal 7.0.0, as base64 `XqEQBAEAAAAYAAAAAAAAAAEAAQAAAAAA`, `XqEQBAEBAAAdAAAAAAAAAHicY2RgZAABAAAWAAM=` and
/// `XqEQBAECAAAhAAAAAAAAACi1L/0gCEEAAAEAAQAAAAAA`.
#[test]
fn a_modulus_is_what_node_seal_writes() {
    let header = |compression, size| [0x5e, 0xa1, 0x10, 4, 1, compression, 0, 0, size, 0, 0, 0, 0, 0, 0, 0];
    let none = [1, 0, 1, 0, 0, 0, 0, 0];
    let zlib = [0x78, 0x9c, 0x63, 0x64, 0x60, 0x64, 0, 1, 0, 0, 0x16, 0, 3];
    let zstd = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 8, 0x41, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0];
    let files = [
        [&header(0, 24)[..], &none].concat(),
        [&header(1, 29)[..], &zlib].concat(),
        [&header(2, 33)[..], &zstd].concat(),
    ];
    for (file, compression) in files.iter().zip(COMPRESSIONS) {
        assert_eq!(Modulus::load(file.as_slice()).unwrap(), Modulus(65_537));
        let options = SaveOptions { compression, ..PLAIN };
        assert_eq!(&saved(&Modulus(65_537), &options), file);
    }
}

#[test]
fn parameters_need_not_be_complete() {
    for scheme in SCHEMES {
        let parameters = Parameters { scheme, degree: 0, coeff_modulus: Vec::new(), plain_modulus: 0 };
        let bytes = saved(&parameters, &PLAIN);
        assert_eq!(bytes.len(), 57);
        assert_eq!(Parameters::load(bytes.as_slice()).unwrap(), parameters);
    }
}

/// Plaintexts in every form that a context has.
#[test]
fn plaintexts_in_both_forms_come_back() {
    let objects = Objects::new(Scheme::Bgv, 16, 3);
    let context = &objects.context;
    round_trip(&Plaintext::from_coefficients(&[]), context);
    round_trip(&Plaintext::from_coefficients(&[0]), context);
    round_trip(&Plaintext::from_coefficients(&[12_288; 16]), context);
    let evaluator = Evaluator::new(context);
    for level in &context.levels()[1..] {
        round_trip(&evaluator.plain_to_ntt(&objects.plaintext, level.parms_id()).unwrap(), context);
    }
}

/// SEAL 4.0 keeps BGV ciphertexts in coefficient form.
#[test]
fn bgv_in_coefficient_form_loads_in_ntt_form() {
    let objects = Objects::new(Scheme::Bgv, 16, 3);
    let evaluator = Evaluator::new(&objects.context);
    let coefficients = evaluator.from_ntt(&objects.ciphertext).unwrap();
    let file = saved(&coefficients, &PLAIN);
    assert_ne!(file, saved(&objects.ciphertext, &PLAIN));
    let loaded = Ciphertext::load(file.as_slice(), &objects.context).unwrap();
    assert!(loaded.is_ntt_form() && loaded == objects.ciphertext);
    // Other schemes keep the form that the file has.
    let objects = Objects::new(Scheme::Bfv, 16, 3);
    round_trip(&Evaluator::new(&objects.context).to_ntt(&objects.ciphertext).unwrap(), &objects.context);
}

/// A seed expands to words of the form that the file has: coefficients in files of SEAL 4.0.
#[test]
fn an_empty_ciphertext_keeps_its_form() {
    for scheme in SCHEMES {
        let Objects { context, ciphertext: mut empty, .. } = Objects::new(scheme, 16, 3);
        empty.resize(0).unwrap();
        let file = saved(&empty, &PLAIN);
        for form in [0, 1] {
            let mut file = file.clone();
            file[16 + 32] = form;
            let loaded = Ciphertext::load(file.as_slice(), &context).unwrap();
            assert_eq!((loaded.size(), loaded.is_ntt_form()), (0, form == 1));
            assert_eq!(saved(&loaded, &PLAIN), file);
        }
    }
}

#[test]
fn ciphertexts_change_their_size() {
    let Objects { context, ciphertext, seeded, product, .. } = Objects::new(Scheme::Bfv, 16, 3);
    let mut longer = ciphertext.clone();
    longer.resize(4).unwrap();
    let (front, back) = longer.words().split_at(ciphertext.words().len());
    assert!(front == ciphertext.words() && back.len() == front.len() && back.iter().all(|&word| word == 0));
    assert!(longer.is_valid_for(&context) && longer.noise() == ciphertext.noise());
    longer.resize(2).unwrap();
    assert_eq!(longer, ciphertext);

    let mut shorter = product.clone();
    shorter.resize(2).unwrap();
    assert_eq!(shorter.words(), &product.words()[..shorter.words().len()]);
    assert_eq!(shorter.noise(), NoiseBound::UNKNOWN);
    let mut cleared = seeded.clone();
    cleared.resize(0).unwrap();
    cleared.resize(2).unwrap();
    // Its second polynomial is no expansion of the seed any more.
    assert!(cleared.is_transparent() && !cleared.is_seeded());
    for size in [1, 17, usize::MAX] {
        assert!(matches!(cleared.resize(size), Err(Error::SizeOutOfRange { got, .. }) if got == size));
    }
    assert_eq!(cleared.size(), 2);
}

#[test]
fn seeded_bgv_in_coefficient_form_is_expanded_before_the_transform() {
    let objects = Objects::new(Scheme::Bgv, 16, 3);
    let mut file = saved(&objects.seeded, &PLAIN);
    const NTT_FORM: usize = 16 + 32;
    assert_eq!(file[NTT_FORM], 1);
    file[NTT_FORM] = 0;
    let loaded = Ciphertext::load(file.as_slice(), &objects.context).unwrap();
    assert!(!loaded.is_seeded());
    let back = Evaluator::new(&objects.context).from_ntt(&loaded).unwrap();
    assert_eq!(back.words(), objects.seeded.words());
}

#[test]
fn writers_that_fail_are_reported() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let written = bytes.len().min(self.0);
            self.0 -= written;
            match written {
                0 => Err(std::io::ErrorKind::StorageFull.into()),
                _ => Ok(written),
            }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let objects = Objects::new(Scheme::Bfv, 16, 3);
    for compression in COMPRESSIONS {
        let options = SaveOptions { compression, ..PLAIN };
        let len = saved(&objects.ciphertext, &options).len();
        assert!(objects.ciphertext.save(Full(len), &options).is_ok());
        for room in [0, 15, 16, len - 1] {
            let error = objects.ciphertext.save(Full(room), &options).unwrap_err();
            assert!(matches!(error, FileError::Write { source } if source.kind() == std::io::ErrorKind::StorageFull));
        }
    }
}

/// Readers that give one byte at a time, and that are interrupted.
#[test]
fn slow_readers_are_read_to_the_end() {
    struct Slow<'a>(&'a [u8], bool);
    impl std::io::Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(std::io::ErrorKind::Interrupted.into());
            }
            let len = out.len().min(1);
            std::io::Read::read(&mut self.0, &mut out[..len])
        }
    }
    let objects = Objects::new(Scheme::Ckks, 16, 3);
    for compression in COMPRESSIONS {
        let file = saved(&objects.relin_keys, &SaveOptions { compression, ..PLAIN });
        assert!(RelinKeys::load(Slow(&file, false), &objects.context).unwrap() == objects.relin_keys);
    }
}

/// Types are told apart by the compiler alone.
#[test]
fn each_object_loads_as_its_own_type() {
    let objects = Objects::new(Scheme::Ckks, 16, 3);
    let context = &objects.context;
    let key = saved(&objects.secret_key, &PLAIN);
    assert!(Plaintext::load(key.as_slice(), context).is_err());
    assert!(SecretKey::load(saved(&objects.plaintext, &PLAIN).as_slice(), context).is_err());
    assert!(PublicKey::load(saved(&objects.ciphertext, &PLAIN).as_slice(), context).is_err());
    assert!(Ciphertext::load(saved(&objects.public_key, &PLAIN).as_slice(), context).is_err());
    assert!(RelinKeys::load(saved(&objects.galois_keys, &PLAIN).as_slice(), context).is_err());
    assert!(GaloisKeys::load(saved(&objects.ciphertext, &PLAIN).as_slice(), context).is_err());
    assert!(Parameters::load(saved(&Modulus(3), &PLAIN).as_slice()).is_err());
    assert!(Modulus::load(saved(context.parameters(), &PLAIN).as_slice()).is_err());
}
