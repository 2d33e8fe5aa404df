//! Memory: asked for before large work, since an allocation that fails in its midst would end the module.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Result, Thrown};

/// Fails unless `bytes` more can be had at once.
pub fn require(bytes: u64) -> Result<()> {
    let mut probe = Vec::<u8>::new();
    let fits = usize::try_from(bytes).is_ok_and(|bytes| probe.try_reserve_exact(bytes).is_ok());
    match fits {
        true => Ok(()),
        false => Err(Thrown::out_of_memory(bytes)),
    }
}

/// As [`require`], for JavaScript.
#[wasm_bindgen(js_name = requireMemory)]
pub fn require_memory(bytes: f64) -> Result<()> {
    // Beyond 2^53 and for what is no number the conversion saturates, and the memory is not there.
    require(bytes as u64)
}

/// The bytes that the module's memory has grown to.
#[wasm_bindgen(js_name = memoryBytes)]
pub fn memory_bytes() -> f64 {
    const PAGE: usize = 1 << 16;
    #[cfg(target_arch = "wasm32")]
    let pages = core::arch::wasm32::memory_size::<0>();
    #[cfg(not(target_arch = "wasm32"))]
    let pages = 0;
    (pages * PAGE) as f64
}
