//! Where results go: standard output or a file, which appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

use phoca::seal::Contents;
use tempfile::NamedTempFile;

use crate::container::{ContainerReader, MAGIC};
use crate::error::{CliError, Result};
use crate::inspect::SEAL_MAGIC;
use crate::interrupt;

/// What a file is for, which decides about permissions and overwriting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Binary data; not for a terminal. Replaces an existing file unless that is a key.
    Binary,
    /// A key that others may read. Never replaces a file.
    PublicKey,
    /// A secret key: readable by its owner only. Never replaces a file.
    SecretKey,
    /// Text.
    Text,
}

/// An output being written. Nothing is at its path until [`Output::commit`].
pub struct Output {
    writer: BufWriter<Target>,
    path: PathBuf,
    purpose: Purpose,
}

enum Target {
    /// A device or pipe, which cannot be renamed.
    Direct(File),
    Stdout,
    Temporary(NamedTempFile),
}

impl Output {
    /// Opens the output: standard output for no path and for `-`, else a temporary file beside the path.
    pub fn create(path: Option<&Path>, purpose: Purpose) -> Result<Self> {
        let path = path.filter(|path| path.as_os_str() != "-");
        let target = match path {
            None => Target::stdout(purpose)?,
            Some(path) => Target::file(path, purpose).map_err(|error| error.file(path))?,
        };
        Ok(Self {
            writer: BufWriter::with_capacity(1 << 16, target),
            path: path.unwrap_or(Path::new("-")).to_owned(),
            purpose,
        })
    }

    /// Whether this is standard output.
    pub fn is_stdout(&self) -> bool {
        matches!(self.writer.get_ref(), Target::Stdout)
    }

    /// The path, `-` for standard output.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Brings everything to its place.
    pub fn commit(self) -> Result<()> {
        Self::commit_all(vec![self])
    }

    /// Brings several outputs to their places, all or none.
    pub fn commit_all(outputs: Vec<Self>) -> Result<()> {
        let mut ready = Vec::with_capacity(outputs.len());
        for output in outputs {
            let Self { writer, path, purpose } = output;
            let named = |error: io::Error| CliError::from(error).file(&path);
            let mut target = writer.into_inner().map_err(|error| named(error.into_error()))?;
            target.flush().map_err(named)?;
            if let Target::Temporary(file) = target {
                file.as_file().sync_all().map_err(named)?;
                ready.push((file, path, purpose));
            }
        }
        interrupt::uninterrupted(|temporary| {
            let mut done: Vec<PathBuf> = Vec::new();
            for (file, path, purpose) in ready {
                let name = file.path().to_owned();
                let result = rename(file, &path, purpose);
                temporary.forget(&name);
                if let Err(error) = result {
                    for path in done {
                        // The first error is the one to report.
                        let _ = fs::remove_file(path);
                    }
                    return Err(error.file(path));
                }
                if matches!(purpose, Purpose::PublicKey | Purpose::SecretKey) {
                    done.push(path);
                }
            }
            Ok(())
        })
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.writer.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Target {
    fn stdout(purpose: Purpose) -> Result<Self> {
        if purpose != Purpose::Text && stdout().is_terminal() {
            return Err(CliError::usage("this is binary data, which would garble the terminal")
                .hint("-o FILE writes it to a file, `| cat` pipes it"));
        }
        Ok(Self::Stdout)
    }

    fn file(path: &Path, purpose: Purpose) -> Result<Self> {
        if let Ok(metadata) = fs::metadata(path) {
            if metadata.is_dir() {
                return Err(CliError::usage("this is a directory, but a file is to be written"));
            }
            if !metadata.is_file() {
                return Ok(Self::Direct(OpenOptions::new().write(true).open(path)?));
            }
            check_replaceable(path, purpose)?;
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".phoca-").suffix(".tmp");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = if purpose == Purpose::SecretKey { 0o600 } else { 0o666 };
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        interrupt::uninterrupted(|temporary| {
            let file = builder.tempfile_in(directory)?;
            temporary.add(file.path());
            Ok(Self::Temporary(file))
        })
    }
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Direct(file) => file.write(buffer),
            Self::Stdout => stdout().write(buffer),
            Self::Temporary(file) => file.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Direct(file) => file.flush(),
            Self::Stdout => stdout().flush(),
            Self::Temporary(file) => file.flush(),
        }
    }
}

fn rename(file: NamedTempFile, path: &Path, purpose: Purpose) -> Result<()> {
    match purpose {
        Purpose::PublicKey | Purpose::SecretKey => {
            file.persist_noclobber(path).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => exists(),
                _ => error.error.into(),
            })?;
        }
        Purpose::Binary | Purpose::Text => {
            // A symbolic link stays one: its target is replaced.
            let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            match file.persist(&target) {
                Ok(_) => {}
                // The link leads to another file system, or the target is elsewhere: replace the link itself.
                Err(error) if error.error.kind() == io::ErrorKind::CrossesDevices => {
                    error.file.persist(path).map_err(|error| error.error)?;
                }
                Err(error) => return Err(error.error.into()),
            }
        }
    }
    Ok(())
}

/// Refuses to replace a key, and for a key to replace anything.
fn check_replaceable(path: &Path, purpose: Purpose) -> Result<()> {
    if matches!(purpose, Purpose::PublicKey | Purpose::SecretKey) {
        return Err(exists());
    }
    let mut start = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut start));
    let key = match read {
        Ok(()) if start == MAGIC => {
            let kind = ContainerReader::open(path).ok().map(|reader| reader.manifest().kind);
            kind.filter(|kind| kind.is_key()).map(|kind| kind.name())
        }
        Ok(()) if start.starts_with(&SEAL_MAGIC) => seal_key(path),
        _ => None,
    };
    match key {
        Some(key) => Err(CliError::failed(format!("this file holds a {key}, and keys are not overwritten"))
            .hint("write to another file, or remove the key first")),
        None => Ok(()),
    }
}

/// Which key an object of SEAL is, where it can only be one or may be a secret one.
fn seal_key(path: &Path) -> Option<&'static str> {
    let file = io::BufReader::new(File::open(path).ok()?);
    match phoca::seal::inspect(file).ok()?.contents {
        Contents::Plaintext { maybe_secret_key: true, .. } => Some("secret key"),
        Contents::KeySwitchKeys { .. } => Some("key-switching key"),
        _ => None,
    }
}

fn exists() -> CliError {
    CliError::failed("the file exists, and keys are not overwritten").hint("choose another directory with -o")
}
