//! Reuse of buffers: a fresh page costs the system more than an operation on its words does.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use super::{Buffer, Line};

/// Buffers that wait for reuse, shared by all clones of the pool.
///
/// A pool is a handle: cloning it is cheap. It keeps at most a given number of words; what came back longest ago is freed
/// for what comes back beyond that, so that sizes no longer asked for do not fill the pool for good. Without the feature
/// `std` there is no lock, so it keeps nothing and each buffer is fresh.
///
/// Whoever puts a secret into a buffer [wipes](Buffer::wipe) it before it goes back.
///
/// ```
/// use phoca_ring::buffer::BufferPool;
///
/// let pool = BufferPool::new(1 << 20);
/// let address = pool.take(1000).as_ptr();
/// assert_eq!(pool.take(1000).as_ptr(), address); // the first went back
/// ```
#[derive(Clone)]
pub struct BufferPool(Arc<Inner>);

struct Inner {
    #[cfg_attr(not(feature = "std"), allow(dead_code, reason = "nothing is kept"))]
    max_words: usize,
    #[cfg(feature = "std")]
    free: std::sync::Mutex<Free>,
}

/// Free memory, smallest first.
#[cfg(feature = "std")]
#[derive(Default)]
struct Free {
    blocks: Vec<Block>,
    lines: usize,
    /// How many blocks have come back so far.
    returned: u64,
}

/// Memory and how many blocks had come back before it.
#[cfg(feature = "std")]
struct Block {
    memory: Vec<Line>,
    order: u64,
}

impl BufferPool {
    /// An empty pool that will keep at most `max_words` words.
    pub fn new(max_words: usize) -> Self {
        Self(Arc::new(Inner {
            max_words,
            #[cfg(feature = "std")]
            free: std::sync::Mutex::default(),
        }))
    }

    /// `len` words of unspecified contents: whoever takes them writes before reading.
    ///
    /// They come from the smallest kept buffer that is large enough and at most twice as large as asked, else from the
    /// system.
    pub fn take(&self, len: usize) -> Buffer {
        let lines = self.reuse(len.div_ceil(8)).unwrap_or_else(|| bytemuck::zeroed_vec(len.div_ceil(8)));
        let mut buffer = Buffer { lines, len, pool: Some(self.clone()) };
        if cfg!(debug_assertions) {
            buffer.fill(u64::MAX); // out of every range, so that reading it is noticed
        }
        buffer
    }

    /// `len` zero words.
    pub fn take_zeroed(&self, len: usize) -> Buffer {
        let mut buffer = self.take(len);
        buffer.fill(0);
        buffer
    }

    /// A copy of `words`.
    pub fn copy(&self, words: &[u64]) -> Buffer {
        let mut buffer = self.take(words.len());
        buffer.copy_from_slice(words);
        buffer
    }

    /// Frees all that waits for reuse.
    pub fn clear(&self) {
        #[cfg(feature = "std")]
        if let Ok(mut free) = self.0.free.lock() {
            *free = Free::default();
        }
    }
}

#[cfg(feature = "std")]
impl BufferPool {
    fn reuse(&self, lines: usize) -> Option<Vec<Line>> {
        let mut free = self.0.free.lock().ok()?;
        let position = free.position(lines);
        if free.blocks.get(position)?.memory.len() > 2 * lines {
            return None;
        }
        Some(free.remove(position))
    }

    pub(super) fn give_back(&self, memory: Vec<Line>) {
        let max_lines = self.0.max_words / 8;
        if memory.is_empty() || memory.len() > max_lines {
            return;
        }
        // Freed after the lock is.
        let mut old = Vec::new();
        let Ok(mut free) = self.0.free.lock() else { return };
        while free.lines + memory.len() > max_lines {
            let Some((oldest, _)) = free.blocks.iter().enumerate().min_by_key(|(_, block)| block.order) else { break };
            old.push(free.remove(oldest));
        }
        free.insert(memory);
    }
}

#[cfg(feature = "std")]
impl Free {
    /// The place of the first block of at least so many lines.
    fn position(&self, lines: usize) -> usize {
        self.blocks.partition_point(|block| block.memory.len() < lines)
    }

    fn insert(&mut self, memory: Vec<Line>) {
        self.lines += memory.len();
        let (position, order) = (self.position(memory.len()), self.returned);
        self.returned += 1;
        self.blocks.insert(position, Block { memory, order });
    }

    fn remove(&mut self, position: usize) -> Vec<Line> {
        let memory = self.blocks.remove(position).memory;
        self.lines -= memory.len();
        memory
    }
}

#[cfg(not(feature = "std"))]
impl BufferPool {
    fn reuse(&self, _lines: usize) -> Option<Vec<Line>> {
        None
    }

    pub(super) fn give_back(&self, _block: Vec<Line>) {}
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferPool").field("max_words", &self.0.max_words).finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn buffers_come_back_to_be_taken_again() {
        let pool = BufferPool::new(1 << 16);
        let first = pool.copy(&[5; 100]);
        let second = first.clone();
        let addresses = [first.as_ptr(), second.as_ptr()];
        assert_eq!(*first, *second);
        drop(first);
        drop(second);
        // 104 words serve 60, but 51 words would leave more than half of them idle.
        let again = [pool.take(60), pool.take(104)];
        assert!(again.iter().all(|buffer| addresses.contains(&buffer.as_ptr())));
        drop(again);
        assert!(!addresses.contains(&pool.take(48).as_ptr()));
        assert!(pool.take_zeroed(100).iter().all(|&word| word == 0));
    }

    #[test]
    fn no_more_is_kept_than_allowed() {
        let pool = BufferPool::new(64);
        drop([pool.take(32), pool.take(32), pool.take(32)]);
        assert_eq!(pool.0.free.lock().unwrap().blocks.len(), 2);
        drop(pool.take(65));
        assert_eq!(pool.0.free.lock().unwrap().lines, 8);
        pool.clear();
        assert_eq!(pool.0.free.lock().unwrap().lines, 0);
    }

    #[test]
    fn sizes_of_the_past_make_room() {
        let pool = BufferPool::new(64);
        drop([pool.take(32), pool.take(32)]);
        let address = pool.take(8).as_ptr();
        assert_eq!(pool.take(8).as_ptr(), address);
        assert_eq!(pool.0.free.lock().unwrap().lines, 5);
        drop(pool.take(64));
        assert_eq!(pool.0.free.lock().unwrap().lines, 8);
        assert_eq!(pool.0.free.lock().unwrap().blocks.len(), 1);
    }

    #[test]
    fn growing_and_shrinking_stay_in_the_pool() {
        let pool = BufferPool::new(1 << 16);
        let mut buffer = pool.copy(&[1, 2, 3]);
        buffer.resize(1000);
        assert_eq!(&buffer[..4], &[1, 2, 3, 0]);
        let address = buffer.as_ptr();
        buffer.resize(2);
        drop(buffer);
        assert_eq!(pool.take(1000).as_ptr(), address);
    }

    #[test]
    #[cfg_attr(target_os = "wasi", ignore = "there are no threads")]
    fn threads_share_a_pool() {
        let pool = BufferPool::new(1 << 12);
        std::thread::scope(|scope| {
            for word in 0..4 {
                let pool = &pool;
                scope.spawn(move || {
                    for len in 1..200 {
                        let mut buffer = pool.take(len);
                        buffer.fill(word);
                        assert!(buffer.clone().iter().all(|&read| read == word));
                    }
                });
            }
        });
    }
}
