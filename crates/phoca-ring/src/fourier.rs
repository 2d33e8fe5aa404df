//! The Fourier transform of `Z[X]/(X^n + 1)` in doubles, as TFHE multiplies by: products of small digits with words modulo
//! `2^64`, right up to a small error.
//!
//! With `M = n/2`, the complex polynomial `c_j = f_j + i·f_(j+M)` agrees with `f` at the roots of `Y^M - i`; the other values
//! of `f` are conjugates of these. As in a negacyclic NTT each stage splits `Y^(2L) - u²` into `Y^L - u` and `Y^L + u`, so that
//! there is no separate twist, each butterfly has one factor, and values stay in the order in which they come.
//!
//! The plan is fixed: equal inputs give equal bits on every processor whose kernels fuse products and sums
//! ([`FourierTransform::is_fused`]), and on every one whose kernels do not; the error is of the same size in both.

use alloc::vec;
use alloc::vec::Vec;

use crate::RingError;
use crate::arch::Arch;
use crate::arch::fourier::{FourierKernels, Step};
use crate::roots::Roots;

/// A signed decomposition of words into digits: `x ≈ Σ_i d_i·2^(64 - i·bits)` for `i` from 1 to `levels`, with every digit in
/// `[-B/2, B/2)` for the base `B = 2^bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decomposition {
    pub(crate) bits: u32,
    pub(crate) levels: u32,
}

impl Decomposition {
    /// Digits of `bits` bits in `levels` levels; `None` unless both are positive and `bits·levels` is below 52.
    pub const fn new(bits: u32, levels: u32) -> Option<Self> {
        match bits.checked_mul(levels) {
            Some(1..=51) => Some(Self { bits, levels }),
            _ => None,
        }
    }

    /// `log2 B`.
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// The number of digits.
    pub const fn levels(self) -> u32 {
        self.levels
    }

    /// What makes digit `i` of `x`, balanced, bits `64 - i·bits` and above of `x` plus this, less `B/2`: half of every digit's
    /// range, and half a unit of the last digit for rounding.
    pub(crate) const fn offset(self) -> u64 {
        let mut offset = 1 << (63 - self.bits * self.levels);
        let mut level = 0;
        while level < self.levels {
            offset |= 1 << (63 - level * self.bits);
            level += 1;
        }
        offset
    }

    /// Digit `level`, from 0 for the most significant one.
    pub const fn digit(self, word: u64, level: u32) -> i64 {
        let shifted = word.wrapping_add(self.offset()) >> (64 - self.bits * (level + 1));
        (shifted & ((1 << self.bits) - 1)) as i64 - (1 << (self.bits - 1))
    }
}

/// The transform for one degree.
///
/// ```
/// use phoca_ring::fourier::FourierTransform;
///
/// let transform = FourierTransform::new(64)?;
/// let mut x = [0; 64];
/// x[1] = 1;
/// let mut values = [0.0; 64];
/// transform.forward(&x, &mut values);
/// let mut back = [0; 64];
/// transform.backward_add(&mut values, &mut back);
/// assert_eq!(back, x);
/// # Ok::<(), phoca_ring::RingError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FourierTransform {
    tables: Tables,
    kernels: &'static FourierKernels,
}

/// What the kernels need to know.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// `n`.
    pub(crate) degree: usize,
    /// The number of blocks of `W²` points that the last stages work on.
    pub(crate) blocks: usize,
    /// The stages of each pass before the blocks.
    pub(crate) passes: Vec<u32>,
    /// Real and imaginary part of the factor of each node with whole vectors; the children of node `i` are `2i` and `2i + 1`.
    pub(crate) nodes: Vec<[f64; 2]>,
    /// For each block, the factors of the stages within vectors: `W` pairs of vectors, the first one unused.
    pub(crate) lanes: Vec<f64>,
    /// `2^-64 / M`.
    pub(crate) scale: f64,
}

/// Which row and column of a GGSW ciphertext some values belong to.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    /// From 0 to `(k + 1)·l - 1`, that is `level·(k + 1) + polynomial` with the most significant level first.
    pub row: usize,
    /// From 0 to `k`.
    pub column: usize,
}

/// The shape of a GGSW ciphertext.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GgswShape {
    /// `k + 1`, the polynomials of a GLWE ciphertext.
    pub polynomials: usize,
    /// How these are decomposed.
    pub decomposition: Decomposition,
}

impl GgswShape {
    /// `(k + 1)·l`.
    pub const fn rows(self) -> usize {
        self.polynomials * self.decomposition.levels as usize
    }

    /// The number of polynomials.
    pub const fn len(self) -> usize {
        self.rows() * self.polynomials
    }

    /// Whether there is no polynomial.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl FourierTransform {
    /// The transform with the kernels of [`Arch::selected`].
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidDegree`] unless `degree` is a power of two from 16 to 131072.
    pub fn new(degree: usize) -> Result<Self, RingError> {
        Self::with_arch(degree, Arch::selected())
    }

    /// The transform with the kernels of an instruction set; the portable ones where it has none for this degree.
    ///
    /// # Errors
    ///
    /// [`RingError::InvalidDegree`] as for [`new`](Self::new), [`RingError::UnavailableArch`] where this processor lacks the
    /// instructions.
    pub fn with_arch(degree: usize, arch: Arch) -> Result<Self, RingError> {
        if !degree.is_power_of_two() || !(16..=131_072).contains(&degree) {
            return Err(RingError::InvalidDegree { degree });
        }
        let kernels = arch.fourier_kernels(degree)?;
        Ok(Self { tables: Tables::new(degree, kernels), kernels })
    }

    /// `n`.
    pub fn degree(&self) -> usize {
        self.tables.degree
    }

    /// The name of the kernels.
    pub fn kernel_name(&self) -> &'static str {
        self.kernels.name
    }

    /// Whether the kernels round a product and a sum once.
    pub fn is_fused(&self) -> bool {
        self.kernels.fused
    }

    /// The values of a polynomial whose words are signed integers.
    ///
    /// # Panics
    ///
    /// Unless there are `n` of each.
    pub fn forward(&self, words: &[u64], values: &mut [f64]) {
        assert_eq!([words.len(), values.len()], [self.degree(); 2], "there are n words and n values");
        (self.kernels.forward)(&self.tables, words, values);
    }

    /// Adds the polynomial with these values, modulo `2^64` and rounded, to `words`. The values are overwritten. Coefficients
    /// of magnitude up to `2^114` are right as far as their doubles are.
    ///
    /// # Panics
    ///
    /// Unless there are `n` of each.
    pub fn backward_add(&self, values: &mut [f64], words: &mut [u64]) {
        assert_eq!([words.len(), values.len()], [self.degree(); 2], "there are n words and n values");
        (self.kernels.backward_add)(&self.tables, values, words);
    }

    /// Adds a product: `sum += a·b`, value by value.
    ///
    /// # Panics
    ///
    /// Unless there are `n` of each.
    pub fn multiply_add(&self, a: &[f64], b: &[f64], sum: &mut [f64]) {
        assert_eq!([a.len(), b.len(), sum.len()], [self.degree(); 3], "there are n values");
        let width = self.kernels.width;
        let vectors = a.chunks_exact(2 * width).zip(b.chunks_exact(2 * width)).zip(sum.chunks_exact_mut(2 * width));
        for ((a, b), sum) in vectors {
            let ((a_re, a_im), (b_re, b_im), (re, im)) =
                (a.split_at(width), b.split_at(width), sum.split_at_mut(width));
            for lane in 0..width {
                re[lane] += a_re[lane] * b_re[lane] - a_im[lane] * b_im[lane];
                im[lane] += a_re[lane] * b_im[lane] + a_im[lane] * b_re[lane];
            }
        }
    }

    /// Writes the values of one polynomial of a GGSW ciphertext to their places in a key, scaled by a power of two.
    ///
    /// # Panics
    ///
    /// Unless there are `n` values, the position is inside of the shape, and the key has the length of the shape times `n`.
    pub fn pack(&self, values: &[f64], shape: GgswShape, position: Position, key: &mut [f64]) {
        assert_eq!(values.len(), self.degree(), "there are n values");
        assert_eq!(key.len(), shape.len() * self.degree(), "a key has the length of its shape");
        assert!(position.row < shape.rows() && position.column < shape.polynomials, "the position is in the shape");
        let len = self.block_len();
        let at = (position.column * shape.rows() + position.row) * len;
        for (values, block) in values.chunks_exact(len).zip(key.chunks_exact_mut(shape.len() * len)) {
            for (scaled, value) in block[at..at + len].iter_mut().zip(values) {
                *scaled = value * self.tables.scale;
            }
        }
    }

    /// One step of a blind rotation: `acc += GGSW ⊡ (X^exponent - 1)·acc`, so that a GGSW ciphertext of 1 multiplies by
    /// `X^exponent` and one of 0 does not.
    ///
    /// `acc` has `k + 1` polynomials. `next` is what the next step will read, or empty.
    ///
    /// # Panics
    ///
    /// Unless `key` was filled by [`pack`](Self::pack) for this shape, `scratch` has [`scratch_len`](Self::scratch_len)
    /// numbers, and `exponent` is below `2n`.
    pub fn select_rotated(
        &self,
        shape: GgswShape,
        key: &[f64],
        next: &[f64],
        exponent: usize,
        acc: &mut [u64],
        scratch: &mut [f64],
    ) {
        let degree = self.degree();
        assert_eq!(key.len(), shape.len() * degree, "a key has the length of its shape");
        assert_eq!(acc.len(), shape.polynomials * degree, "there are k + 1 polynomials");
        assert_eq!(scratch.len(), self.scratch_len(shape), "scratch memory has its length");
        assert!(exponent < 2 * degree, "the exponent is below 2n");
        let GgswShape { polynomials, decomposition } = shape;
        let step = Step { key, next, decomposition, polynomials, exponent };
        (self.kernels.select_rotated)(&self.tables, &step, acc, scratch);
    }

    /// The numbers of scratch memory for [`select_rotated`](Self::select_rotated).
    pub fn scratch_len(&self, shape: GgswShape) -> usize {
        shape.rows() * (self.degree() + self.block_len())
    }

    /// The numbers of a block of points.
    fn block_len(&self) -> usize {
        2 * self.kernels.width * self.kernels.width
    }
}

impl Tables {
    fn new(degree: usize, kernels: &FourierKernels) -> Self {
        let (points, width) = (degree / 2, kernels.width);
        let blocks = points / (width * width);
        let roots = Roots::new(degree);
        // Node `i` at depth `d` splits Y^(M/2^d) - exp(2πi·turn/(4·2^d)).
        let mut turns = vec![1; points];
        let mut factor = |node: usize| {
            let depth = node.ilog2();
            if node > 1 {
                turns[node] = turns[node / 2] + (node % 2) * (2 << depth);
            }
            let root = roots.power((points * turns[node]) >> (depth + 1));
            [root.re, root.im]
        };
        let all: Vec<[f64; 2]> = (0..points).map(|node| if node == 0 { [0.0; 2] } else { factor(node) }).collect();
        let mut lanes = vec![0.0; blocks * 2 * width * width];
        for (block, vectors) in lanes.chunks_exact_mut(2 * width * width).enumerate() {
            for (node, pair) in vectors.chunks_exact_mut(2 * width).enumerate().skip(1) {
                let (stage, (re, im)) = (node.ilog2(), pair.split_at_mut(width));
                for (lane, (re, im)) in re.iter_mut().zip(im).enumerate() {
                    let root = points / width + width * block + lane;
                    [*re, *im] = all[(root << stage) + node - (1 << stage)];
                }
            }
        }
        let nodes = all[..points / width].to_vec();
        let scale = libm::ldexp(1.0, -64 - points.ilog2() as i32);
        Self { degree, blocks, passes: passes(blocks.ilog2(), kernels.longest_pass), nodes, lanes, scale }
    }
}

/// Splits stages into passes of at most `longest`, as even as can be, longer ones last.
fn passes(stages: u32, longest: u32) -> Vec<u32> {
    let count = stages.div_ceil(longest);
    (0..count).map(|pass| (stages + pass) / count).collect()
}

#[cfg(test)]
mod tests;
