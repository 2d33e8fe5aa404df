//! Replays the corpus of the fuzz target of TFHE's files, whole and cut; `PHOCA_WRITE_CORPUS=1` writes its seeds.

use std::fs;
use std::path::{Path, PathBuf};

use phoca_tfhe::files::{Stored, save};
use phoca_tfhe::{boolean, integer, shortint};

#[path = "../../../fuzz/tfhe_objects.rs"]
mod bodies;

type Failure = Box<dyn std::error::Error>;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/tfhe_objects")
}

fn write(name: &str, object: &impl Stored) -> Result<(), Failure> {
    fs::create_dir_all(corpus())?;
    Ok(save(object, fs::File::create(corpus().join(name))?)?)
}

fn write_seeds() -> Result<(), Failure> {
    let key = shortint::ClientKey::generate(bodies::TINY)?;
    write("client_key", &key)?;
    write("server_key", &key.server_key()?)?;
    write("short_integer", &key.encrypt(3)?)?;
    write("seeded_short_integer", &key.encrypt_seeded(2)?)?;
    write("integer", &integer::ClientKey::new(key).encrypt(&[0xe4], 4)?)?;
    write("boolean", &boolean::ClientKey::generate(&bodies::TINY)?.encrypt(true))?;
    write("boolean_in_the_clear", &boolean::Ciphertext::trivial(true))
}

#[test]
fn every_file_of_the_corpus_passes() -> Result<(), Failure> {
    if std::env::var_os("PHOCA_WRITE_CORPUS").is_some() {
        write_seeds()?;
    }
    let (mut files, mut accepted) = (0, 0);
    for entry in fs::read_dir(corpus())? {
        let bytes = fs::read(entry?.path())?;
        accepted += usize::from(bodies::tfhe_objects(&bytes));
        files += 1;
        for cut in [bytes.len() / 2, bytes.len().saturating_sub(1), 10.min(bytes.len())] {
            bodies::tfhe_objects(&bytes[..cut]);
            bodies::tfhe_objects(&bytes[cut..]);
        }
    }
    assert!(files >= 7 && 2 * accepted >= files, "{accepted} of {files} files are accepted");
    Ok(())
}
