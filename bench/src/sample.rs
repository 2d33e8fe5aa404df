use serde::Serialize;

/// The times of one side of one row, in microseconds for each operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Sample {
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub lower: f64,
    /// The upper quartile.
    pub upper: f64,
    /// The mean.
    pub mean: f64,
    /// How many operations were timed.
    pub count: usize,
}

impl Sample {
    /// The quartiles of nanoseconds; zeros for none.
    pub(crate) fn of(mut nanoseconds: Vec<u64>) -> Self {
        nanoseconds.sort_unstable();
        let count = nanoseconds.len();
        let at = |quarter: usize| {
            let time = nanoseconds.get(count * quarter / 4).or(nanoseconds.last());
            time.map_or(0.0, |&time| time as f64 / 1000.0)
        };
        let total: u64 = nanoseconds.iter().sum();
        let mean = total as f64 / 1000.0 / count.max(1) as f64;
        Self { median: at(2), lower: at(1), upper: at(3), mean, count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_do_not_depend_on_the_order() {
        let sample = Sample::of(vec![9000, 1000, 5000, 3000, 7000]);
        assert_eq!(sample, Sample { median: 5.0, lower: 3.0, upper: 7.0, mean: 5.0, count: 5 });
        assert_eq!(Sample::of(vec![1500]), Sample { median: 1.5, lower: 1.5, upper: 1.5, mean: 1.5, count: 1 });
        assert_eq!(Sample::of(Vec::new()), Sample::default());
    }
}
