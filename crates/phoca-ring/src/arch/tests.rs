//! One runner that compares every kernel with the portable one, which itself is compared with plain formulas.

use alloc::vec;
use alloc::vec::Vec;

use super::{Arch, Kernels, portable};
use crate::columns::column;
use crate::modulus::Modulus;
use crate::ntt::NttTables;
use crate::primes::{minimal_primitive_root, ntt_primes};
use crate::{Buffer, RingError};

/// Lengths that leave every remainder of a vector.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 33, 64, 127];

const DEGREES: [usize; 15] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 131_072];

/// All kernels that this processor can run, also those that it would not choose.
fn available() -> impl Iterator<Item = Arch> {
    Arch::all().iter().copied().filter(|arch| arch.is_available())
}

/// SplitMix64: deterministic words for test data.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// `len` words below `bound`, a third of them at its edges.
    fn below(&mut self, bound: u64, len: usize) -> Vec<u64> {
        let word = |words: &mut Self| match words.next() % 9 {
            0 => 0,
            1 => bound - 1,
            2 => bound / 2,
            _ => words.next() % bound,
        };
        (0..len).map(|_| word(self)).collect()
    }
}

/// Moduli of every width: the largest odd value, the smallest and a random one.
fn moduli(max_bits: u32) -> impl Iterator<Item = u64> {
    let mut words = Words(7);
    (2..=max_bits).flat_map(move |bits| {
        let lowest = 1_u64 << (bits - 1);
        [2 * lowest - 1, lowest, lowest + words.next() % lowest]
    })
}

#[test]
fn slice_kernels_agree_with_the_scalar_formulas() -> Result<(), RingError> {
    for kernels in available().flat_map(|arch| arch.slice_kernels()) {
        for q in moduli(kernels.max_bits) {
            let modulus = Modulus::with_kernels(q, |_| Ok(kernels))?;
            for len in LENGTHS {
                check_sums(&modulus, len);
                check_products(&modulus, len);
            }
            check_many_terms(&modulus, kernels);
        }
    }
    Ok(())
}

fn check_sums(modulus: &Modulus, len: usize) {
    let q = modulus.value();
    let mut words = Words(len as u64 ^ q);
    let (a, b) = (words.below(q, len), words.below(q, len));
    let c = words.below(q, 1)[0];
    let mut out = a.clone();
    modulus.add_assign(&mut out, &b);
    assert_eq!(out, zip(&a, &b, |a, b| (a + b) % q), "add {modulus:?}");
    let mut out = a.clone();
    modulus.sub_assign(&mut out, &b);
    assert_eq!(out, zip(&a, &b, |a, b| (a + q - b) % q), "sub {modulus:?}");
    let mut out = a.clone();
    modulus.negate_assign(&mut out);
    assert_eq!(out, zip(&a, &b, |a, _| (q - a) % q), "negate {modulus:?}");
    let mut out = a.clone();
    modulus.add_scalar_assign(&mut out, c);
    assert_eq!(out, zip(&a, &b, |a, _| (a + c) % q), "add_scalar {modulus:?}");
    let any = words.below(u64::MAX, len);
    let mut out = vec![0; len];
    modulus.reduce_into(&mut out, &any);
    assert_eq!(out, zip(&any, &b, |a, _| a % q), "reduce {modulus:?}");
}

fn check_products(modulus: &Modulus, len: usize) {
    let q = modulus.value();
    let product = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(q)) as u64;
    let mut words = Words(len as u64 ^ q);
    let (a, b, c) = (words.below(q, len), words.below(q, len), words.below(q, len));
    let expected = zip(&a, &b, product);
    let mut out = a.clone();
    modulus.mul_assign(&mut out, &b);
    assert_eq!(out, expected, "mul {modulus:?}");
    let mut out = vec![0; len];
    modulus.mul_into(&mut out, &a, &b);
    assert_eq!(out, expected, "mul_into {modulus:?}");
    let mut out = c.clone();
    modulus.mul_add_assign(&mut out, &a, &b);
    assert_eq!(out, zip(&c, &expected, |c, p| (c + p) % q), "mul_add {modulus:?}");

    let any = words.below(u64::MAX, len);
    for scalar in [0, 1, q - 1, words.next() % q] {
        let w = modulus.shoup(scalar);
        let expected = zip(&any, &b, |a, _| product(a % q, scalar));
        let mut out = any.clone();
        modulus.mul_scalar_assign(&mut out, w);
        assert_eq!(out, expected, "mul_scalar {modulus:?}");
        let mut out = vec![0; len];
        modulus.mul_scalar_into(&mut out, &any, w);
        assert_eq!(out, expected, "mul_scalar_into {modulus:?}");
        let lazy = words.below(4 * q, len);
        let scaled = zip(&lazy, &b, |a, b| (product(a % q, scalar) + b) % q);
        let mut out = c.clone();
        modulus.add_scaled_assign(&mut out, &lazy, w, &b);
        assert_eq!(out, zip(&c, &scaled, |c, s| (c + s) % q), "add_scaled {modulus:?}");
        let mut out = c.clone();
        modulus.sub_scaled_assign(&mut out, &lazy, w, &b);
        assert_eq!(out, zip(&c, &scaled, |c, s| (c + q - s) % q), "sub_scaled {modulus:?}");
        modulus.sub_mul_scalar_into(&mut out, &a, &lazy, w);
        let scaled = zip(&a, &lazy, |a, b| product((a + 4 * q - b) % q, scalar));
        assert_eq!(out, scaled, "sub_mul_scalar_into {modulus:?}");
        let mut out = c.clone();
        modulus.mul_scalar_add_assign(&mut out, &a, w);
        assert_eq!(out, zip(&c, &a, |c, a| (c + product(a, scalar)) % q), "mul_scalar_add {modulus:?}");
        modulus.scale_into(&mut out, &lazy, w);
        assert_eq!(out, zip(&lazy, &b, |a, _| product(a % q, scalar)), "scale {modulus:?}");
    }

    // The largest words, then any.
    for below in [|_: &mut Words, bound, len| vec![bound - 1; len], Words::below] {
        let (x, a, b) = (below(&mut words, 4 * q, len), below(&mut words, 4 * q, len), below(&mut words, q, len));
        for b in [b, vec![0; len]] {
            let products = zip(&a, &b, |a, b| product(a % q, b));
            let mut out = vec![7; len];
            modulus.add_product_into(&mut out, &x, &a, &b);
            assert_eq!(out, zip(&x, &products, |x, p| (x % q + p) % q), "add_product {modulus:?}");
            modulus.sub_product_into(&mut out, &x, &a, &b);
            assert_eq!(out, zip(&x, &products, |x, p| (x % q + q - p) % q), "sub_product {modulus:?}");
        }
    }

    let d = words.below(q, len);
    let mut out = [vec![1; len], vec![2; len], vec![3; len]];
    let [out0, out1, out2] = &mut out;
    modulus.tensor_into([out0, out1, out2], [&a, &b], [&c, &d]);
    let cross = zip(&zip(&a, &d, product), &zip(&b, &c, product), |x, y| (x + y) % q);
    assert_eq!(out, [zip(&a, &c, product), cross, zip(&b, &d, product)], "tensor {modulus:?}");
}

/// Sums of products, with the largest inputs in every place for the longest sum.
fn check_many_terms(modulus: &Modulus, kernels: &Kernels) {
    let q = modulus.value();
    // Every count with a kernel of its own, then past each limit on the terms of one reduction; the lengths leave all
    // kinds of remainders of blocks of vectors.
    let few = [(1, 33), (2, 64), (3, 1), (4, 8), (5, 35), (6, 12), (7, 96), (8, 70), (17, 39), (65, 40)];
    let many = [(256, 43), (520, 34), (1030, 33)];
    let cases =
        few.into_iter().chain(many.into_iter().filter(|_| modulus.bits().is_multiple_of(10) || modulus.bits() == 61));
    for (terms, len) in cases {
        let mut words = Words(terms as u64 ^ q);
        for extreme in [false, true] {
            let mut rows = |bound: u64| -> Vec<Vec<u64>> {
                (0..terms).map(|_| if extreme { vec![bound - 1; len] } else { words.below(bound, len) }).collect()
            };
            let (a, b, weights) = (rows(4 * q), rows(q), rows(q));
            let inputs = [61, 52, 53, 40].map(|bits| (bits, rows(1 << bits)));
            let weights: Vec<u64> = weights.iter().map(|row| row[0]).collect();
            let mut out = vec![0; len];
            modulus.dot_into(&mut out, &slices(&a), &slices(&b));
            for (i, &sum) in out.iter().enumerate() {
                assert_eq!(sum, dot(q, a.iter().zip(&b).map(|(a, b)| (a[i], b[i]))), "dot {q} {}", kernels.arch.name());
            }
            // Neither half of a pair may touch the other.
            let reversed: Vec<Vec<u64>> = b.iter().rev().cloned().collect();
            let (mut out0, mut out1, mut expected) = (vec![7; len], vec![8; len], vec![0; len]);
            modulus.dot_pair_into(&mut out0, &mut out1, &slices(&a), &slices(&b), &slices(&reversed));
            modulus.dot_into(&mut expected, &slices(&a), &slices(&reversed));
            assert_eq!((&out0, &out1), (&out, &expected), "dot_pair {q} {}", kernels.arch.name());
            if modulus.bits() <= 32 {
                let narrow = |rows: &[Vec<u64>]| -> Vec<Vec<u32>> {
                    rows.iter().map(|row| row.iter().map(|&word| word as u32).collect()).collect()
                };
                let (b0, b1) = (narrow(&b), narrow(&reversed));
                let (mut narrow0, mut narrow1) = (vec![7; len], vec![8; len]);
                modulus.dot_pair_narrow_into(&mut narrow0, &mut narrow1, &slices(&a), &slices(&b0), &slices(&b1));
                assert_eq!([narrow0, narrow1], [out0, out1], "dot_pair_narrow {q} {}", kernels.arch.name());
            }
            for (bits, inputs) in inputs {
                modulus.linear_combination_into(&mut out, &slices(&inputs), &weights, bits);
                for (i, &sum) in out.iter().enumerate() {
                    let terms = inputs.iter().zip(&weights).map(|(input, &weight)| (input[i], weight));
                    assert_eq!(sum, dot(q, terms), "linear {q} {bits} {}", kernels.arch.name());
                }
            }
        }
    }
}

/// Sums of fractions with few and many moduli of the widest kind of each kernel, next to ones and halves.
#[test]
fn fractions_are_rounded_alike() -> Result<(), RingError> {
    for kernels in available().flat_map(|arch| arch.slice_kernels()) {
        for (widest, count) in [(50, 1), (50, 4), (44, 9), (50, 256), (61, 1), (61, 15), (55, 64), (61, 256)] {
            if widest > kernels.max_bits {
                continue;
            }
            // All of the widest kind but every third, which is small.
            let moduli: Vec<u64> =
                (0..count).map(|j| if j % 3 == 2 { 2 + j } else { (1 << widest) - 1 - 2 * j }).collect();
            let modulus = Modulus::with_kernels(moduli[0], |_| Ok(kernels))?;
            let bits = if widest <= 50 { 104 } else { 127 - (u64::BITS - count.leading_zeros()) };
            let reciprocals: Vec<u128> = moduli.iter().map(|&q| (1 << bits) / u128::from(q)).collect();
            for len in [1, 8, 31, 32, 77] {
                let mut words = Words(len as u64);
                let inputs: Vec<Vec<u64>> = moduli.iter().map(|&q| words.below(q, len)).collect();
                let mut out = vec![0; len];
                modulus.round_fractions_into(&mut out, &inputs.concat(), &reciprocals, bits);
                for (i, &found) in out.iter().enumerate() {
                    let sum: u128 = inputs.iter().zip(&reciprocals).map(|(row, r)| u128::from(row[i]) * r).sum();
                    let (whole, fraction) = (sum >> bits, sum & ((1 << bits) - 1));
                    assert_eq!(u128::from(found), whole + u128::from(fraction > 1 << (bits - 1)), "{widest} {count}");
                }
            }
        }
    }
    Ok(())
}

/// One column, two, and more that fill vectors; blocks of which only some are columns.
#[test]
fn columns_move_to_blocks_and_back_alike() {
    let mut words = Words(4);
    for kernels in available().flat_map(|arch| arch.slice_kernels()) {
        for count in [1, 2, 3, 4, 8, 12, 64, 1024] {
            let mut places: Vec<usize> = (0..2 * count).collect();
            places.sort_by_cached_key(|_| words.next());
            let matrix = words.below(u64::MAX, 8 * count);
            let goal = |&place: &usize| column(place as u32, words.next() as u32 | 1, words.next() as u32);
            let columns: Vec<u32> = places[..count].iter().map(goal).collect();
            let mut expected = vec![u64::MAX; 16 * count];
            for (k, &column) in columns.iter().enumerate() {
                let (a, c) = (column as usize / 8 % 4 * 2 + 1, column as usize % 8);
                for row in 0..8 {
                    let reversed = [0, 4, 2, 6, 1, 5, 3, 7][(c + a * row) % 8];
                    expected[8 * places[k] + reversed] = matrix[row * count + k];
                }
            }
            let mut blocks = vec![u64::MAX; 16 * count];
            (kernels.columns_to_blocks)(&mut blocks, &matrix, &columns);
            assert_eq!(blocks, expected, "{}, {count} columns", kernels.arch.name());
            let mut back = vec![0; 8 * count];
            (kernels.blocks_to_columns)(&mut back, &blocks, &columns);
            assert_eq!(back, matrix, "{}, {count} columns", kernels.arch.name());
        }
    }
}

#[test]
fn blocks_are_permuted_alike() {
    let mut words = Words(3);
    for kernels in available().flat_map(|arch| arch.slice_kernels()) {
        for count in [1, 2, 16, 128] {
            let input = words.below(u64::MAX, 8 * count);
            let blocks: Vec<u64> = (0..count).map(|_| words.next() % (8 * count as u64)).collect();
            let orders: [[u64; 8]; 8] = core::array::from_fn(|c| core::array::from_fn(|i| (3 * i + c) as u64 % 8));
            let mut out = vec![0; 8 * count];
            (kernels.permute_blocks)(&mut out, &input, &blocks, &orders);
            for (i, &word) in out.iter().enumerate() {
                let block = blocks[i / 8] as usize;
                assert_eq!(word, input[block / 8 * 8 + (3 * (i % 8) + block % 8) % 8], "{}", kernels.arch.name());
            }
        }
    }
}

#[test]
fn an_empty_sum_is_zero() -> Result<(), RingError> {
    for arch in available() {
        for q in [17, (1 << 44) - 1, (1 << 60) - 1] {
            let mut out = [5; 11];
            Modulus::with_arch(q, arch)?.linear_combination_into(&mut out, &[], &[], 61);
            assert_eq!(out, [0; 11]);
        }
    }
    Ok(())
}

fn dot(q: u64, terms: impl Iterator<Item = (u64, u64)>) -> u64 {
    let q = u128::from(q);
    terms.fold(0, |sum, (a, b)| (sum + u128::from(a) * u128::from(b) % q) % q) as u64
}

fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

fn slices<W>(rows: &[Vec<W>]) -> Vec<&[W]> {
    rows.iter().map(Vec::as_slice).collect()
}

#[test]
fn the_portable_transform_evaluates_at_odd_powers_of_the_root() -> Result<(), RingError> {
    for degree in [2, 4, 8, 16, 32, 64, 128] {
        for bits in [20, 23, 36, 50, 61] {
            let modulus = Modulus::with_arch(ntt_primes(2 * degree as u64, bits, 1)?[0], Arch::Portable)?;
            let tables = NttTables::new(degree, modulus)?;
            let coefficients = Words(degree as u64).below(modulus.value(), degree);
            let mut values = coefficients.clone();
            tables.forward(&mut values);
            for i in 0..degree {
                let point = modulus.pow_vartime(tables.root(), 2 * i as u64 + 1);
                let value = coefficients.iter().rev().fold(0, |sum, &c| modulus.mul_add(sum, point, c));
                let place = i.reverse_bits() >> (usize::BITS - degree.ilog2());
                assert_eq!(values[place], value, "degree {degree}, {bits} bits, point {i}");
            }
            tables.inverse(&mut values);
            assert_eq!(values, coefficients);
        }
    }
    Ok(())
}

#[test]
fn transforms_agree_with_the_portable_one() -> Result<(), RingError> {
    for degree in DEGREES {
        // Every width where that is cheap, elsewhere the edges of the kernels' ranges.
        let all = degree == 64 || degree == 512;
        let edges = [20, 23, 24, 30, 36, 46, 47, 48, 49, 50, 51, 57, 58, 59, 60, 61];
        for bits in (14..=61).filter(|bits| all || edges.contains(bits)) {
            let order = 2 * degree as u64;
            let q = ntt_primes(order, bits, 1)?[0];
            let root = minimal_primitive_root(&Modulus::new(q)?, order)?;
            let transforms = transforms(degree, q, root)?;
            check_transforms(&transforms);
            if degree <= 512 || (degree == 8192 && bits.is_multiple_of(10)) {
                check_prologues(&transforms);
            }
        }
    }
    Ok(())
}

/// All transforms that are right for this prime and degree; the first is the portable one.
fn transforms(degree: usize, q: u64, root: u64) -> Result<Vec<NttTables>, RingError> {
    let portable = Modulus::with_arch(q, Arch::Portable)?;
    let reference = NttTables::with_kernels(degree, portable, root, &portable::NTT_KERNELS);
    let mut transforms = vec![reference];
    for arch in available() {
        let modulus = Modulus::with_arch(q, arch)?;
        let right = arch.transforms().iter().filter(|kernels| (kernels.supports)(&modulus, degree));
        transforms.extend(right.map(|kernels| NttTables::with_kernels(degree, modulus, root, kernels)));
    }
    Ok(transforms)
}

/// All transforms in place, on edge cases and random words.
fn check_transforms(transforms: &[NttTables]) {
    let reference = &transforms[0];
    let (degree, q) = (reference.degree(), reference.modulus().value());
    let mut words = Words(q);
    let mut inputs = |bound: u64| {
        let alternating = (0..degree).map(|i| if (i & (i >> 1)) & 1 == 0 { bound - 1 } else { 0 }).collect();
        [vec![bound - 1; degree], alternating, words.below(bound, degree)]
    };
    type Transform = fn(&NttTables, &mut [u64]);
    let cases: [(u64, Transform, Transform); 4] = [
        (q, NttTables::forward, NttTables::forward),
        (q, NttTables::inverse, NttTables::inverse),
        (4 * q, NttTables::forward_lazy, NttTables::forward),
        (2 * q, NttTables::inverse_lazy, NttTables::inverse),
    ];
    for (case, (bound, transform, plain)) in cases.into_iter().enumerate() {
        for (pattern, input) in inputs(bound).into_iter().enumerate() {
            let mut expected: Vec<u64> = input.iter().map(|x| x % q).collect();
            plain(reference, &mut expected);
            for tables in transforms {
                let mut actual = Buffer::from_slice(&input);
                transform(tables, &mut actual);
                let context = (tables.kernel_name(), degree, q, case, pattern);
                assert!(actual.iter().all(|&x| x < bound), "range of {context:?}");
                assert!(actual.iter().zip(&expected).all(|(&x, &e)| x % q == e), "{context:?}");
            }
        }
    }
}

/// All transforms out of place from words of other moduli: those that fit, and those that are reduced, of every width.
fn check_prologues(transforms: &[NttTables]) {
    let reference = &transforms[0];
    let (degree, modulus) = (reference.degree(), reference.modulus());
    let q = modulus.value();
    let mut words = Words(q);
    let bounds = [q, 3 * q, 4 * q, 1 << 52, (1 << 52) + 1, 1 << 61, u64::MAX];
    for (bound, offset) in bounds.into_iter().flat_map(|bound| [0, 1, q].map(|offset| (bound, offset))) {
        let largest = modulus.shoup(q - 1);
        for factor in [None, Some(modulus.shoup(1)), Some(largest), Some(modulus.shoup(words.next() % q))] {
            let mut input = words.below(bound, degree);
            if factor == Some(largest) {
                input.fill(bound - 1);
            }
            let map = |&x: &u64| modulus.add(modulus.mul_shoup(x, factor.unwrap_or(modulus.shoup(1))), offset % q);
            let mut expected: Vec<u64> = input.iter().map(map).collect();
            reference.forward(&mut expected);
            for tables in transforms {
                let mut actual = Buffer::zeroed(degree);
                let context = (tables.kernel_name(), degree, q, bound, offset, factor);
                match factor {
                    None => {
                        tables.forward_from(&mut actual, &input, bound, offset);
                        assert!(*actual == *expected, "residues of {context:?}");
                        tables.forward_lazy_from(&mut actual, &input, bound, offset);
                    }
                    Some(factor) => tables.forward_lazy_scaled_from(&mut actual, &input, bound, factor, offset),
                }
                assert!(actual.iter().all(|&x| x < 4 * q), "range of {context:?}");
                assert!(actual.iter().zip(&expected).all(|(&x, &e)| x % q == e), "{context:?}");
            }
        }
    }
}

/// Whatever the places of input and output within a page, by which the first pass may choose its direction.
#[test]
fn transforms_out_of_place_do_not_depend_on_addresses() -> Result<(), RingError> {
    const DEGREE: usize = 512;
    for bits in [23, 43, 48, 50, 55, 61] {
        let q = ntt_primes(2 * DEGREE as u64, bits, 1)?[0];
        let root = minimal_primitive_root(&Modulus::new(q)?, 2 * DEGREE as u64)?;
        let input = Words(q).below(q, DEGREE);
        for tables in transforms(DEGREE, q, root)? {
            let mut expected = Buffer::from_slice(&input);
            tables.forward(&mut expected);
            // A polynomial takes a page.
            for distance in [0, 8, 16, 248, 256, 264, 504] {
                let mut words = Buffer::zeroed(3 * DEGREE);
                let (first, rest) = words.split_at_mut(DEGREE);
                first.copy_from_slice(&input);
                let out = &mut rest[distance..distance + DEGREE];
                tables.forward_from(out, first, q, 0);
                assert!(*out == *expected, "{} {bits} {distance}", tables.kernel_name());
            }
        }
    }
    Ok(())
}

#[test]
fn butterflies_alone_are_those_of_every_transform() -> Result<(), RingError> {
    for degree in [2, 64] {
        for bits in [23, 40, 48, 49, 50, 55, 60, 61] {
            let q = ntt_primes(2 * degree as u64, bits, 1)?[0];
            let root = minimal_primitive_root(&Modulus::new(q)?, 2 * degree as u64)?;
            for tables in transforms(degree, q, root)? {
                assert_eq!(tables.butterflies(), tables.butterflies(), "{}", tables.kernel_name());
            }
        }
    }
    Ok(())
}

/// The transforms for 23, 46, 48, 49, 50, 57, 59, 60 and 61 bits, where up to 48 and 50 bits they are in doubles.
fn doubles([narrow, free, reduced, wide]: [&'static str; 4]) -> [&'static str; 9] {
    [narrow, free, free, reduced, reduced, wide, wide, wide, wide]
}

/// The transforms for the same bits.
const AVX2: [&str; 9] = {
    let (free, reduced) = ("avx2, free", "avx2, reduced");
    [free, free, free, reduced, reduced, "avx2, wide", "avx2, tight", "avx2, tight", "portable"]
};
const IFMA: [&str; 9] = [
    "ifma, short",
    "ifma, loose",
    "ifma, free",
    "ifma, tight",
    "ifma, corrected",
    "avx512, loose",
    "avx512, free",
    "avx512, tight",
    "avx512, corrected",
];

const SIMD128: [&str; 9] = {
    let (reduced, wide) = ("simd128, reduced", "simd128, wide");
    ["simd128, narrow", "simd128, short", "simd128, free", reduced, reduced, wide, wide, wide, wide]
};

/// The widest primes of every kernel's range get it, so that no kernel is forgotten by the choice or by the tests.
#[test]
fn every_transform_is_chosen_for_some_prime() -> Result<(), RingError> {
    for arch in available() {
        let name = |degree, bits| -> Result<_, RingError> {
            let modulus = Modulus::with_arch(ntt_primes(2 * degree as u64, bits, 1)?[0], arch)?;
            assert_eq!(modulus.arch(), arch);
            Ok(NttTables::new(degree, modulus)?.kernel_name())
        };
        assert_eq!(name(8, 46)?, "portable");
        let names: Vec<_> =
            [23, 46, 48, 49, 50, 57, 59, 60, 61].into_iter().map(|bits| name(4096, bits)).collect::<Result<_, _>>()?;
        let expected = match arch {
            Arch::Portable => ["portable"; 9],
            Arch::Avx2 => AVX2,
            Arch::Ifma => IFMA,
            Arch::Neon => doubles(["neon, free", "neon, free", "neon, reduced", "portable"]),
            Arch::Simd128 => SIMD128,
            Arch::Relaxed => doubles(["relaxed, free", "relaxed, free", "relaxed, reduced", "simd128, wide"]),
        };
        assert_eq!(names, expected);
    }
    Ok(())
}

#[test]
fn every_pair_of_kernels_multiplies_polynomials_alike() -> Result<(), RingError> {
    let degree = 64;
    for bits in [30, 45, 50, 60] {
        let q = ntt_primes(2 * degree as u64, bits, 1)?[0];
        let mut words = Words(q);
        let (a, b) = (words.below(q, degree), words.below(q, degree));
        let expected = negacyclic_product(&Modulus::new(q)?, &a, &b);
        for arch in available() {
            let tables = NttTables::new(degree, Modulus::with_arch(q, arch)?)?;
            let (mut a, mut b) = (a.clone(), b.clone());
            tables.forward(&mut a);
            tables.forward(&mut b);
            tables.modulus().mul_assign(&mut a, &b);
            tables.inverse(&mut a);
            assert_eq!(a, expected, "{} {bits} bits", arch.name());
        }
    }
    Ok(())
}

fn negacyclic_product(modulus: &Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut product = vec![0; a.len()];
    for (i, &a_i) in a.iter().enumerate() {
        for (j, &b_j) in b.iter().enumerate() {
            let term = modulus.mul(a_i, b_j);
            let term = if i + j < a.len() { term } else { modulus.neg(term) };
            let place = (i + j) % a.len();
            product[place] = modulus.add(product[place], term);
        }
    }
    product
}

#[test]
fn names_are_unique_and_unknown_ones_are_refused() {
    for &arch in Arch::all() {
        let found = Arch::from_name(arch.name());
        assert_eq!(found.is_ok(), arch.is_available());
        assert!(found.is_err() || found == Ok(arch));
        assert_eq!(Modulus::with_arch(17, arch).is_ok(), arch.is_available());
    }
    for name in ["", "AVX2", "avx1024"] {
        let message = alloc::format!("{}", Arch::from_name(name).expect_err("nothing has this name"));
        assert!(message.contains(name) && message.contains("portable"), "{message}");
    }
}
