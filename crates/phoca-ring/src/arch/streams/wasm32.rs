//! The random streams for WebAssembly with vectors of 128 bits.
#![allow(unsafe_code)]

mod blake2b;
mod chacha20;

pub(super) use blake2b::{fill as blake2xb_fill, fill_in_threes as blake2xb_fill_in_threes};
pub(super) use chacha20::fill as chacha20_fill;
