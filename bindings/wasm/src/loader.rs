//! Galois keys from a file that arrives in pieces: each key is made as soon as its bytes are there, so that no more than one key
//! is in memory twice.

use phoca::seal::{Header, Load};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::context::Context;
use crate::error::{Result, Thrown};
use crate::keys::GaloisKeys;

/// Bytes in front of the entries: header, id, and their number.
const HEAD: usize = 16 + 32 + 8;
/// Bytes of a count, and of the header in front of each digit of a key.
const COUNT: usize = 8;
const HEADER: usize = Header::LEN as usize;

/// Takes the pieces of an uncompressed file of Galois keys.
#[wasm_bindgen]
pub struct GaloisLoader {
    context: Context,
    head: Option<[u8; HEAD]>,
    /// The bytes of the head and of the entries that are done.
    taken: u64,
    /// The number of the next entry.
    entry: u64,
    /// What has arrived of it.
    pending: Vec<u8>,
    keys: Option<phoca::GaloisKeys>,
}

#[wasm_bindgen]
impl GaloisLoader {
    /// For keys of a context.
    #[wasm_bindgen(constructor)]
    pub fn new(context: &Context) -> Self {
        Self { context: Context(context.0.clone()), head: None, taken: 0, entry: 0, pending: Vec::new(), keys: None }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.pending.extend_from_slice(bytes);
        let mut used = self.take_head();
        let Some(head) = self.head else { return Ok(()) };
        let count = u64::from_le_bytes(last_word(&head));
        if count > self.context.0.degree() as u64 {
            // The loader of whole files knows what to say of it.
            return Err(
                phoca::GaloisKeys::load(head.as_slice(), &self.context.0).map_or_else(Thrown::from, |_| cut_off())
            );
        }
        while self.entry < count {
            let Some(len) = self.entry_len(&self.pending[used..])? else { break };
            let entry = used..used + len;
            if len > COUNT {
                let key = self.load(&head, self.entry, &self.pending[entry.clone()])?;
                self.add(key)?;
            }
            used = entry.end;
            self.entry += 1;
        }
        self.pending.drain(..used);
        self.taken += used as u64;
        if self.entry == count && !self.pending.is_empty() {
            return Err(Thrown::stream("bytes follow the last key: the stream holds more than one object"));
        }
        Ok(())
    }

    /// The keys, once the last bytes are there.
    pub fn finish(self) -> Result<GaloisKeys> {
        let Some(head) = self.head else { return Err(cut_off()) };
        if self.entry != u64::from_le_bytes(last_word(&head)) {
            return Err(cut_off());
        }
        // Each entry is loaded behind a header of its own, so that nobody else has looked at this size.
        if u64::from_le_bytes(last_word(&head[..HEADER])) != self.taken {
            return Err(Thrown::stream(
                "the header of the stream has another size than the keys after it; it is damaged",
            ));
        }
        match self.keys {
            Some(keys) => Ok(GaloisKeys(keys)),
            None => Ok(GaloisKeys(self.load(&head, self.entry, &[])?)),
        }
    }
}

impl GaloisLoader {
    /// Takes the head once, and says how many bytes that used.
    fn take_head(&mut self) -> usize {
        match (self.head, self.pending.first_chunk::<HEAD>()) {
            (None, Some(&head)) => {
                self.head = Some(head);
                HEAD
            }
            _ => 0,
        }
    }

    /// The length of the entry that starts here, if all of it is here.
    fn entry_len(&self, bytes: &[u8]) -> Result<Option<usize>> {
        let Some(count) = bytes.first_chunk::<COUNT>() else { return Ok(None) };
        let digits = u64::from_le_bytes(*count);
        let (most, longest) = (self.context.0.key_level().prime_count() as u64, self.context.bytes(2) + 256);
        if digits > most {
            return Err(too_long());
        }
        let mut len = COUNT;
        for _ in 0..digits {
            let Some(header) = bytes.get(len..len + HEADER) else { return Ok(None) };
            let size = u64::from_le_bytes(last_word(header));
            if size < HEADER as u64 || size > longest {
                return Err(too_long());
            }
            len += size as usize;
        }
        Ok((len <= bytes.len()).then_some(len))
    }

    /// Loads a file with one entry, the others being empty: `before` of them in front of it.
    fn load(&self, head: &[u8; HEAD], before: u64, entry: &[u8]) -> Result<phoca::GaloisKeys> {
        let count = u64::from_le_bytes(last_word(head));
        let after = count - before - u64::from(!entry.is_empty());
        let len = HEAD + COUNT * (before + after) as usize + entry.len();
        let mut file = Vec::with_capacity(len);
        file.extend_from_slice(&head[..COUNT]);
        file.extend_from_slice(&(len as u64).to_le_bytes());
        file.extend_from_slice(&head[HEADER..]);
        file.resize(file.len() + COUNT * before as usize, 0);
        file.extend_from_slice(entry);
        file.resize(len, 0);
        Ok(phoca::GaloisKeys::load(file.as_slice(), &self.context.0)?)
    }

    fn add(&mut self, key: phoca::GaloisKeys) -> Result<()> {
        self.keys = Some(match self.keys.take() {
            Some(keys) => keys.merged(key)?,
            None => key,
        });
        Ok(())
    }
}

fn last_word(bytes: &[u8]) -> [u8; COUNT] {
    bytes.last_chunk().copied().unwrap_or_default()
}

fn cut_off() -> Thrown {
    Thrown::stream("the stream ends inside of the Galois keys; it was cut off")
}

fn too_long() -> Thrown {
    Thrown::stream("a key in the stream is longer than any of this context; it is damaged or for other parameters")
}
