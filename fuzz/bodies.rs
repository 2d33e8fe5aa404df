//! What the fuzz targets do with their input. The replay of the corpus in `phoca-rlwe`'s tests runs the same functions.
//!
//! Each loads the input with a context of each scheme. What loads must be a valid object: it comes back from every
//! form it is saved in, [`inspect`] knows it, and operations use it without panicking.
#![allow(dead_code, reason = "each target uses one of these functions")]

use std::sync::OnceLock;

use phoca_rlwe::seal::{self, Compression, Load, Modulus, Save, SaveOptions, Seeding};
use phoca_rlwe::{
    Ciphertext, Context, Decryptor, Encryptor, Evaluator, GaloisKeys, GaloisSelection, KeyGenerator, Parameters,
    Plaintext, PublicKey, RelinKeys, Scheme, SecretKey, Security, coeff_modulus,
};

/// Does with an input what a target does, and says whether it was accepted.
pub type Body = fn(&[u8]) -> bool;

/// Every target with its function.
pub const TARGETS: [(&str, Body); 8] = [
    ("parameters", parameters),
    ("plaintext", plaintext),
    ("ciphertext", ciphertext),
    ("secret_key", secret_key),
    ("public_key", public_key),
    ("relin_keys", relin_keys),
    ("galois_keys", galois_keys),
    ("inspect", inspect),
];

/// A context of one scheme, `n = 8` and three primes, with an object of each kind.
pub struct Party {
    pub context: Context,
    pub secret_key: SecretKey,
    pub public_key: PublicKey,
    pub relin_keys: RelinKeys,
    pub galois_keys: GaloisKeys,
    pub plaintext: Plaintext,
    pub ciphertext: Ciphertext,
    pub seeded: Ciphertext,
    pub product: Ciphertext,
}

/// The parties of BFV, CKKS and BGV, always the same.
pub fn parties() -> &'static [Party; 3] {
    static PARTIES: OnceLock<[Party; 3]> = OnceLock::new();
    PARTIES.get_or_init(|| [Scheme::Bfv, Scheme::Ckks, Scheme::Bgv].map(Party::new))
}

impl Party {
    fn new(scheme: Scheme) -> Self {
        let parameters = Parameters {
            scheme,
            degree: 8,
            coeff_modulus: coeff_modulus::create(8, &[36; 3]).expect("there are such primes"),
            plain_modulus: if scheme == Scheme::Ckks { 0 } else { 97 },
        };
        let context = parameters.builder().security(Security::Insecure).build().expect("they are valid");
        let generator = KeyGenerator::insecure_from_seed(&context, [1; 32]).expect("it needs no system");
        let secret_key = generator.secret_key().clone();
        let public_key = generator.public_key().expect("it needs no system");
        let plaintext = match scheme {
            Scheme::Ckks => {
                let encoder = phoca_rlwe::encode::CkksEncoder::new(&context).expect("the scheme is CKKS");
                encoder.encode(&[1.5, -2.0], 2_f64.powi(20)).expect("they fit")
            }
            _ => Plaintext::from_coefficients(&[1, 2, 96]),
        };
        let encryptor = Encryptor::with_keys(&context, Some(public_key.clone()), Some(secret_key.clone()))
            .expect("the keys are its own")
            .insecure_from_seed([2; 32]);
        let ciphertext = encryptor.encrypt(&plaintext).expect("the plaintext fits");
        Self {
            product: Evaluator::new(&context).square(&ciphertext).expect("a fresh ciphertext has a square"),
            seeded: encryptor.encrypt_symmetric(&plaintext).expect("the plaintext fits"),
            relin_keys: generator.relin_keys().expect("there is a special prime"),
            galois_keys: generator.galois_keys(GaloisSelection::Steps(&[0, 1])).expect("there is a special prime"),
            context,
            secret_key,
            public_key,
            plaintext,
            ciphertext,
        }
    }
}

/// Parameters and moduli, which need no context.
pub fn parameters(data: &[u8]) -> bool {
    if let Some(modulus) = accepted(Modulus::load(data)) {
        check(data, &modulus, |bytes| Modulus::load(bytes).ok());
        return true;
    }
    let Some(parameters) = accepted(Parameters::load(data)) else {
        return false;
    };
    check(data, &parameters, |bytes| Parameters::load(bytes).ok());
    // Building a context of a large degree takes long, and is not what is tested here.
    if parameters.degree <= 64 && parameters.coeff_modulus.len() <= 8 {
        drop(parameters.builder().security(Security::Insecure).build());
    }
    true
}

pub fn plaintext(data: &[u8]) -> bool {
    load_all(data, |party, plaintext: Plaintext| {
        let encryptor = Encryptor::symmetric(&party.context, party.secret_key.clone());
        drop(encryptor.expect("the key is its own").encrypt_symmetric(&plaintext));
        drop(Evaluator::new(&party.context).multiply_plain(&party.ciphertext, &plaintext));
    })
}

pub fn ciphertext(data: &[u8]) -> bool {
    load_all(data, |party, ciphertext: Ciphertext| {
        let decryptor = Decryptor::new(&party.context, party.secret_key.clone()).expect("the key is its own");
        drop(decryptor.decrypt(&ciphertext));
        drop(decryptor.invariant_noise_budget(&ciphertext));
        let evaluator = Evaluator::new(&party.context);
        drop(evaluator.multiply(&ciphertext, &party.ciphertext));
        drop(evaluator.add(&ciphertext, &party.ciphertext));
        drop(evaluator.mod_switch_to_next(&ciphertext));
    })
}

pub fn secret_key(data: &[u8]) -> bool {
    load_all(data, |party, key: SecretKey| {
        let decryptor = Decryptor::new(&party.context, key).expect("it is at the key level");
        drop(decryptor.decrypt(&party.ciphertext));
    })
}

pub fn public_key(data: &[u8]) -> bool {
    load_all(data, |party, key: PublicKey| {
        let encryptor = Encryptor::new(&party.context, key).expect("it is at the key level");
        drop(encryptor.insecure_from_seed([3; 32]).encrypt(&party.plaintext));
    })
}

pub fn relin_keys(data: &[u8]) -> bool {
    load_all(data, |party, keys: RelinKeys| {
        drop(Evaluator::new(&party.context).relinearize(&party.product, &keys));
    })
}

pub fn galois_keys(data: &[u8]) -> bool {
    load_all(data, |party, keys: GaloisKeys| {
        for element in keys.elements() {
            drop(Evaluator::new(&party.context).apply_galois(&party.ciphertext, element, &keys));
        }
    })
}

/// Any object, without a context. What it finds in a file that does not load means nothing.
pub fn inspect(data: &[u8]) -> bool {
    let mut rest = data;
    match accepted(seal::inspect(&mut rest)) {
        Some(found) => {
            assert_eq!(found.header.size, (data.len() - rest.len()) as u64, "it reads exactly the object");
            assert!(!format!("{found:?}").is_empty());
            true
        }
        None => false,
    }
}

/// Loads the input for each scheme, checks what loads and hands it to `operate`.
fn load_all<T: Load + PartialEq>(data: &[u8], operate: impl Fn(&Party, T)) -> bool {
    let mut any = false;
    for party in parties() {
        if let Some(object) = accepted(T::load(data, &party.context)) {
            check(data, &object, |bytes| T::load(bytes, &party.context).ok());
            operate(party, object);
            any = true;
        }
    }
    any
}

/// The object; errors must have a text.
fn accepted<T>(result: Result<T, seal::FileError>) -> Option<T> {
    result.map_err(|error| assert!(!error.to_string().is_empty())).ok()
}

/// Saves the object in several forms, from which it must come back.
fn check<T: Save + PartialEq>(data: &[u8], object: &T, load: impl Fn(&[u8]) -> Option<T>) {
    assert!(seal::inspect(data).is_ok(), "what loads can be inspected");
    // One compression in turn, since compressing is by far the slowest part.
    let compression = [Compression::None, Compression::Zlib, Compression::Zstd][data.len() % 3];
    for (seeding, compression) in
        [(Seeding::Keep, Compression::None), (Seeding::Full, Compression::None), (Seeding::Keep, compression)]
    {
        let options = SaveOptions { compression, seeding, ..SaveOptions::default() };
        let mut bytes = Vec::new();
        object.save(&mut bytes, &options).expect("a vector takes everything");
        if compression == Compression::None {
            assert_eq!(bytes.len() as u64, object.saved_len(&options));
        }
        assert!(load(&bytes).is_some_and(|loaded| loaded == *object), "{options:?}");
    }
}
