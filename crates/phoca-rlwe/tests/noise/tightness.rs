//! How far the bounds are above what is measured.
