use alloc::sync::Arc;
use core::cell::RefCell;

use crate::params::{MESSAGE_2_CARRY_2, Parameters};
use crate::{Error, integer, shortint};

std::thread_local! {
    static SERVER_KEY: RefCell<Option<ServerKey>> = const { RefCell::new(None) };
}

/// What keys are made from: a parameter set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    parameters: Parameters,
}

/// Makes a [`Config`].
#[derive(Clone, Copy, Debug)]
pub struct ConfigBuilder {
    config: Config,
}

impl Default for ConfigBuilder {
    /// The default parameter set, [`MESSAGE_2_CARRY_2`].
    fn default() -> Self {
        Self::with_custom_parameters(MESSAGE_2_CARRY_2)
    }
}

impl ConfigBuilder {
    /// Another parameter set.
    pub const fn with_custom_parameters(parameters: Parameters) -> Self {
        Self { config: Config { parameters } }
    }

    /// The configuration.
    pub const fn build(self) -> Config {
        self.config
    }
}

/// The secret key.
#[derive(Clone, Debug)]
pub struct ClientKey {
    pub(crate) key: integer::ClientKey,
}

impl ClientKey {
    /// A fresh key.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the set is not valid, [`Error::Ring`] where the system gives no random bytes.
    pub fn try_generate(config: Config) -> Result<Self, Error> {
        Ok(Self { key: integer::ClientKey::generate(config.parameters)? })
    }

    /// A fresh key.
    ///
    /// # Panics
    ///
    /// Where [`try_generate`](Self::try_generate) fails.
    pub fn generate(config: Config) -> Self {
        or_panic(Self::try_generate(config))
    }

    /// The key of integers without types.
    pub fn as_integer_key(&self) -> &integer::ClientKey {
        &self.key
    }
}

/// The public key that computes. Clones are cheap and share memory.
#[derive(Clone, Debug)]
pub struct ServerKey {
    pub(super) key: Arc<integer::ServerKey>,
}

impl ServerKey {
    /// The server key of a client key.
    ///
    /// # Panics
    ///
    /// Where the system gives no random bytes.
    pub fn new(client_key: &ClientKey) -> Self {
        CompressedServerKey::new(client_key).decompress()
    }

    /// The same key with threads that share the blocks of each operation.
    ///
    /// # Errors
    ///
    /// [`Error::Threads`] where the system does not start them, or where clones of this key are in use.
    #[cfg(feature = "threads")]
    pub fn with_threads(mut self, threads: usize) -> Result<Self, Error> {
        match Arc::get_mut(&mut self.key) {
            Some(key) => key.set_threads(threads)?,
            None => return Err(Error::Threads { threads, reason: "the key has clones".into() }),
        }
        Ok(self)
    }

    /// How many bootstraps were done with this key.
    pub fn bootstrap_count(&self) -> u64 {
        self.key.bootstrap_count()
    }

    /// The key of integers without types.
    pub fn as_integer_key(&self) -> &integer::ServerKey {
        &self.key
    }
}

/// The server key in the form to store and send.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressedServerKey {
    pub(crate) key: shortint::SeededServerKey,
}

impl CompressedServerKey {
    /// The server key of a client key.
    ///
    /// # Errors
    ///
    /// [`Error::Ring`] where the system gives no random bytes.
    pub fn try_new(client_key: &ClientKey) -> Result<Self, Error> {
        Ok(Self { key: client_key.key.key().server_key()? })
    }

    /// The server key of a client key.
    ///
    /// # Panics
    ///
    /// Where [`try_new`](Self::try_new) fails.
    pub fn new(client_key: &ClientKey) -> Self {
        or_panic(Self::try_new(client_key))
    }

    /// The key that computes.
    ///
    /// # Errors
    ///
    /// [`Error::Parameters`] where the set is not for integers.
    pub fn try_decompress(&self) -> Result<ServerKey, Error> {
        Ok(ServerKey { key: Arc::new(integer::ServerKey::new(self.key.expand()?)?) })
    }

    /// The key that computes.
    ///
    /// # Panics
    ///
    /// Where [`try_decompress`](Self::try_decompress) fails.
    pub fn decompress(&self) -> ServerKey {
        or_panic(self.try_decompress())
    }
}

/// A client key and its server key.
///
/// # Errors
///
/// [`Error::Parameters`] where the set is not valid, [`Error::Ring`] where the system gives no random bytes.
pub fn try_generate_keys(config: impl Into<Config>) -> Result<(ClientKey, ServerKey), Error> {
    let client_key = ClientKey::try_generate(config.into())?;
    let server_key = CompressedServerKey::try_new(&client_key)?.try_decompress()?;
    Ok((client_key, server_key))
}

/// A client key and its server key.
///
/// # Panics
///
/// Where [`try_generate_keys`] fails.
pub fn generate_keys(config: impl Into<Config>) -> (ClientKey, ServerKey) {
    or_panic(try_generate_keys(config))
}

/// Makes this the server key of this thread.
pub fn set_server_key(key: impl Into<ServerKey>) {
    SERVER_KEY.set(Some(key.into()));
}

/// Leaves this thread without a server key.
pub fn unset_server_key() {
    SERVER_KEY.set(None);
}

/// Calls a function with the server key of this thread.
///
/// # Errors
///
/// [`Error::NoServerKey`] where none is set, and what the function returns.
pub fn with_server_key<T>(task: impl FnOnce(&ServerKey) -> Result<T, Error>) -> Result<T, Error> {
    // A clone, so that the task may set another key.
    let key = SERVER_KEY.with_borrow(Clone::clone);
    task(&key.ok_or(Error::NoServerKey)?)
}

/// The value, or a panic with the error's message: for operators, which cannot return errors.
pub(super) fn or_panic<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}
