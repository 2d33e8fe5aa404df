//! Work that splits over the threads of a context.
//!
//! Each piece of work writes memory of its own and no result depends on the order of pieces, so that results are the
//! same words for every number of threads.

#[cfg(feature = "threads")]
use alloc::sync::Arc;
use alloc::vec::Vec;

use smallvec::SmallVec;

use crate::error::Error;

/// One limb of each polynomial of a ciphertext.
pub(crate) type LimbRows<'a> = SmallVec<[&'a mut [u64]; 4]>;

/// The most threads of one context: no operation has more pieces than a few hundred limbs.
#[cfg(feature = "threads")]
const MAX_THREADS: usize = 1024;

/// The threads of one context: none beside the caller's own unless they were asked for.
#[derive(Default)]
pub(crate) struct Workers {
    #[cfg(feature = "threads")]
    pool: Option<Arc<rayon::ThreadPool>>,
}

#[cfg(feature = "threads")]
impl Workers {
    /// Starts `threads` threads, at most [`MAX_THREADS`], or none for one.
    pub(crate) fn start(threads: usize) -> Result<Self, Error> {
        if threads > MAX_THREADS {
            return Err(Error::Threads { threads, reason: alloc::format!("a context has at most {MAX_THREADS}") });
        }
        if threads <= 1 {
            return Ok(Self::default());
        }
        let builder = rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| alloc::format!("phoca-{i}"));
        let pool = builder.build().map_err(|source| Error::Threads { threads, reason: source.to_string() })?;
        Ok(Self { pool: Some(Arc::new(pool)) })
    }

    /// Takes threads that are there.
    pub(crate) fn shared(pool: Arc<rayon::ThreadPool>) -> Self {
        Self { pool: Some(pool) }
    }

    /// How many threads work together.
    pub(crate) fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, |pool| pool.current_num_threads())
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

    /// Calls `task` with the number of each limb and its words in each of the polynomials of `polynomial_len` words.
    pub(crate) fn for_each_limb(
        &self,
        words: &mut [u64],
        polynomial_len: usize,
        limb_len: usize,
        task: impl Fn(usize, LimbRows<'_>) + Sync + Send,
    ) {
        use rayon::prelude::*;
        let Some(pool) = &self.pool else { return each_limb(words, polynomial_len, limb_len, task) };
        let mut limbs: Vec<LimbRows<'_>> = (0..polynomial_len / limb_len).map(|_| SmallVec::new()).collect();
        for polynomial in words.chunks_exact_mut(polynomial_len) {
            limbs.iter_mut().zip(polynomial.chunks_exact_mut(limb_len)).for_each(|(rows, limb)| rows.push(limb));
        }
        pool.install(|| limbs.into_par_iter().with_max_len(1).enumerate().for_each(|(i, rows)| task(i, rows)));
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

    pub(crate) fn for_each_limb(
        &self,
        words: &mut [u64],
        polynomial_len: usize,
        limb_len: usize,
        task: impl Fn(usize, LimbRows<'_>),
    ) {
        each_limb(words, polynomial_len, limb_len, task);
    }

    pub(crate) fn map<T, R>(&self, items: &[T], task: impl Fn(&T) -> Result<R, Error>) -> Result<Vec<R>, Error> {
        items.iter().map(task).collect()
    }
}

/// [`Workers::for_each_limb`] on the caller's thread, without a list of all limbs.
fn each_limb(words: &mut [u64], polynomial_len: usize, limb_len: usize, task: impl Fn(usize, LimbRows<'_>)) {
    for index in 0..polynomial_len / limb_len {
        let limb = index * limb_len..(index + 1) * limb_len;
        task(index, words.chunks_exact_mut(polynomial_len).map(|polynomial| &mut polynomial[limb.clone()]).collect());
    }
}
