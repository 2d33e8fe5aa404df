//! Writes the seeds of the fuzz targets to `fuzz/corpus/`: `cargo run --example make_corpus` in this folder.

use std::fs;
use std::path::Path;

use phoca_rlwe::seal::{Compression, Modulus, Save, SaveOptions, Seeding, Version};

#[path = "../bodies.rs"]
mod bodies;
#[path = "../../crates/phoca-rlwe/tests/seal_files/raw.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod raw;

const NONE: SaveOptions =
    SaveOptions { compression: Compression::None, version: Version::V4_1, seeding: Seeding::Keep };
const FULL: SaveOptions = SaveOptions { seeding: Seeding::Full, version: Version::V4_4, ..NONE };
const ZLIB: SaveOptions = SaveOptions { compression: Compression::Zlib, ..NONE };
const ZSTD: SaveOptions = SaveOptions { compression: Compression::Zstd, ..NONE };
const FORMS: [(&str, SaveOptions); 4] = [("none", NONE), ("full", FULL), ("zlib", ZLIB), ("zstd", ZSTD)];

fn main() {
    for party in bodies::parties() {
        let scheme = party.context.scheme().name().to_lowercase();
        let file = |target: &str, name: &str, object: &dyn Fn(&SaveOptions) -> Vec<u8>| {
            for (form, options) in FORMS {
                write(target, &format!("{scheme}.{name}.{form}"), &object(&options));
            }
            // One of each kind is enough where the context does not matter.
            write("inspect", &format!("{scheme}.{target}.{name}"), &object(&NONE));
        };
        file("parameters", "parameters", &|options| bytes(party.context.parameters(), options));
        file("plaintext", "plaintext", &|options| bytes(&party.plaintext, options));
        file("ciphertext", "public", &|options| bytes(&party.ciphertext, options));
        file("ciphertext", "symmetric", &|options| bytes(&party.seeded, options));
        file("ciphertext", "product", &|options| bytes(&party.product, options));
        file("secret_key", "key", &|options| bytes(&party.secret_key, options));
        file("public_key", "key", &|options| bytes(&party.public_key, options));
        file("relin_keys", "keys", &|options| bytes(&party.relin_keys, options));
        file("galois_keys", "keys", &|options| bytes(&party.galois_keys, options));
        for (name, style) in [("3.4", raw::Style::Legacy), ("3.5", raw::Style::Version(3, 5))] {
            let old = raw::RawCiphertext { style, ..raw::RawCiphertext::of(&party.seeded) };
            write("ciphertext", &format!("{scheme}.{name}"), &old.bytes());
            write("ciphertext", &format!("{scheme}.{name}.seeded"), &old.seeded(vec![7; 64]).bytes());
        }
    }
    for (form, options) in FORMS {
        write("parameters", &format!("modulus.{form}"), &bytes(&Modulus(65_537), &options));
        write("inspect", &format!("modulus.{form}"), &bytes(&Modulus(65_537), &options));
        write("inspect", &format!("ciphertext.{form}"), &bytes(&bodies::parties()[0].seeded, &options));
    }
}

fn bytes(object: &impl Save, options: &SaveOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    object.save(&mut bytes, options).expect("a vector takes everything");
    bytes
}

fn write(target: &str, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    fs::create_dir_all(&folder).expect("the folder can be made");
    fs::write(folder.join(name), bytes).expect("the file can be written");
}
