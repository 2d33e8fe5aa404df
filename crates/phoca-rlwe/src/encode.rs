//! Encoders between values and plaintexts.

pub(crate) mod slots;
