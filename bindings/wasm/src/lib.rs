//! Phoca for WebAssembly: the classes that the npm packages are built on.
//!
//! Every object is immutable and every operation gives a new one: what looks mutable in JavaScript is a JavaScript object
//! that changes the one it points to. So no call can borrow what another call has borrowed, and a failed call leaves
//! everything as it was. Errors are thrown as what the error factory makes of their kind, message and fields
//! (`setErrorFactory`). Nothing here panics on any argument, since a panic would end the module.

mod context;
mod encode;
mod encrypt;
mod error;
mod evaluate;
mod files;
mod keys;
mod loader;
mod memory;
mod objects;
mod parameters;
mod store;
#[cfg(feature = "threads")]
mod threads;

use wasm_bindgen::prelude::wasm_bindgen;

/// The kernels in use: `portable`, `simd128` or `relaxed`.
#[wasm_bindgen(js_name = kernels)]
pub fn kernels() -> String {
    phoca::ring::arch::Arch::selected().name().to_string()
}
