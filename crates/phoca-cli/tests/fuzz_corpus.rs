//! Replays the corpus of the fuzz targets that read the program's own inputs, whole and cut.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use phoca_cli::fuzzing;

/// A target's name and what it does with an input.
type Target = (&'static str, fn(&[u8]) -> bool);

#[test]
fn every_file_of_the_corpus_passes() {
    let targets: [Target; 5] = [
        ("container", fuzzing::container),
        ("csv_table", fuzzing::csv_table),
        ("expression_text", fuzzing::expression_text),
        ("json_array", fuzzing::json_array),
        ("npy_array", fuzzing::npy_array),
    ];
    for (name, body) in targets {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
        let (mut files, mut accepted) = (0, 0);
        for entry in fs::read_dir(folder).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            accepted += usize::from(body(&bytes));
            files += 1;
            for cut in [bytes.len() / 2, bytes.len().saturating_sub(1), 10.min(bytes.len())] {
                body(&bytes[..cut]);
                body(&bytes[cut..]);
            }
        }
        // A corpus that no longer gets past the first checks would be of no use.
        assert!(files >= 4 && 2 * accepted >= files, "{name}: {accepted} of {files} files are accepted");
    }
}
