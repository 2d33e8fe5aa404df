//! Interruption: temporary files are removed before the program ends.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{CliError, ExitCode, Result};

/// The temporary files that exist now.
static TEMPORARY: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Makes SIGINT, SIGTERM and SIGHUP remove the temporary files and exit with code 130.
pub fn install_handler() -> Result<()> {
    ctrlc::set_handler(|| {
        // Held until the program ends, so that no file is created or renamed meanwhile.
        let files = lock();
        for file in files.iter() {
            // Nobody is left to be told about a failure.
            let _ = if file.is_dir() { fs::remove_dir_all(file) } else { fs::remove_file(file) };
        }
        std::process::exit(ExitCode::Interrupted as i32);
    })
    .map_err(|error| CliError::failed(format!("cannot handle interruption: {error}")))
}

/// Runs `action` without being interrupted; it may add and remove temporary files.
pub fn uninterrupted<T>(action: impl FnOnce(&mut Temporary) -> T) -> T {
    action(&mut Temporary(lock()))
}

/// The temporary files, locked.
pub struct Temporary(MutexGuard<'static, BTreeSet<PathBuf>>);

impl Temporary {
    /// Notes a file, or a directory with all that is in it, that an interruption removes.
    pub fn add(&mut self, path: &Path) {
        self.0.insert(path.to_owned());
    }

    /// Forgets a file.
    pub fn forget(&mut self, path: &Path) {
        self.0.remove(path);
    }
}

fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // The set is whole even where a holder panicked.
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}
