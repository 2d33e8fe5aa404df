//! Files without a name, which are gone with the program whatever ends it: on Linux, where the file system has them.

use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// A file in this directory; none where that cannot be, or where it could get no name later.
#[cfg(target_os = "linux")]
pub fn create(directory: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = File::from(open(directory, flags, Mode::from_raw_mode(mode)).ok()?);
    open_path(&file).exists().then_some(file)
}

/// Gives a file a temporary name beside `destination`.
#[cfg(target_os = "linux")]
pub fn name(file: &File, destination: &Path) -> io::Result<NamedTempFile> {
    use rustix::fs::{AtFlags, CWD, linkat};

    super::temporary_names().make_in(super::parent(destination), |path| {
        linkat(CWD, open_path(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?;
        file.try_clone()
    })
}

/// The path of an open file. With CAP_DAC_READ_SEARCH alone could it be linked without one.
#[cfg(target_os = "linux")]
fn open_path(file: &File) -> std::path::PathBuf {
    use std::os::fd::AsRawFd;

    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(not(target_os = "linux"))]
pub fn create(_directory: &Path, _mode: u32) -> Option<File> {
    None
}

#[cfg(not(target_os = "linux"))]
pub fn name(_file: &File, _destination: &Path) -> io::Result<NamedTempFile> {
    Err(io::ErrorKind::Unsupported.into())
}
