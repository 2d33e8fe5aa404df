//! Independent pieces of work on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `operation(0), …, operation(count − 1)` in order, computed by as many threads as there are processors.
///
/// # Errors
///
/// The error of the first piece that has one; what others did is dropped.
pub fn map<T: Send, E: Send>(count: usize, operation: impl Fn(usize) -> Result<T, E> + Sync) -> Result<Vec<T>, E> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    if threads < 2 {
        return (0..count).map(operation).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                return done;
            }
            done.push((index, operation(index)));
        }
    };
    let mut results = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut results = work();
        for helper in helpers {
            match helper.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn results_come_in_order_and_the_first_error_wins() {
        assert_eq!(map(100, Ok::<usize, ()>), Ok((0..100).collect()));
        assert_eq!(map(0, |_| Err::<(), _>(1)), Ok(Vec::new()));
        assert_eq!(map(9, |index| if index < 5 { Ok(index) } else { Err(index) }), Err(5));
    }
}
