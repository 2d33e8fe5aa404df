//! Replays the corpus of the fuzz targets through the functions that they run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[path = "../../../fuzz/bodies.rs"]
mod bodies;

#[test]
fn every_file_of_the_corpus_passes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let folders = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let targets = bodies::TARGETS.map(|(name, _)| name.to_owned());
    // The other folders are those of the program's own inputs.
    assert!(folders.collect::<BTreeSet<_>>().is_superset(&BTreeSet::from(targets)));
    for (name, body) in bodies::TARGETS {
        let (mut files, mut accepted) = (0, 0);
        for entry in fs::read_dir(corpus.join(name)).unwrap() {
            accepted += usize::from(body(&fs::read(entry.unwrap().path()).unwrap()));
            files += 1;
        }
        // A corpus that no longer gets past the first checks would be of no use.
        assert!(files >= 10 && 2 * accepted >= files, "{name}: {accepted} of {files} files are accepted");
    }
}

/// Pieces of the files of one target as input of all others.
#[test]
fn files_of_other_targets_and_cut_files_pass() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for (name, _) in bodies::TARGETS {
        for entry in fs::read_dir(corpus.join(name)).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            for (_, body) in bodies::TARGETS {
                body(&bytes);
                body(&bytes[..bytes.len() / 2]);
                body(&bytes[16.min(bytes.len())..]);
            }
        }
    }
}
