//! Loops over slices that every set of vectors has.

/// Defines the loops for words in vectors `$Vector` of `$LANES` lanes; `load` and `store` have to be in the module above.
///
/// In these functions vectors go through plain loops only: a closure with vectors would not be inlined into the functions
/// of arrays and iterators, which lack its target features.
macro_rules! vector_loops {
    ($features:literal, $Vector:ty, $LANES:literal) => {
        use super::{load, store};

        #[inline]
        fn padded(words: &[u64]) -> [u64; $LANES] {
            let mut padded = [0; $LANES];
            padded[..words.len()].copy_from_slice(words);
            padded
        }

        /// `a ← f(a)`.
        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn map_1(a: &mut [u64], f: impl Fn($Vector) -> $Vector) {
            let (blocks, rest) = a.as_chunks_mut::<$LANES>();
            for a in blocks {
                store(a, f(load(a)));
            }
            if !rest.is_empty() {
                let mut block = padded(rest);
                let result = f(load(&block));
                store(&mut block, result);
                rest.copy_from_slice(&block[..rest.len()]);
            }
        }

        /// `a ← f(a, b)`.
        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn map_2(a: &mut [u64], b: &[u64], f: impl Fn($Vector, $Vector) -> $Vector) {
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks_mut::<$LANES>(), b.as_chunks::<$LANES>());
            for (a, b) in a.iter_mut().zip(b) {
                store(a, f(load(a), load(b)));
            }
            if !a_rest.is_empty() {
                let mut block = padded(a_rest);
                let result = f(load(&block), load(&padded(b_rest)));
                store(&mut block, result);
                a_rest.copy_from_slice(&block[..a_rest.len()]);
            }
        }

        /// `out ← f(out, a, b)`.
        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn map_3(out: &mut [u64], a: &[u64], b: &[u64], f: impl Fn($Vector, $Vector, $Vector) -> $Vector) {
            let (out, out_rest) = out.as_chunks_mut::<$LANES>();
            let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<$LANES>(), b.as_chunks::<$LANES>());
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                store(out, f(load(out), load(a), load(b)));
            }
            if !out_rest.is_empty() {
                let mut block = padded(out_rest);
                let result = f(load(&block), load(&padded(a_rest)), load(&padded(b_rest)));
                store(&mut block, result);
                out_rest.copy_from_slice(&block[..out_rest.len()]);
            }
        }

        /// Replaces the words of `H` outputs by a function of their place and of the outputs: `vectors` for each block of `C`
        /// vectors from a number on, `word` for the words that fill no block.
        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn in_columns<const C: usize, const H: usize>(
            out: [&mut [u64]; H],
            vectors: impl Fn(usize, &[&mut [u64]; H]) -> [[$Vector; C]; H],
            word: impl Fn(usize, &[&mut [u64]; H]) -> [u64; H],
        ) {
            let len = out[0].len();
            let blocks = len / ($LANES * C);
            for block in 0..blocks {
                let results = vectors(C * block, &out);
                for h in 0..H {
                    let words: &mut [[u64; $LANES]; C] =
                        out[h].as_chunks_mut().0[C * block..].first_chunk_mut().expect("the outputs have one length");
                    for v in 0..C {
                        store(&mut words[v], results[h][v]);
                    }
                }
            }
            for index in $LANES * C * blocks..len {
                let results = word(index, &out);
                for h in 0..H {
                    out[h][index] = results[h];
                }
            }
        }

        /// `C` vectors from number `start`.
        #[inline]
        pub(super) fn vectors_at<const C: usize, W>(words: &[W], start: usize) -> &[[W; $LANES]; C] {
            words.as_chunks().0[start..].first_chunk().expect("all slices of one call have the same length")
        }
    };
}
pub(crate) use vector_loops;

/// Calls `chunk` with at most `room` of `terms` terms at a time, and whether it continues a sum; once where there are none.
pub(super) fn in_chunks(terms: usize, room: usize, mut chunk: impl FnMut(core::ops::Range<usize>, bool)) {
    for first in (0..terms.max(1)).step_by(room) {
        chunk(first..terms.min(first + room), first > 0);
    }
}
