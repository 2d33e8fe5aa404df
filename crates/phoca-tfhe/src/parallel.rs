//! Work that splits over the threads of a key. No result depends on the number of threads.

use alloc::vec::Vec;

#[cfg(feature = "threads")]
use crate::Error;

/// The most threads of one key.
#[cfg(feature = "threads")]
const MAX_THREADS: usize = 1024;

/// The threads of a key: none beside the caller's own unless they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    #[cfg(feature = "threads")]
    pool: Option<rayon::ThreadPool>,
}

impl Workers {
    /// Starts `threads` threads, or none for one.
    #[cfg(feature = "threads")]
    pub(crate) fn start(threads: usize) -> Result<Self, Error> {
        if threads > MAX_THREADS {
            return Err(Error::Threads { threads, reason: alloc::format!("a key has at most {MAX_THREADS}") });
        }
        if threads <= 1 {
            return Ok(Self::default());
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| alloc::format!("phoca-{i}"));
        let pool = builder.build().map_err(|source| Error::Threads { threads, reason: source.to_string() })?;
        Ok(Self { pool: Some(pool) })
    }

    /// How many threads work together.
    pub(crate) fn count(&self) -> usize {
        #[cfg(feature = "threads")]
        if let Some(pool) = &self.pool {
            return pool.current_num_threads();
        }
        1
    }

    /// The results of `task` on parts of `items`, as many as there are threads, in order.
    pub(crate) fn map_parts<T: Sync, R: Send>(&self, items: &[T], task: impl Fn(&[T]) -> R + Sync) -> Vec<R> {
        #[cfg(feature = "threads")]
        if let Some(pool) = self.pool.as_ref().filter(|_| items.len() > 1) {
            use rayon::prelude::*;
            let len = items.len().div_ceil(pool.current_num_threads());
            return pool.install(|| items.par_chunks(len).map(&task).collect());
        }
        alloc::vec![task(items)]
    }
}
