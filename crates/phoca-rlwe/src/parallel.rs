//! Work that splits over the threads of a context.
//!
//! Each piece of work writes memory of its own and no result depends on the order of pieces, so that results are the
//! same words for every number of threads.

use crate::error::Error;

/// The threads of one context: none beside the caller's own unless they were asked for.
#[derive(Default)]
pub(crate) struct Workers {
    #[cfg(feature = "threads")]
    pool: Option<rayon::ThreadPool>,
}

#[cfg(feature = "threads")]
impl Workers {
    /// Starts `threads` threads, or none for one.
    pub(crate) fn start(threads: usize) -> Result<Self, Error> {
        if threads <= 1 {
            return Ok(Self::default());
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| alloc::format!("phoca-{i}"));
        let pool = builder.build().map_err(|source| Error::Threads { threads, reason: source.to_string() })?;
        Ok(Self { pool: Some(pool) })
    }

    /// How many threads work together.
    pub(crate) fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// Calls `task` with the number and the words of each piece of `len` words.
    pub(crate) fn for_each_piece(&self, words: &mut [u64], len: usize, task: impl Fn(usize, &mut [u64]) + Sync + Send) {
        use rayon::prelude::*;
        match &self.pool {
            None => words.chunks_exact_mut(len).enumerate().for_each(|(i, piece)| task(i, piece)),
            Some(pool) => pool.install(|| {
                let pieces = words.par_chunks_exact_mut(len).with_max_len(1);
                pieces.enumerate().for_each(|(i, piece)| task(i, piece));
            }),
        }
    }

    /// Calls `task` with the number and the words of each two corresponding pieces of `len` words.
    pub(crate) fn for_each_pair(
        &self,
        [first, second]: [&mut [u64]; 2],
        len: usize,
        task: impl Fn(usize, &mut [u64], &mut [u64]) + Sync + Send,
    ) {
        use rayon::prelude::*;
        match &self.pool {
            None => {
                let pairs = first.chunks_exact_mut(len).zip(second.chunks_exact_mut(len));
                pairs.enumerate().for_each(|(i, (first, second))| task(i, first, second));
            }
            Some(pool) => pool.install(|| {
                let pairs = first.par_chunks_exact_mut(len).zip(second.par_chunks_exact_mut(len)).with_max_len(1);
                pairs.enumerate().for_each(|(i, (first, second))| task(i, first, second));
            }),
        }
    }

    /// The results of `task` for each item, in order, or the error of one that failed.
    pub(crate) fn map<T: Sync, R: Send>(
        &self,
        items: &[T],
        task: impl Fn(&T) -> Result<R, Error> + Sync + Send,
    ) -> Result<Vec<R>, Error> {
        use rayon::prelude::*;
        match &self.pool {
            None => items.iter().map(task).collect(),
            Some(pool) => pool.install(|| items.par_iter().with_max_len(1).map(task).collect()),
        }
    }
}

#[cfg(not(feature = "threads"))]
impl Workers {
    pub(crate) fn count(&self) -> usize {
        1
    }

    pub(crate) fn for_each_piece(&self, words: &mut [u64], len: usize, task: impl Fn(usize, &mut [u64])) {
        words.chunks_exact_mut(len).enumerate().for_each(|(i, piece)| task(i, piece));
    }

    pub(crate) fn for_each_pair(
        &self,
        [first, second]: [&mut [u64]; 2],
        len: usize,
        task: impl Fn(usize, &mut [u64], &mut [u64]),
    ) {
        let pairs = first.chunks_exact_mut(len).zip(second.chunks_exact_mut(len));
        pairs.enumerate().for_each(|(i, (first, second))| task(i, first, second));
    }

    pub(crate) fn map<T, R>(
        &self,
        items: &[T],
        task: impl Fn(&T) -> Result<R, Error>,
    ) -> Result<alloc::vec::Vec<R>, Error> {
        items.iter().map(task).collect()
    }
}
