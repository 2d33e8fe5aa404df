//! The peer writes; Phoca loads, computes and writes; the peer loads that and decrypts it.

use std::fs;
use std::io::{BufReader, Read};

use phoca_rlwe::seal::{Compression, FileError, Load, Modulus, Save, SaveOptions, Seeding};
use phoca_rlwe::{Ciphertext, Encryptor, GaloisKeys, Parameters, Plaintext, PublicKey, RelinKeys, SecretKey};
use serde_json::json;

use crate::Result;
use crate::exchange::{Exchange, Row, check_contents, saved, uncompressed};
use crate::party::Trickle;

impl Exchange<'_> {
    pub fn receive(&mut self, row: &Row) -> Result {
        match row.kind {
            "parms" => self.receive_parameters(row),
            "modulus" => self.receive_modulus(row),
            "secret_key" => self.receive_secret_key(row),
            "public_key" => self.receive_public_key(row),
            "relin_keys" => self.receive_relin_keys(row),
            "galois_keys" => self.receive_galois_keys(row),
            "plain" => self.receive_plaintext(row),
            _ => self.receive_ciphertext(row),
        }
    }

    /// Loads a file at once and in pieces, writes it again byte for byte, and lets the peer load what was written.
    fn reload<T, L>(&mut self, row: &Row, load: L) -> Result<T>
    where
        T: Save + PartialEq,
        L: Fn(&mut dyn Read) -> std::result::Result<T, FileError>,
    {
        let path = self.path(row.file);
        let file = fs::read(&path)?;
        check_contents(&file, self.compression, self.peer.stamp, row.seeded)?;
        let object = load(&mut file.as_slice())?;
        let mut pieces = Trickle::new(BufReader::new(fs::File::open(&path)?));
        if load(&mut pieces)? != object {
            return Err("read in pieces it is another object".into());
        }
        if pieces.read(&mut [0])? != 0 {
            return Err("bytes are left behind the object".into());
        }
        let mut options = SaveOptions { version: self.version, ..SaveOptions::default() };
        if saved(&object, &options)? != uncompressed(&file)? {
            return Err("Phoca writes other bytes than it read".into());
        }
        // Zstandard's own library compresses on both sides; for zlib there are as many encoders as libraries.
        options.compression = Compression::Zstd;
        if self.compression == Compression::Zstd && saved(&object, &options)? != file {
            return Err("Phoca compresses to other bytes than it read".into());
        }
        let again = self.write(&object, "again", Seeding::Keep)?;
        self.peer_rewrites(row, &again, &object)?;
        Ok(object)
    }

    fn reload_in_context<T: Load + Save + PartialEq>(&mut self, row: &Row) -> Result<T> {
        let context = self.party.context.clone();
        self.reload(row, |reader| T::load(reader, &context))
    }

    fn cipher(&self) -> Result<Ciphertext> {
        self.load(&self.path("cipher"))
    }

    fn receive_parameters(&mut self, row: &Row) -> Result {
        let parameters = self.reload(row, |reader| Parameters::load(reader))?;
        let same_id = parameters.parms_id() == self.party.context.key_level().parms_id();
        match same_id && parameters == self.set.parameters {
            true => Ok(()),
            false => Err(format!("these are {parameters:?}").into()),
        }
    }

    fn receive_modulus(&mut self, row: &Row) -> Result {
        let modulus = self.reload(row, |reader| Modulus::load(reader))?;
        match modulus.0 == self.set.parameters.coeff_modulus[0] {
            true => Ok(()),
            false => Err(format!("this is {}", modulus.0).into()),
        }
    }

    /// The peer decrypts with the key that Phoca wrote.
    fn receive_secret_key(&mut self, row: &Row) -> Result {
        let key: SecretKey = self.reload_in_context(row)?;
        let again = self.write(&key, "again", Seeding::Keep)?;
        let cipher = self.cipher()?;
        self.party.check(&cipher, &self.set.slots)?;
        let answer = self.ask("decrypt", json!({"secret_key": again, "cipher": self.path("cipher")}))?;
        self.set.slots.expect_json(&answer["values"])?;
        self.agree(&answer, &cipher)
    }

    fn receive_public_key(&mut self, row: &Row) -> Result {
        let key: PublicKey = self.reload_in_context(row)?;
        let encryptor = Encryptor::new(&self.party.context, key)?;
        let ciphertext = encryptor.encrypt(&self.party.encode(self.set)?)?;
        self.party.check(&ciphertext, &self.set.slots)?;
        self.peer_decrypts(&ciphertext, &self.set.slots)
    }

    fn receive_relin_keys(&mut self, row: &Row) -> Result {
        let keys: RelinKeys = self.reload_in_context(row)?;
        let expected = self.set.slots.square();
        let product = self.party.evaluator.square(&self.cipher()?)?;
        let relinearized = self.party.evaluator.relinearize(&product, &keys)?;
        let switched = self.party.switch(&relinearized)?;
        for ciphertext in [&product, &relinearized, &switched] {
            self.party.check(ciphertext, &expected)?;
        }
        self.peer_decrypts(&relinearized, &expected)?;
        self.peer_decrypts(&switched, &expected)
    }

    /// A rotation left, one right, and the swap of rows or the conjugation, one after the other.
    fn receive_galois_keys(&mut self, row: &Row) -> Result {
        let keys: GaloisKeys = self.reload_in_context(row)?;
        let left = self.party.rotate(&self.cipher()?, 1, &keys)?;
        let mut expected = self.set.slots.rotated(1);
        self.party.check(&left, &expected)?;
        let right = self.party.rotate(&left, -3, &keys)?;
        expected = expected.rotated(-3);
        self.party.check(&right, &expected)?;
        let swapped = self.party.rotate(&right, 0, &keys)?;
        expected = expected.swapped();
        self.party.check(&swapped, &expected)?;
        self.peer_decrypts(&swapped, &expected)
    }

    fn receive_plaintext(&mut self, row: &Row) -> Result {
        let plaintext: Plaintext = self.reload_in_context(row)?;
        self.set.slots.expect(&self.party.decode(&plaintext)?)?;
        let sum = self.party.evaluator.add_plain(&self.cipher()?, &plaintext)?;
        self.party.check(&sum, &self.set.slots.times(2.0))?;
        self.peer_decrypts(&sum, &self.set.slots.times(2.0))
    }

    fn receive_ciphertext(&mut self, row: &Row) -> Result {
        let ciphertext: Ciphertext = self.reload_in_context(row)?;
        if ciphertext.is_seeded() != row.seeded {
            return Err("the seed is lost".into());
        }
        self.party.check(&ciphertext, &self.set.slots)?;
        self.peer_decrypts(&ciphertext, &self.set.slots)?;
        let product = self.party.evaluator.multiply(&ciphertext, &self.cipher()?)?;
        self.peer_decrypts(&product, &self.set.slots.square())
    }
}
