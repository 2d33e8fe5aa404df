//! Measured noise stays under its stated bounds, over thousands of random circuits in each scheme.
//!
//! Seeds are fixed, so a likely bound that holds once holds always; a change of the samplers that breaks one by bad luck
//! would do so with a probability below `2^-40`.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "noise/approximate.rs"]
mod approximate;
#[path = "noise/common.rs"]
mod common;
#[path = "noise/exact.rs"]
mod exact;
#[path = "noise/tightness.rs"]
mod tightness;
