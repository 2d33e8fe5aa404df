//! Where results go: standard output or a file, which appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

use phoca::seal::Contents;
use tempfile::NamedTempFile;

use crate::container::{ContainerReader, Kind, MAGIC};
use crate::error::{CliError, ExitCode, Result};
use crate::inspect::SEAL_MAGIC;
use crate::interrupt::{self, Temporary};

mod unnamed;

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
    /// A file beside the one that it will replace, which is not a link.
    Temporary(NamedTempFile, PathBuf),
    /// A file in the directory of the one that it will replace, without a name until it is complete, so that it is gone
    /// with the program whatever ends it.
    Unnamed(File, PathBuf),
}

/// Other names of standard output. Renaming a file to one of them would replace the name.
const STDOUT_NAMES: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
/// The most symbolic links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

impl Output {
    /// Opens the output: standard output for no path and for `-`, else a temporary file beside the path.
    pub fn create(path: Option<&Path>, purpose: Purpose) -> Result<Self> {
        let path = path.filter(|path| path.as_os_str() != "-");
        let target = match path {
            None => Target::stdout(purpose)?,
            Some(path) if STDOUT_NAMES.iter().any(|name| path.as_os_str() == *name) => Target::stdout(purpose)?,
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
            target.sync().map_err(named)?;
            ready.push((target, path, purpose));
        }
        interrupt::uninterrupted(|temporary| {
            let mut done: Vec<PathBuf> = Vec::new();
            for (target, path, purpose) in ready {
                if let Err(error) = target.publish(purpose, temporary) {
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
        check_terminal(&stdout(), purpose)?;
        Ok(Self::Stdout)
    }

    fn file(path: &Path, purpose: Purpose) -> Result<Self> {
        if let Ok(metadata) = fs::metadata(path) {
            if metadata.is_dir() {
                return Err(CliError::usage("this is a directory, but a file is to be written"));
            }
            if !metadata.is_file() {
                let file = OpenOptions::new().write(true).open(path)?;
                check_terminal(&file, purpose)?;
                return Ok(Self::Direct(file));
            }
        }
        let destination = match purpose {
            Purpose::Binary | Purpose::Text => follow_links(path)?,
            // A link is a file that exists.
            Purpose::PublicKey | Purpose::SecretKey => path.to_owned(),
        };
        check_replaceable(&destination, purpose)?;
        let directory = parent(&destination).to_owned();
        if !directory.exists() {
            // Else the error would name the temporary file.
            let message = format!("the directory {} does not exist", directory.display());
            return Err(CliError::new(ExitCode::Io, message));
        }
        let mode = if purpose == Purpose::SecretKey { 0o600 } else { 0o666 };
        if let Some(file) = unnamed::create(&directory, mode) {
            return Ok(Self::Unnamed(file, destination));
        }
        let mut builder = temporary_names();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        interrupt::uninterrupted(|temporary| {
            let file = builder.tempfile_in(directory)?;
            temporary.add(file.path());
            Ok(Self::Temporary(file, destination))
        })
    }

    /// Brings what was written to the disk.
    fn sync(&self) -> io::Result<()> {
        match self {
            Self::Direct(_) | Self::Stdout => Ok(()),
            Self::Temporary(file, _) => file.as_file().sync_all(),
            Self::Unnamed(file, _) => file.sync_all(),
        }
    }

    /// Brings a complete file to its place.
    fn publish(self, purpose: Purpose, temporary: &mut Temporary) -> Result<()> {
        match self {
            Self::Direct(_) | Self::Stdout => Ok(()),
            Self::Temporary(file, destination) => {
                let name = file.path().to_owned();
                let result = rename(file, &destination, purpose);
                temporary.forget(&name);
                result
            }
            Self::Unnamed(file, destination) => rename(unnamed::name(&file, &destination)?, &destination, purpose),
        }
    }
}

/// The names of temporary files.
fn temporary_names() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".phoca-").suffix(".tmp");
    builder
}

/// The directory of a file.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl Write for Target {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match self {
            Self::Direct(file) => file.write(buffer),
            Self::Stdout => stdout().write(buffer),
            Self::Temporary(file, _) => file.write(buffer),
            Self::Unnamed(file, _) => file.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Direct(file) => file.flush(),
            Self::Stdout => stdout().flush(),
            Self::Temporary(file, _) => file.flush(),
            Self::Unnamed(file, _) => file.flush(),
        }
    }
}

fn rename(file: NamedTempFile, destination: &Path, purpose: Purpose) -> Result<()> {
    match purpose {
        Purpose::PublicKey | Purpose::SecretKey => {
            file.persist_noclobber(destination).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => exists(),
                _ => error.error.into(),
            })?;
        }
        Purpose::Binary | Purpose::Text => {
            // Another program may have made a key meanwhile.
            check_replaceable(destination, purpose)?;
            file.persist(destination).map_err(|error| error.error)?;
        }
    }
    Ok(())
}

/// Refuses to write binary data to a terminal.
fn check_terminal(target: &impl IsTerminal, purpose: Purpose) -> Result<()> {
    match purpose != Purpose::Text && target.is_terminal() {
        true => Err(CliError::usage("this is binary data, which would garble the terminal")
            .hint("-o FILE writes it to a file, `| cat` pipes it")),
        false => Ok(()),
    }
}

/// The path that symbolic links lead to, whether there is something or not: links stay, and what they name is replaced.
fn follow_links(path: &Path) -> Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        // An error means that this is no link, or nothing.
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        path = path.parent().map_or_else(|| target.clone(), |parent| parent.join(&target));
    }
    Err(CliError::new(ExitCode::Io, format!("more than {MAX_LINKS} symbolic links lead on from here")))
}

/// Refuses to replace a key, and for a key to replace anything.
fn check_replaceable(path: &Path, purpose: Purpose) -> Result<()> {
    if fs::symlink_metadata(path).is_err() {
        return Ok(());
    }
    if matches!(purpose, Purpose::PublicKey | Purpose::SecretKey) {
        return Err(exists());
    }
    let mut start = [0; MAGIC.len()];
    let read = File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut start));
    let key = match read {
        Ok(()) if start == MAGIC => match ContainerReader::open(path) {
            Ok(reader) => Some(reader.manifest().kind).filter(|kind| kind.is_key()).map(Kind::title),
            // Damaged, or of a later version.
            Err(_) => Some("a file of Phoca that cannot be read, so it may be a key"),
        },
        Ok(()) if start.starts_with(&SEAL_MAGIC) => seal_key(path),
        _ => None,
    };
    match key {
        Some(key) => Err(CliError::failed(format!("this is {key}, and keys are not overwritten"))
            .hint("write to another file, or remove this one first")),
        None => Ok(()),
    }
}

/// Which key an object of SEAL is, where it can only be one or may be a secret one.
fn seal_key(path: &Path) -> Option<&'static str> {
    let mut file = io::BufReader::new(File::open(path).ok()?);
    while !io::BufRead::fill_buf(&mut file).ok()?.is_empty() {
        match phoca::seal::inspect(&mut file).ok()?.contents {
            Contents::Plaintext { maybe_secret_key: true, .. } => return Some("a secret key"),
            Contents::KeySwitchKeys { .. } => return Some("a key-switching key"),
            _ => {}
        }
    }
    None
}

fn exists() -> CliError {
    CliError::failed("the file exists, and keys are not overwritten").hint("choose another directory with -o")
}
