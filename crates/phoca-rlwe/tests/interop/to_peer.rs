//! Phoca writes; the peer loads, computes and decrypts; Phoca loads the peer's results and decrypts them.

use std::fs;

use phoca_rlwe::seal::{Modulus, Save, Seeding, Version};
use phoca_rlwe::{
    Ciphertext, Encryptor, GaloisKeys, GaloisSelection, KeyGenerator, Plaintext, PublicKey, RelinKeys, Scheme,
    SecretKey,
};
use serde_json::{Value, json};

use crate::Result;
use crate::exchange::{Exchange, Row, check_contents};
use crate::party::STEPS;
use crate::slots::Slots;

/// One object of each kind.
pub struct Objects {
    secret_key: SecretKey,
    public_key: PublicKey,
    relin_keys: RelinKeys,
    galois_keys: GaloisKeys,
    plain: Plaintext,
    cipher: Ciphertext,
    symmetric: Ciphertext,
}

impl Objects {
    pub fn new(generator: &KeyGenerator, exchange: &Exchange<'_>) -> Result<Self> {
        let context = &exchange.party.context;
        let (secret_key, public_key) = (generator.secret_key().clone(), generator.public_key()?);
        let encryptor = Encryptor::with_keys(context, Some(public_key.clone()), Some(secret_key.clone()))?;
        let plain = exchange.party.encode(exchange.set)?;
        let mut cipher = encryptor.encrypt(&plain)?;
        let mut symmetric = encryptor.encrypt_symmetric(&plain)?;
        if exchange.version == Version::V4_0 && exchange.set.scheme() == Scheme::Bgv {
            cipher = exchange.party.evaluator.from_ntt(&cipher)?;
            symmetric = exchange.party.evaluator.from_ntt(&symmetric)?;
        }
        Ok(Self {
            relin_keys: generator.relin_keys()?,
            galois_keys: generator.galois_keys(GaloisSelection::Steps(&STEPS))?,
            secret_key,
            public_key,
            plain,
            cipher,
            symmetric,
        })
    }
}

impl Exchange<'_> {
    /// Writes one file of the folder.
    pub fn send(&mut self, row: &Row, objects: &Objects) -> Result {
        match row.kind {
            "parms" => self.send_object(row, &self.set.parameters),
            "modulus" => self.send_object(row, &Modulus(self.set.parameters.coeff_modulus[0])),
            "secret_key" => self.send_object(row, &objects.secret_key),
            "public_key" => self.send_object(row, &objects.public_key),
            "relin_keys" => self.send_object(row, &objects.relin_keys),
            "galois_keys" => self.send_object(row, &objects.galois_keys),
            "plain" => self.send_object(row, &objects.plain),
            _ => self.send_object(row, self.sent_ciphertext(row, objects)),
        }
    }

    fn sent_ciphertext<'b>(&self, row: &Row, objects: &'b Objects) -> &'b Ciphertext {
        if row.file == "cipher" { &objects.cipher } else { &objects.symmetric }
    }

    fn send_object(&self, row: &Row, object: &impl Save) -> Result {
        let seeding = if row.seeded { Seeding::Keep } else { Seeding::Full };
        let file = fs::read(self.write(object, row.file, seeding)?)?;
        check_contents(&file, self.compression, self.version, row.seeded && !self.is_coefficient_bgv(row))
    }

    /// SEAL 4.0's BGV ciphertexts, which have no seed any more.
    fn is_coefficient_bgv(&self, row: &Row) -> bool {
        self.version == Version::V4_0 && self.set.scheme() == Scheme::Bgv && row.kind == "cipher"
    }

    /// The peer uses every object of the folder.
    pub fn peer_evaluates(&mut self) -> Result<Value> {
        let mut fields = self.set.request();
        if let Some(fields) = fields.as_object_mut() {
            fields.retain(|name, _| ["values", "scale", "galois_steps", "security"].contains(&name.as_str()));
        }
        fields["dir"] = json!(self.dir);
        self.ask("evaluate_all", fields)
    }

    /// The peer writes the object as Phoca does, its verdicts are good, and Phoca reads what it computed.
    pub fn returned(&mut self, row: &Row, objects: &Objects, verdicts: &Result<Value>) -> Result {
        self.rewritten(row, objects)?;
        let verdicts = verdicts.as_ref().map_err(|error| error.to_string())?;
        for name in self.verdict_names(row) {
            if verdicts["correct"][&name] != true {
                return Err(format!("{}: {}: {}", self.peer.name, name, verdicts["correct"][&name]).into());
            }
        }
        let path = self.path(row.file);
        match row.kind {
            "secret_key" | "public_key" => self.peer_encrypts(row),
            "relin_keys" => self.peer_relinearizes(row),
            "galois_keys" => self.peer_rotates(row),
            "plain" => {
                let fields = json!({"op": "add_plain", "inputs": [self.path("cipher")], "plain": path});
                self.peer_computes(fields, "sum", &self.set.slots.times(2.0)).map(|_| ())
            }
            "cipher" => {
                if !self.is_coefficient_bgv(row) {
                    let step = if row.file == "cipher" { "decrypt" } else { row.file };
                    self.agree(&verdicts["info"][step], self.sent_ciphertext(row, objects))?;
                }
                let fields = json!({"op": "add", "inputs": [self.path("cipher"), path]});
                self.peer_computes(fields, "sum", &self.set.slots.times(2.0)).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    fn rewritten(&mut self, row: &Row, objects: &Objects) -> Result {
        let path = self.path(row.file);
        match row.kind {
            "parms" => self.peer_rewrites(row, &path, &self.set.parameters),
            "modulus" => self.peer_rewrites(row, &path, &Modulus(self.set.parameters.coeff_modulus[0])),
            "secret_key" => self.peer_rewrites(row, &path, &objects.secret_key),
            "public_key" => self.peer_rewrites(row, &path, &objects.public_key),
            "relin_keys" => self.peer_rewrites(row, &path, &objects.relin_keys),
            "galois_keys" => self.peer_rewrites(row, &path, &objects.galois_keys),
            "plain" => self.peer_rewrites(row, &path, &objects.plain),
            _ if self.is_coefficient_bgv(row) => {
                let transformed = self.party.evaluator.to_ntt(self.sent_ciphertext(row, objects))?;
                self.peer_rewrites(row, &path, &transformed)
            }
            _ => self.peer_rewrites(row, &path, self.sent_ciphertext(row, objects)),
        }
    }

    /// The steps of `evaluate_all` that use this file.
    fn verdict_names(&self, row: &Row) -> Vec<String> {
        let exact = self.set.scheme() != Scheme::Ckks;
        let (switch, swap) = if exact { ("mod_switch", "rotate_columns") } else { ("rescale", "conjugate") };
        let file = row.file;
        match row.kind {
            "secret_key" => vec!["decrypt".into()],
            "public_key" => vec![format!("encrypt with {file}")],
            "relin_keys" => {
                let relinearized = format!("multiply + relinearize ({file})");
                vec![format!("{relinearized} + {switch}"), relinearized]
            }
            "galois_keys" => ["rotate 1", "rotate -3", swap].map(|step| format!("{step} ({file})")).into(),
            "plain" => vec!["decode".into(), "add_plain".into()],
            "cipher" if file == "cipher" => vec!["decrypt".into(), "multiply".into()],
            "cipher" => vec![file.into()],
            _ => Vec::new(),
        }
    }

    fn peer_encrypts(&mut self, row: &Row) -> Result {
        let out = self.path("encrypted");
        let mut fields = json!({"plain": self.path("plain"), "out": out, "compression": self.peer_compression()});
        fields[row.kind] = json!(self.path(row.file));
        self.ask("encrypt", fields)?;
        self.party.check(&self.load(&out)?, &self.set.slots)
    }

    fn peer_relinearizes(&mut self, row: &Row) -> Result {
        let squares = self.set.slots.square();
        let cipher = self.path("cipher");
        let (product, _) =
            self.peer_computes(json!({"op": "multiply", "inputs": [cipher, cipher]}), "product", &squares)?;
        let fields = json!({"op": "relinearize", "inputs": [product], "relin_keys": self.path(row.file)});
        let (relinearized, _) = self.peer_computes(fields, "relinearized", &squares)?;
        let switch = if self.set.scheme() == Scheme::Ckks { "rescale" } else { "mod_switch" };
        self.peer_computes(json!({"op": switch, "inputs": [relinearized]}), "switched", &squares)?;
        Ok(())
    }

    fn peer_rotates(&mut self, row: &Row) -> Result {
        let keys = self.path(row.file);
        let mut expected: Slots = self.set.slots.clone();
        let mut path = self.path("cipher");
        for steps in STEPS {
            let mut fields = match (steps, self.set.scheme()) {
                (0, Scheme::Ckks) => json!({"op": "conjugate"}),
                (0, _) => json!({"op": "rotate_columns"}),
                _ => json!({"op": "rotate", "steps": steps}),
            };
            expected = if steps == 0 { expected.swapped() } else { expected.rotated(steps) };
            fields["inputs"] = json!([path]);
            fields["galois_keys"] = json!(keys);
            (path, _) = self.peer_computes(fields, &format!("rotated.{steps}"), &expected)?;
        }
        Ok(())
    }
}
