//! What a command reports when it fails: what, which file, which fingerprint, the next command to try, and the exit code.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use phoca::seal::FileError;
use phoca::{Error, ParameterError};

use crate::ui::counted;
use crate::values::limit::TooLong;

/// The exit codes of the program. They are part of its interface: scripts depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// 1: the operation failed for a cause that no other code names.
    Failed = 1,
    /// 2: the command line is wrong. clap exits with it too.
    Usage = 2,
    /// 3: an input file is damaged, of the wrong kind or of an unsupported version.
    BadFile = 3,
    /// 4: keys, parameters and data do not belong together, or a key is missing.
    Mismatch = 4,
    /// 5: the noise budget, the levels or the precision are used up.
    Exhausted = 5,
    /// 6: the parameters are insecure and `--insecure` was not given.
    Insecure = 6,
    /// 74: reading or writing failed.
    Io = 74,
    /// 130: interrupted by a signal.
    Interrupted = 130,
}

/// A failed command.
#[derive(Debug)]
pub struct CliError {
    /// With which the program exits.
    pub code: ExitCode,
    /// What went wrong, in one sentence.
    pub message: String,
    /// The file that it is about.
    pub file: Option<PathBuf>,
    /// The fingerprint of the parameters or keys in that file.
    pub fingerprint: Option<String>,
    /// What to try next: a command where there is one.
    pub hint: Option<String>,
    /// Whether the reader of standard output has gone away, which is no failure.
    pub broken_pipe: bool,
}

/// The result of everything that can fail here.
pub type Result<T> = std::result::Result<T, CliError>;

impl CliError {
    /// An error with a message and nothing else.
    pub fn new(code: ExitCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), file: None, fingerprint: None, hint: None, broken_pipe: false }
    }

    /// Code 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Failed, message)
    }

    /// Code 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Usage, message)
    }

    /// Code 3.
    pub fn bad_file(message: impl Into<String>) -> Self {
        Self::new(ExitCode::BadFile, message)
    }

    /// Code 4.
    pub fn mismatch(message: impl Into<String>) -> Self {
        Self::new(ExitCode::Mismatch, message)
    }

    /// Names the file, unless an inner cause has named one.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.file.get_or_insert_with(|| path.as_ref().to_owned());
        self
    }

    /// Names the file where writing it failed; other causes lie elsewhere.
    pub fn while_writing(self, path: impl AsRef<Path>) -> Self {
        match self.code {
            ExitCode::Io => self.file(path),
            _ => self,
        }
    }

    /// Names the fingerprint of what is in the file.
    pub fn fingerprint(mut self, fingerprint: impl Into<String>) -> Self {
        self.fingerprint = Some(fingerprint.into());
        self
    }

    /// Says what to try next, unless an inner cause has said so.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// Turns an error of the library about what a *file* holds into code 3, where it would be code 1 or 2.
    pub fn in_file(mut self, path: impl AsRef<Path>) -> Self {
        if matches!(self.code, ExitCode::Failed | ExitCode::Usage) {
            self.code = ExitCode::BadFile;
        }
        self.file(path)
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        if let Some(cause) = TooLong::of(&error) {
            let hint = match cause {
                TooLong::Input { advice, .. } => advice,
                TooLong::Line { .. } => "--format says what the input is, where it is no text",
            };
            return Self::bad_file(cause.to_string()).hint(hint);
        }
        let mut result = Self::new(ExitCode::Io, error.to_string());
        result.broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        result
    }
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        match error {
            FileError::Read { source, .. } | FileError::Write { source } => {
                let broken_pipe = source.kind() == io::ErrorKind::BrokenPipe;
                let mut result = Self::new(ExitCode::Io, message);
                result.broken_pipe = broken_pipe;
                result
            }
            FileError::KeySwitchingUnsupported { .. } | FileError::ParmsId { .. } => Self::mismatch(message),
            _ => Self::bad_file(message),
        }
    }
}

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        let code = match error {
            Error::File(error) => return error.into(),
            Error::InvalidParameters(ParameterError::Insecure { .. }) => ExitCode::Insecure,
            Error::MissingGaloisKey { .. }
            | Error::MissingKey { .. }
            | Error::MissingRelinKey { .. }
            | Error::ParametersMismatch { .. } => ExitCode::Mismatch,
            Error::EncodedTooLarge { .. }
            | Error::EndOfChain
            | Error::NoiseExhausted
            | Error::ScaleOutOfRange { .. } => ExitCode::Exhausted,
            _ => ExitCode::Failed,
        };
        let hint = match error {
            Error::InvalidParameters(ParameterError::Insecure { .. }) => {
                Some("phoca params suggest SCHEME --depth D finds secure parameters; --insecure takes these anyway")
            }
            Error::MissingGaloisKey { .. } => {
                Some("phoca keygen with --rotations all, or with the steps that you need")
            }
            Error::MissingRelinKey { .. } => Some("phoca keygen makes eval.key with a relinearization key"),
            _ => None,
        };
        let message = match &error {
            // Without the library's advice, which the hint has in the command line's words.
            Error::InvalidParameters(ParameterError::Insecure { bits, degree, level, table, max_bits, .. }) => {
                let allowed = max_bits.map_or("nothing there".to_owned(), |bits| counted(bits as usize, "bit"));
                format!(
                    "insecure parameters: {bits} bits of modulus at degree {degree} are not {level}-bit secure; the \
                     table {table} allows {allowed}"
                )
            }
            other => other.to_string(),
        };
        let mut result = Self::new(code, message);
        result.hint = hint.map(str::to_owned);
        result
    }
}

impl From<phoca::ring::RingError> for CliError {
    fn from(error: phoca::ring::RingError) -> Self {
        Error::Ring(error).into()
    }
}
