//! Threads in shared memory: Web Workers or Node's worker threads, which JavaScript starts and lends to one pool.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Result, Thrown};

/// Threads of the pool that no worker has taken yet. The memory is shared, and so is this.
static WAITING: Mutex<VecDeque<ThreadBuilder>> = Mutex::new(VecDeque::new());
/// The module's threads, which every context made from now on uses.
static POOL: Mutex<Option<Arc<ThreadPool>>> = Mutex::new(None);

/// Makes a pool of so many threads, each of which then waits for a worker that calls [`run_thread`]. Earlier contexts keep
/// what they have.
#[wasm_bindgen(js_name = startThreads)]
pub fn start_threads(threads: usize) -> Result<()> {
    let spawn = |thread| {
        WAITING.lock().unwrap_or_else(PoisonError::into_inner).push_back(thread);
        Ok(())
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .spawn_handler(spawn)
        .build()
        .map_err(|error| Thrown::from(phoca::Error::Threads { threads, reason: error.to_string() }))?;
    *POOL.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(pool));
    Ok(())
}

/// Lends the calling worker to the pool, until the pool ends. Says whether a thread was waiting for it.
#[wasm_bindgen(js_name = runThread)]
pub fn run_thread() -> bool {
    let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    match waiting {
        Some(thread) => {
            thread.run();
            true
        }
        None => false,
    }
}

/// The pool of new contexts.
pub fn pool() -> Option<Arc<ThreadPool>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
