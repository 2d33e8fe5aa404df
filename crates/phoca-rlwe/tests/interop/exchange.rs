//! One folder of files between a peer and Phoca: what both directions need.

use std::cell::RefCell;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use phoca_rlwe::Ciphertext;
use phoca_rlwe::seal::{Compression, Contents, Header, Load, Save, SaveOptions, Seeding, Version, inspect};
use serde_json::{Value, json};

use crate::Result;
use crate::party::{Party, Set};
use crate::peer::Peer;
use crate::slots::Slots;

/// What is sent: one row of the matrix, one file of a folder.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The protocol's name of the object.
    pub kind: &'static str,
    /// The file's name without its ending.
    pub file: &'static str,
    pub label: &'static str,
    pub seeded: bool,
}

const fn row(kind: &'static str, file: &'static str, label: &'static str, seeded: bool) -> Row {
    Row { kind, file, label, seeded }
}

pub const ROWS: [Row; 13] = [
    row("parms", "parms", "parameters", false),
    row("modulus", "modulus", "modulus", false),
    row("secret_key", "secret_key", "secret key", false),
    row("public_key", "public_key", "public key, full", false),
    row("public_key", "public_key.seeded", "public key, seeded", true),
    row("relin_keys", "relin_keys", "relin keys, full", false),
    row("relin_keys", "relin_keys.seeded", "relin keys, seeded", true),
    row("galois_keys", "galois_keys", "Galois keys, full", false),
    row("galois_keys", "galois_keys.seeded", "Galois keys, seeded", true),
    row("plain", "plain", "plaintext", false),
    row("cipher", "cipher", "ciphertext, public key", false),
    row("cipher", "cipher.symmetric", "ciphertext, symmetric, full", false),
    row("cipher", "cipher.symmetric.seeded", "ciphertext, symmetric, seeded", true),
];

/// Noise budgets that both sides computed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budgets {
    pub compared: usize,
    pub largest_difference: u64,
    /// Where both sides computed other words: by how many bits Phoca's result has more budget than the peer's, at
    /// least and at most.
    pub gain: Option<(i64, i64)>,
}

pub struct Exchange<'a> {
    pub peer: &'a mut Peer,
    pub set: &'a Set,
    pub party: Party,
    pub dir: PathBuf,
    /// The compression of all that Phoca writes.
    pub compression: Compression,
    /// The version in all that Phoca writes.
    pub version: Version,
    pub budgets: RefCell<Budgets>,
}

impl Exchange<'_> {
    pub fn path(&self, stem: &str) -> PathBuf {
        self.dir.join(format!("{stem}.seal"))
    }

    /// Asks with the folder's parameters.
    pub fn ask(&mut self, command: &str, mut fields: Value) -> Result<Value> {
        fields["parms"] = json!(self.path("parms"));
        fields["security"] = self.set.security_bits().into();
        self.peer.ask(command, fields)
    }

    /// What the peer's own results are compressed with.
    pub fn peer_compression(&self) -> String {
        let writes = &self.peer.writes;
        let same = writes.iter().find(|&&mode| mode == self.compression);
        same.unwrap_or(&writes[0]).to_string()
    }

    pub fn write(&self, object: &impl Save, stem: &str, seeding: Seeding) -> Result<PathBuf> {
        let path = self.path(stem);
        let options = SaveOptions { compression: self.compression, version: self.version, seeding };
        fs::write(&path, saved(object, &options)?)?;
        Ok(path)
    }

    pub fn load<T: Load>(&self, path: &Path) -> Result<T> {
        Ok(T::load(fs::read(path)?.as_slice(), &self.party.context)?)
    }

    /// The peer loads `path` and writes it again, in full: that is what Phoca would write for this peer.
    pub fn peer_rewrites(&mut self, row: &Row, path: &Path, object: &impl Save) -> Result {
        let out = self.path("rewritten");
        let compression = self.peer.writes[0].to_string();
        self.ask("resave", json!({"kind": row.kind, "in": path, "out": out, "compression": compression}))?;
        let options = SaveOptions { version: self.peer.stamp, seeding: Seeding::Full, ..SaveOptions::default() };
        match uncompressed(&fs::read(out)?)? == saved(object, &options)? {
            true => Ok(()),
            false => Err("the peer writes it otherwise than Phoca".into()),
        }
    }

    /// The peer decrypts what Phoca computed, and says the same about it as Phoca.
    pub fn peer_decrypts(&mut self, ciphertext: &Ciphertext, expected: &Slots) -> Result {
        let cipher = self.write(ciphertext, "result", Seeding::Keep)?;
        let answer = self.ask("decrypt", json!({"secret_key": self.path("secret_key"), "cipher": cipher}))?;
        expected.expect_json(&answer["values"]).map_err(|error| format!("{} decrypts: {error}", self.peer.name))?;
        self.agree(&answer, ciphertext)
    }

    /// The peer computes; Phoca loads the result, checks it and returns it with its path.
    pub fn peer_computes(&mut self, mut fields: Value, out: &str, expected: &Slots) -> Result<(PathBuf, Ciphertext)> {
        let out = self.path(out);
        fields["out"] = json!(out);
        fields["compression"] = self.peer_compression().into();
        let answer = self.ask("compute", fields)?;
        let ciphertext = self.load(&out)?;
        self.party.check(&ciphertext, expected).map_err(|error| format!("Phoca decrypts: {error}"))?;
        self.agree(&answer, &ciphertext)?;
        Ok((out, ciphertext))
    }

    /// Compares what a driver says of a ciphertext with what Phoca knows of it.
    pub fn agree(&self, answer: &Value, ciphertext: &Ciphertext) -> Result {
        let level = self.party.context.level(ciphertext.parms_id(), "the ciphertext")?;
        let ours = json!({
            "size": ciphertext.size(),
            "chain_index": level.chain_index(),
            "coeff_modulus_size": ciphertext.prime_count(),
            "is_ntt_form": ciphertext.is_ntt_form(),
            "correction_factor": ciphertext.correction_factor().to_string(),
            "parms_id": ciphertext.parms_id().0.map(|word| word.to_string()),
        });
        for (field, value) in ours.as_object().ok_or("an object")? {
            if &answer[field] != value {
                return Err(format!("{field} is {} for the peer and {value} for Phoca", answer[field]).into());
            }
        }
        if answer["scale"].as_f64() != Some(ciphertext.scale()) {
            return Err(format!("scale is {} for the peer, {} for Phoca", answer["scale"], ciphertext.scale()).into());
        }
        match answer["noise_budget"].as_u64() {
            Some(budget) => self.agree_on_budget(budget, ciphertext),
            None => Ok(()),
        }
    }

    /// Notes how the budgets of two results of one operation differ.
    pub fn compare_budgets(&self, ours: &Ciphertext, theirs: &Ciphertext) -> Result {
        if let (Some(ours), Some(theirs)) = (self.party.budget(ours)?, self.party.budget(theirs)?) {
            let gain = i64::from(ours) - i64::from(theirs);
            self.budgets.borrow_mut().merge(Budgets { gain: Some((gain, gain)), ..Budgets::default() });
        }
        Ok(())
    }

    fn agree_on_budget(&self, theirs: u64, ciphertext: &Ciphertext) -> Result {
        let ours = self.party.budget(ciphertext)?.map(u64::from).ok_or("the peer has a noise budget in CKKS")?;
        let mut budgets = self.budgets.borrow_mut();
        budgets.compared += 1;
        budgets.largest_difference = budgets.largest_difference.max(theirs.abs_diff(ours));
        match theirs.abs_diff(ours) {
            0 | 1 => Ok(()),
            _ => Err(format!("a noise budget of {theirs} bits for the peer, {ours} for Phoca").into()),
        }
    }
}

pub fn saved(object: &impl Save, options: &SaveOptions) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let len = object.save(&mut bytes, options)?;
    match len == bytes.len() as u64 && (options.compression != Compression::None || len == object.saved_len(options)) {
        true => Ok(bytes),
        false => Err(format!("{len} bytes announced, {} written", bytes.len()).into()),
    }
}

/// The file as it would be without compression, made without Phoca.
pub fn uncompressed(file: &[u8]) -> Result<Vec<u8>> {
    let (header, members) = file.split_at_checked(Header::LEN as usize).ok_or("no header")?;
    let mut plain = header.to_vec();
    match header[5] {
        0 => plain.extend(members),
        1 => {
            flate2::read::ZlibDecoder::new(members).read_to_end(&mut plain)?;
        }
        2 => plain.extend(zstd::decode_all(members)?),
        other => return Err(format!("no compression {other}").into()),
    }
    plain[5] = 0;
    let len = plain.len() as u64;
    plain[8..16].copy_from_slice(&len.to_le_bytes());
    Ok(plain)
}

/// Checks what the headers and the layout say: compression, version and form.
pub fn check_contents(file: &[u8], compression: Compression, version: Version, seeded: bool) -> Result {
    let found = inspect(file)?;
    if found.header.compression != compression || (found.header.major, found.header.minor) != version.numbers() {
        return Err(format!("its header is {:?}", found.header).into());
    }
    let is_seeded = match found.contents {
        Contents::Ciphertext(summary) => summary.seeded,
        Contents::KeySwitchKeys { digit_count, seeded_digit_count, .. } => {
            digit_count > 0 && digit_count == seeded_digit_count
        }
        _ => false,
    };
    match is_seeded == seeded {
        true => Ok(()),
        false => Err(format!("seeded is {is_seeded} and should be {seeded}").into()),
    }
}
