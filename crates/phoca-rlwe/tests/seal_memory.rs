//! How much memory loading and saving take, measured as the peak of this process: one test only, so that nothing else
//! runs beside it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap in a test is a failed test")]

use std::fs;
use std::io::{self, Read, Write};

use phoca_rlwe::seal::{Compression, FileError, Load, Save, SaveOptions, Seeding, inspect};
use phoca_rlwe::{Ciphertext, Encryptor, KeyGenerator, Parameters, Plaintext, Scheme, Security, coeff_modulus};

const MIB: usize = 1 << 20;
/// For chunks, windows of the decompressors, and whatever else the process does.
const SLACK: usize = 2 * MIB;

/// The peak so far, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: usize = line.trim().trim_end_matches(" kB").parse().unwrap();
    kib * 1024
}

/// The memory that `work` takes at most, beyond what the process already has.
fn measure<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let (start, ballast) = fill_to_peak();
    let result = work();
    let used = peak() - start;
    drop(ballast);
    (result, used)
}

/// The peak so far, with as much ballast as makes the process use just that, so that all that comes next shows.
fn fill_to_peak() -> (usize, Vec<u8>) {
    let resident = fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = resident.split(' ').nth(1).unwrap().parse().unwrap();
    let gap = peak().saturating_sub(4096 * pages);
    let ballast = std::hint::black_box(vec![1_u8; gap]);
    (peak(), ballast)
}

/// Gives `head`, then zeros until `len` bytes are given, then the end.
struct Zeros<'a> {
    head: &'a [u8],
    len: usize,
}

impl Read for Zeros<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = out.len().min(self.len);
        let head = self.head.len().min(len);
        out[..head].copy_from_slice(&self.head[..head]);
        out[head..len].fill(0);
        self.head = &self.head[head..];
        self.len -= len;
        Ok(len)
    }
}

/// Forgets what is written.
struct Nowhere;

impl Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn memory_follows_what_arrives() {
    let parameters = Parameters {
        scheme: Scheme::Ckks,
        degree: 1 << 17,
        coeff_modulus: coeff_modulus::create(1 << 17, &[50; 9]).unwrap(),
        plain_modulus: 0,
    };
    let context = parameters.builder().security(Security::Insecure).build().unwrap();
    let key = KeyGenerator::new(&context).unwrap().secret_key().clone();
    let encryptor = Encryptor::symmetric(&context, key).unwrap();
    let seeded = encryptor.encrypt_zero_symmetric().unwrap();
    let object = 8 * seeded.words().len();
    assert_eq!(object, 16 * MIB);

    // Saving needs chunks only, compressed or not; Zstandard's encoder has a window of its own.
    let options = SaveOptions::default();
    for compression in [Compression::None, Compression::Zlib, Compression::Zstd] {
        if compression.is_available() {
            let options = SaveOptions { compression, ..options };
            let (_, used) = measure(|| seeded.save(Nowhere, &options).unwrap());
            println!("{compression}: saving {object} bytes took {used}");
            let window = if compression == Compression::Zstd { 8 * MIB } else { 0 };
            assert!(used <= SLACK + window, "{compression}: saving took {used}");
        }
    }
    let mut file = Vec::new();
    seeded.save(&mut file, &options).unwrap();

    // A ciphertext that claims 16 polynomials, 128 MiB, in a file that is cut.
    let mut claim = file[..113].to_vec();
    claim[8..16].copy_from_slice(&(113 + 8 * object as u64).to_le_bytes());
    claim[49] = 16;
    let array_size = 24 + 8 * object as u64;
    claim[97..105].copy_from_slice(&array_size.to_le_bytes());
    claim[105..113].copy_from_slice(&(object as u64).to_le_bytes());
    for len in [113, 200, 100_000, MIB] {
        let reader = Zeros { head: &claim, len };
        let (result, used) = measure(|| Ciphertext::load(reader, &context));
        assert!(matches!(result, Err(FileError::Truncated { .. })));
        println!("{len} bytes: {used}");
        assert!(used <= SLACK + 9 * len, "{len} bytes made loading take {used}");
    }
    assert!(matches!(inspect(Zeros { head: &claim, len: MIB }), Err(FileError::Truncated { .. })));

    // A count far above the context's is refused before anything.
    let mut huge = claim.clone();
    huge[105..113].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    let (result, used) = measure(|| Ciphertext::load(Zeros { head: &huge, len: MIB }, &context));
    assert!(matches!(result, Err(FileError::Count { got, .. }) if got == 1 << 40));
    assert!(used <= SLACK);
    assert!(Plaintext::load(Zeros { head: &huge, len: MIB }, &context).is_err());

    // Real objects: the object, an eighth of it while it grows, and chunks.
    for compression in [Compression::None, Compression::Zlib, Compression::Zstd] {
        if !compression.is_available() {
            continue;
        }
        let mut file = Vec::new();
        let seeding = Seeding::Full;
        seeded.save(&mut file, &SaveOptions { compression, seeding, ..options }).unwrap();
        let (loaded, used) = measure(|| Ciphertext::load(file.as_slice(), &context).unwrap());
        assert!(loaded == seeded);
        println!("{compression}: loading {object} bytes took {used}");
        let window = if compression == Compression::Zstd { 8 * MIB } else { 0 };
        assert!(used <= object + object / 8 + window + SLACK, "{compression}: loading took {used}");
    }
}
