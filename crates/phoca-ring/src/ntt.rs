//! Placeholder.
pub struct NttTables;
