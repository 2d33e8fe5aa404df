//! Files of Microsoft SEAL, node-seal and TenSEAL: each is loaded, identified, compared with what the library said
//! about it, used, and written again byte for byte.

use std::fs;
use std::path::PathBuf;

use phoca_rlwe::encode::{BatchEncoder, CkksEncoder};
use phoca_rlwe::seal::{
    Compression, Contents, Header, KeySwitchKind, Load, Modulus, Save, SaveOptions, Seeding, Version, inspect,
};
use phoca_rlwe::{
    Ciphertext, Context, Decryptor, Encryptor, Evaluator, GaloisKeys, Parameters, Plaintext, PublicKey, RelinKeys,
    Scheme, SecretKey, Security,
};
use serde_json::Value;

use crate::support::data;

const LIBRARIES: [&str; 4] = ["seal", "node-seal6", "node-seal7", "tenseal"];
const SCHEMES: [&str; 3] = ["bfv", "bgv", "ckks"];

/// A folder of files with what its library says about them.
struct Folder {
    path: PathBuf,
    expected: Value,
    context: Context,
    version: Version,
}

impl Folder {
    fn open(name: &str) -> Self {
        let path = data(name);
        let text = fs::read_to_string(path.join("expected.json")).unwrap();
        let expected: Value = serde_json::from_str(&text).unwrap();
        let file = fs::read(path.join("parms.seal")).unwrap();
        let parameters = Parameters::load(file.as_slice()).unwrap();
        let primes: Vec<u64> = expected["coeff_modulus"].as_array().unwrap().iter().map(word).collect();
        assert_eq!(parameters.scheme.name().to_lowercase(), expected["scheme"].as_str().unwrap());
        assert_eq!(parameters.degree as u64, word(&expected["n"]));
        assert_eq!(parameters.coeff_modulus, primes);
        assert_eq!(parameters.plain_modulus, word(&expected["plain_modulus"]));
        assert_eq!(parameters.parms_id().0, id(&expected["key_parms_id"]));
        Self {
            path,
            context: parameters.builder().security(Security::Insecure).build().unwrap(),
            version: match expected["seal_version"].as_str().unwrap() {
                "4.1" => Version::V4_1,
                "4.3" => Version::V4_3,
                "4.4" => Version::V4_4,
                other => panic!("no version {other}"),
            },
            expected,
        }
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path.join(name)).unwrap()
    }

    fn load<T: Load>(&self, name: &str) -> T {
        T::load(self.read(name).as_slice(), &self.context).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn files(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.expected["files"].as_object().unwrap().iter().map(|(name, file)| (name.as_str(), file))
    }

    fn options(&self, compression: Compression) -> SaveOptions {
        SaveOptions { compression, version: self.version, seeding: Seeding::Keep }
    }

    /// Loads `name`, and checks its header, that saving it gives the same bytes, and that both compressions give the
    /// same object.
    fn check<T: Load + PartialEq + std::fmt::Debug>(&self, name: &str, file: &Value) -> T {
        let object: T = self.load(name);
        self.check_saved(&object, name, file);
        for compression in [Compression::Zlib, Compression::Zstd] {
            let mut saved = Vec::new();
            object.save(&mut saved, &self.options(compression)).unwrap();
            assert!(T::load(saved.as_slice(), &self.context).unwrap() == object, "{name}");
        }
        if let Some(same) = file["same_as"].as_str() {
            assert!(self.load::<T>(same) == object, "{name} and {same}");
        }
        object
    }

    fn check_saved(&self, object: &impl Save, name: &str, file: &Value) {
        let bytes = self.read(name);
        let found = inspect(bytes.as_slice()).unwrap();
        let mut saved = Vec::new();
        let options = self.options(Compression::None);
        let len = object.save(&mut saved, &options).unwrap();
        assert_eq!(len, saved.len() as u64);
        assert_eq!(len, object.saved_len(&options));
        assert_eq!(found.uncompressed_len, len, "{name}");
        assert_eq!(found.header.size, word(&file["bytes"]));
        assert_eq!((found.header.major, found.header.minor), self.version.numbers());
        assert_eq!(found.header.compression.to_string(), file["compression"].as_str().unwrap());
        let original = match file["same_as"].as_str() {
            Some(same) => self.read(same),
            None => bytes.clone(),
        };
        if file["compression"] == "none" || file["same_as"].is_string() {
            assert!(saved == original, "{name} does not come out as it went in");
        }
        if file["compression"] == "zstd" {
            saved.clear();
            object.save(&mut saved, &self.options(Compression::Zstd)).unwrap();
            assert!(saved == bytes, "{name} does not compress as SEAL compresses it");
        }
    }

    /// Decrypts and decodes, and compares with what the library decrypted.
    fn check_decryption(&self, ciphertext: &Ciphertext, values: &Value, imaginary: &Value, name: &str) {
        let decryptor = Decryptor::new(&self.context, self.load("secret_key.seal")).unwrap();
        self.check_plaintext(&decryptor.decrypt(ciphertext).unwrap(), values, imaginary, name);
    }

    fn check_plaintext(&self, plaintext: &Plaintext, values: &Value, imaginary: &Value, name: &str) {
        let values = values.as_array().unwrap();
        assert!(!values.is_empty());
        if self.context.scheme() != Scheme::Ckks {
            let expected: Vec<i64> = values.iter().map(|value| value.as_i64().unwrap()).collect();
            let decoded = BatchEncoder::new(&self.context).unwrap().decode_signed(plaintext).unwrap();
            assert_eq!(decoded[..expected.len()], expected, "{name}");
            return;
        }
        let tolerance = self.expected["tolerance"].as_f64().unwrap();
        let decoded = CkksEncoder::new(&self.context).unwrap().decode_complex(plaintext).unwrap();
        for (slot, value) in values.iter().enumerate() {
            let difference = decoded[slot].re - value.as_f64().unwrap();
            assert!(difference.abs() < tolerance, "{name}: slot {slot} is off by {difference}");
            let difference = decoded[slot].im - imaginary[slot].as_f64().unwrap_or(0.0);
            assert!(difference.abs() < tolerance, "{name}: slot {slot} is off by {difference}i");
        }
    }

    /// What the library says about a ciphertext.
    fn check_ciphertext(&self, ciphertext: &Ciphertext, name: &str, file: &Value) {
        let Contents::Ciphertext(found) = inspect(self.read(name).as_slice()).unwrap().contents else {
            panic!("{name} is a ciphertext");
        };
        assert_eq!(found.seeded, file["seeded"].as_bool().unwrap(), "{name}");
        assert_eq!(ciphertext.is_seeded(), found.seeded, "{name}");
        if file["values"].is_null() {
            return;
        }
        let level = self.context.level(ciphertext.parms_id(), "the ciphertext").unwrap();
        assert_eq!(ciphertext.parms_id().0, id(&file["parms_id"]));
        assert_eq!(level.chain_index() as u64, word(&file["chain_index"]));
        assert_eq!(found.size as u64, word(&file["size"]));
        assert_eq!(found.prime_count as u64, word(&file["coeff_modulus_size"]));
        assert_eq!(ciphertext.scale(), file["scale"].as_f64().unwrap());
        assert_eq!(ciphertext.is_ntt_form(), file["is_ntt_form"].as_bool().unwrap());
        assert_eq!(ciphertext.correction_factor(), word(&file["correction_factor"]));
        self.check_decryption(ciphertext, &file["values"], &file["values_imag"], name);
        if let Some(budget) = file["noise_budget"].as_u64() {
            let decryptor = Decryptor::new(&self.context, self.load("secret_key.seal")).unwrap();
            let ours = decryptor.invariant_noise_budget(ciphertext).unwrap();
            assert_eq!(u64::from(ours), budget, "{name}");
        }
    }

    /// Encrypts under a public key.
    fn use_public_key(&self, key: PublicKey, name: &str) {
        let encryptor = Encryptor::new(&self.context, key).unwrap();
        let ciphertext = encryptor.encrypt(&self.load("plain.seal")).unwrap();
        let values = &self.expected["files"]["plain.seal"]["values"];
        self.check_decryption(&ciphertext, values, &Value::Null, name);
    }

    /// Relinearizes the library's product, and compares with the library's own result.
    fn use_relin_keys(&self, keys: &RelinKeys, name: &str) {
        let product = self.load("cipher.product.seal");
        let result = Evaluator::new(&self.context).relinearize(&product, keys).unwrap();
        let values = &self.expected["files"]["cipher.relinearized.seal"]["values"];
        self.check_decryption(&result, values, &Value::Null, name);
    }

    /// Rotates by one and swaps the rows or conjugates.
    fn use_galois_keys(&self, keys: &GaloisKeys, name: &str) {
        let evaluator = Evaluator::new(&self.context);
        let cipher = self.load("cipher.seal");
        let (rotated, other, other_name) = match self.context.scheme() {
            Scheme::Ckks => {
                (evaluator.rotate_vector(&cipher, 1, keys), evaluator.conjugate(&cipher, keys), "cipher.conjugate.seal")
            }
            _ => (
                evaluator.rotate_rows(&cipher, 1, keys),
                evaluator.rotate_columns(&cipher, keys),
                "cipher.rotate_columns.seal",
            ),
        };
        let files = &self.expected["files"];
        self.check_decryption(&rotated.unwrap(), &files["cipher.rotated.seal"]["values"], &Value::Null, name);
        self.check_decryption(&other.unwrap(), &files[other_name]["values"], &Value::Null, name);
    }

    fn check_key_switch_contents(&self, name: &str, file: &Value, expected: KeySwitchKind) {
        let contents = inspect(self.read(name).as_slice()).unwrap().contents;
        let Contents::KeySwitchKeys { kind, parms_id, digit_count, seeded_digit_count, entries, .. } = contents else {
            panic!("{name} is a set of keys");
        };
        assert_eq!(kind, expected, "{name}");
        assert_eq!(parms_id.0, id(&self.expected["key_parms_id"]));
        assert_eq!(digit_count, 3 * entries.len() as u64);
        let seeded = file["seeded"].as_bool().unwrap();
        assert_eq!(seeded_digit_count, if seeded { digit_count } else { 0 }, "{name}");
    }

    fn check_file(&self, name: &str, file: &Value) {
        match file["object"].as_str().unwrap() {
            "EncryptionParameters" => {
                let parameters = Parameters::load(self.read(name).as_slice()).unwrap();
                assert_eq!(&parameters, self.context.parameters());
                self.check_saved(&parameters, name, file);
                let contents = inspect(self.read(name).as_slice()).unwrap().contents;
                assert!(
                    matches!(contents, Contents::Parameters { parms_id, .. } if parms_id == Some(parameters.parms_id()))
                );
            }
            "Modulus" => {
                let modulus = Modulus::load(self.read(name).as_slice()).unwrap();
                assert_eq!(modulus.0, self.context.parameters().coeff_modulus[0]);
                self.check_saved(&modulus, name, file);
                let contents = inspect(self.read(name).as_slice()).unwrap().contents;
                assert_eq!(contents, Contents::Modulus { value: modulus.0 });
            }
            "Plaintext" => {
                let plaintext: Plaintext = self.check(name, file);
                let values = file["same_as"].as_str().map_or(file, |same| &self.expected["files"][same]);
                self.check_plaintext(&plaintext, &values["values"], &Value::Null, name);
                let contents = inspect(self.read(name).as_slice()).unwrap().contents;
                assert!(matches!(contents, Contents::Plaintext { maybe_secret_key: false, .. }));
            }
            "SecretKey" => {
                self.check::<SecretKey>(name, file);
                let contents = inspect(self.read(name).as_slice()).unwrap().contents;
                assert!(matches!(contents, Contents::Plaintext { maybe_secret_key: true, .. }));
            }
            "Ciphertext" => self.check_ciphertext(&self.check(name, file), name, file),
            "PublicKey" => {
                let key: PublicKey = self.check(name, file);
                assert_eq!(key.is_seeded(), file["seeded"].as_bool().unwrap());
                self.use_public_key(key, name);
            }
            "RelinKeys" => {
                self.check_key_switch_contents(name, file, KeySwitchKind::Relinearization);
                self.use_relin_keys(&self.check(name, file), name);
            }
            "GaloisKeys" => {
                self.check_key_switch_contents(name, file, KeySwitchKind::Galois);
                self.use_galois_keys(&self.check(name, file), name);
            }
            other => panic!("{name}: no test for a {other}"),
        }
    }
}

fn word(value: &Value) -> u64 {
    let parsed = value.as_str().map(|text| text.parse().unwrap());
    parsed.or_else(|| value.as_u64()).unwrap_or_else(|| panic!("{value} is no word"))
}

fn id(value: &Value) -> [u64; 4] {
    std::array::from_fn(|i| word(&value[i]))
}

#[test]
fn files_of_other_libraries_load_decrypt_and_come_out_as_they_went_in() {
    for library in LIBRARIES {
        for scheme in SCHEMES {
            let folder = Folder::open(&format!("{library}/{scheme}"));
            let mut count = 0;
            for (name, file) in folder.files() {
                folder.check_file(name, file);
                count += 1;
            }
            let fewest = if library.starts_with("node-seal") { 30 } else { 14 };
            assert!(count >= fewest, "{library}/{scheme} has only {count} files");
        }
    }
}

/// Primes of odd shapes, for which dozens of words of each expansion are rejected, and both generators.
#[test]
fn seeds_expand_as_in_seal_where_words_are_rejected() {
    for scheme in SCHEMES {
        let folder = Folder::open(&format!("rejection/{scheme}"));
        for (name, file) in folder.files() {
            let Some(source) = file["expanded_from"].as_str() else {
                continue;
            };
            if file["object"] == "PublicKey" {
                folder.check::<PublicKey>(source, &folder.expected["files"][source]);
                assert!(folder.load::<PublicKey>(name) == folder.load(source), "{name}");
                continue;
            }
            let seeded: Ciphertext = folder.check(source, &folder.expected["files"][source]);
            assert!(seeded.is_seeded() && folder.load::<Ciphertext>(name) == seeded, "{name}");
            folder.check_ciphertext(&seeded, source, &folder.expected["files"][source]);
        }
    }
}

/// Objects one after the other in one reader, as a protocol may send them.
#[test]
fn objects_load_back_to_back() {
    let folder = Folder::open("node-seal7/bfv");
    let names = ["cipher.zstd.seal", "cipher.seal", "cipher.zlib.seal", "cipher.symmetric.seeded.zstd.seal"];
    let mut bytes: Vec<u8> = names.iter().flat_map(|name| folder.read(name)).collect();
    bytes.extend(folder.read("modulus.zlib.seal"));
    let mut reader = bytes.as_slice();
    for name in names {
        assert!(Ciphertext::load(&mut reader, &folder.context).unwrap() == folder.load(name));
    }
    assert_eq!(reader.len() as u64, word(&folder.expected["files"]["modulus.zlib.seal"]["bytes"]));
    assert!(Modulus::load(&mut reader).is_ok() && reader.is_empty());
    assert_eq!(Header::LEN, 16);
}
