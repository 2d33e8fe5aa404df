//! The instruction sets for which kernels exist, and the choice among them.
//!
//! A kernel is a safe function pointer in a table. A [`Modulus`] takes its table when it is built, after the check that
//! the processor has the instructions; an [`NttTables`](crate::NttTables) likewise takes the transform that suits the
//! degree and the width of the prime. Every kernel gives the same results as the portable one, bit for bit, except that
//! the lazy transforms may choose another representative in their stated range.
//!
//! With the feature `std` the processor is asked at run time and the environment variable `PHOCA_ARCH` can force one
//! set; without it the target features of the build decide.

use alloc::borrow::ToOwned;
use alloc::vec::Vec;

use crate::arch::fourier::FourierKernels;
use crate::modulus::{Modulus, Shoup};
use crate::rns::plain::PlainConstants;
use crate::{Buffer, RingError};

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) mod aarch64;
pub(crate) mod fourier;
#[cfg(any(
    all(target_arch = "aarch64", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(crate) mod pairs;
pub(crate) mod portable;
pub(crate) mod streams;
#[cfg(test)]
mod tests;
pub(crate) mod vectorized;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm32;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

/// The choice for this process, once it is made.
#[cfg(feature = "std")]
static SELECTED: std::sync::OnceLock<Arch> = std::sync::OnceLock::new();

/// An instruction set with kernels of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Arch {
    /// Plain 64-bit integer code for every processor.
    Portable,
    /// x86-64 with AVX2 and FMA.
    Avx2,
    /// x86-64 with AVX-512 F, DQ, VL and IFMA.
    Ifma,
    /// 64-bit Arm with NEON.
    Neon,
    /// WebAssembly with vectors of 128 bits.
    Simd128,
    /// WebAssembly with relaxed vectors, on an engine that rounds a product and a sum once.
    Relaxed,
}

impl Arch {
    /// All instruction sets; those of one processor are in order, slowest first.
    pub const fn all() -> &'static [Self] {
        &[Self::Portable, Self::Avx2, Self::Ifma, Self::Neon, Self::Simd128, Self::Relaxed]
    }

    /// The name that `PHOCA_ARCH` knows it by: `portable`, `avx2`, `ifma`, `neon`, `simd128` or `relaxed`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Ifma => "ifma",
            Self::Neon => "neon",
            Self::Simd128 => "simd128",
            Self::Relaxed => "relaxed",
        }
    }

    /// Whether this processor (without `std`: this build) has the instructions.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86_64::has_avx2(),
            #[cfg(target_arch = "x86_64")]
            Self::Ifma => x86_64::has_ifma(),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon => true,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => true,
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Self::Relaxed => wasm32::relaxed::is_fused(),
            _ => false,
        }
    }

    /// The fastest available instruction set.
    pub fn best() -> Self {
        Self::all().iter().rev().copied().find(|arch| arch.is_available()).unwrap_or(Self::Portable)
    }

    /// The instruction set with this name.
    ///
    /// # Errors
    ///
    /// [`RingError::UnavailableArch`] where there is none or this processor cannot run it.
    pub fn from_name(name: &str) -> Result<Self, RingError> {
        let found = Self::all().iter().copied().find(|arch| arch.name() == name && arch.is_available());
        found.ok_or_else(|| unavailable(name))
    }

    /// What the environment variable `PHOCA_ARCH` asks for; `None` where it is not set, is empty, or without `std`.
    ///
    /// # Errors
    ///
    /// [`RingError::UnavailableArch`] where it names nothing that this processor can run. Programs should report this at
    /// their start, since [`selected`](Self::selected) cannot.
    pub fn requested() -> Result<Option<Self>, RingError> {
        #[cfg(feature = "std")]
        if let Some(name) = std::env::var_os("PHOCA_ARCH").filter(|name| !name.is_empty()) {
            return Self::from_name(&name.to_string_lossy()).map(Some);
        }
        Ok(None)
    }

    /// The instruction set that [`Modulus::new`] uses: the requested one, else the best available.
    ///
    /// `PHOCA_ARCH` is read once, at the first call. A value that [`requested`](Self::requested) rejects selects
    /// [`Portable`](Self::Portable): never an instruction set that the user did not ask for and never a panic.
    pub fn selected() -> Self {
        #[cfg(feature = "std")]
        return *SELECTED.get_or_init(Self::choose);
        #[cfg(not(feature = "std"))]
        Self::choose()
    }

    /// Makes this the instruction set of the whole process, whatever `PHOCA_ARCH` says. For the start of a program:
    /// once [`selected`](Self::selected) has answered, the choice stands.
    ///
    /// # Errors
    ///
    /// [`RingError::UnavailableArch`] where this processor cannot run it, [`RingError::ArchInUse`] where another one is
    /// selected already.
    #[cfg(feature = "std")]
    pub fn select(self) -> Result<(), RingError> {
        if !self.is_available() {
            return Err(unavailable(self.name()));
        }
        match *SELECTED.get_or_init(|| self) {
            selected if selected == self => Ok(()),
            selected => Err(RingError::ArchInUse { wanted: self.name(), selected: selected.name() }),
        }
    }

    fn choose() -> Self {
        match Self::requested() {
            Ok(Some(arch)) => arch,
            Ok(None) => Self::best(),
            Err(_) => Self::Portable,
        }
    }

    /// The fastest of these kernels for slices modulo a `q` of `bits` bits.
    pub(crate) fn kernels(self, bits: u32) -> Result<&'static Kernels, RingError> {
        if !self.is_available() {
            return Err(unavailable(self.name()));
        }
        Ok(self.slice_kernels().iter().find(|kernels| bits <= kernels.max_bits).unwrap_or(&&portable::KERNELS))
    }

    /// The fastest transform of this modulus and degree. The modulus proves that the instructions are available.
    pub(crate) fn ntt_kernels(modulus: &Modulus, degree: usize) -> &'static NttKernels {
        let mut transforms = modulus.arch().transforms().iter();
        transforms.find(|kernels| (kernels.supports)(modulus, degree)).unwrap_or(&&portable::NTT_KERNELS)
    }

    /// The fastest Fourier transform of this degree.
    pub(crate) fn fourier_kernels(self, degree: usize) -> Result<&'static FourierKernels, RingError> {
        if !self.is_available() {
            return Err(unavailable(self.name()));
        }
        let kernels = match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => &x86_64::fourier::AVX2,
            #[cfg(target_arch = "x86_64")]
            Self::Ifma => &x86_64::fourier::AVX512,
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon => &aarch64::fourier::KERNELS,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => &wasm32::fourier::SIMD128,
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Self::Relaxed => &wasm32::fourier::RELAXED,
            _ => &fourier::PORTABLE,
        };
        // At least one stage comes before the blocks.
        Ok(if degree >= 4 * kernels.width * kernels.width { kernels } else { &fourier::PORTABLE })
    }

    /// Vector code for the conversion of `limbs` moduli of at most `bits` bits to a plain modulus of `plain_bits`, where there
    /// is some. Only for processors that have the instructions.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "only AVX-512 has some"))]
    pub(crate) fn plain_kernels(self, bits: u32, limbs: usize, plain_bits: u32) -> Option<&'static PlainKernels> {
        match (self, plain_bits, limbs) {
            #[cfg(target_arch = "x86_64")]
            (Self::Ifma, ..=50, ..=256) if bits <= 50 => Some(&x86_64::ifma::PLAIN_KERNELS),
            #[cfg(target_arch = "x86_64")]
            (Self::Ifma, ..=50, ..=256) if (limbs as u128) << bits <= 1 << 63 => {
                Some(&x86_64::ifma::WIDE_PLAIN_KERNELS)
            }
            _ => None,
        }
    }

    /// All kernels for slices, fastest first. Only for processors that have the instructions.
    pub(crate) fn slice_kernels(self) -> &'static [&'static Kernels] {
        match self {
            Self::Portable => portable::SLICE_KERNELS,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86_64::avx2::SLICE_KERNELS,
            #[cfg(target_arch = "x86_64")]
            Self::Ifma => x86_64::ifma::SLICE_KERNELS,
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon => aarch64::SLICE_KERNELS,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => wasm32::SLICE_KERNELS,
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Self::Relaxed => wasm32::relaxed::SLICE_KERNELS,
            _ => &[],
        }
    }

    /// All transforms, fastest first. Only for processors that have the instructions.
    pub(crate) fn transforms(self) -> &'static [&'static NttKernels] {
        match self {
            Self::Portable => portable::TRANSFORMS,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => x86_64::avx2::TRANSFORMS,
            #[cfg(target_arch = "x86_64")]
            Self::Ifma => x86_64::ifma::TRANSFORMS,
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon => aarch64::TRANSFORMS,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Self::Simd128 => wasm32::TRANSFORMS,
            #[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
            Self::Relaxed => wasm32::relaxed::TRANSFORMS,
            _ => &[],
        }
    }
}

/// The operations of [`Modulus`] on slices; its methods check the lengths and give the meaning and the ranges.
pub(crate) struct Kernels {
    pub(crate) arch: Arch,
    /// The widest modulus that these kernels are right for.
    pub(crate) max_bits: u32,
    pub(crate) add_assign: fn(&Modulus, &mut [u64], &[u64]),
    pub(crate) sub_assign: fn(&Modulus, &mut [u64], &[u64]),
    pub(crate) negate_assign: fn(&Modulus, &mut [u64]),
    pub(crate) add_scalar_assign: fn(&Modulus, &mut [u64], u64),
    pub(crate) mul_assign: fn(&Modulus, &mut [u64], &[u64]),
    pub(crate) mul_into: fn(&Modulus, &mut [u64], &[u64], &[u64]),
    pub(crate) mul_add_assign: fn(&Modulus, &mut [u64], &[u64], &[u64]),
    pub(crate) mul_scalar_assign: fn(&Modulus, &mut [u64], Shoup),
    pub(crate) mul_scalar_into: fn(&Modulus, &mut [u64], &[u64], Shoup),
    pub(crate) scale_into: fn(&Modulus, &mut [u64], &[u64], Shoup),
    pub(crate) add_scaled_assign: fn(&Modulus, &mut [u64], &[u64], Shoup, &[u64]),
    pub(crate) sub_scaled_assign: fn(&Modulus, &mut [u64], &[u64], Shoup, &[u64]),
    pub(crate) reduce_into: fn(&Modulus, &mut [u64], &[u64]),
    pub(crate) sub_mul_scalar_into: fn(&Modulus, &mut [u64], &[u64], &[u64], Shoup),
    pub(crate) mul_scalar_add_assign: fn(&Modulus, &mut [u64], &[u64], Shoup),
    pub(crate) dot_into: fn(&Modulus, &mut [u64], Rows<'_>, Rows<'_>),
    /// Products added to or subtracted from the first operand.
    pub(crate) add_product_into: fn(&Modulus, &mut [u64], &[u64], Pair<'_>),
    pub(crate) sub_product_into: fn(&Modulus, &mut [u64], &[u64], Pair<'_>),
    pub(crate) dot_pair_into: fn(&Modulus, [&mut [u64]; 2], Rows<'_>, [Rows<'_>; 2]),
    /// Where it is faster than the same with words of 64 bits; for moduli of at most 32 bits.
    pub(crate) dot_pair_narrow_into: Option<NarrowDotPair>,
    pub(crate) tensor_into: fn(&Modulus, [&mut [u64]; 3], Pair<'_>, Pair<'_>),
    pub(crate) linear_combination_into: fn(&Modulus, &mut [u64], Rows<'_>, &[u64], u32),
    pub(crate) round_fractions_into: fn(&mut [u64], &[u64], &[u128], u32),
    /// Block `i` of eight words becomes the block `blocks[i] / 8` in the order `orders[blocks[i] % 8]`.
    pub(crate) permute_blocks: fn(&mut [u64], &[u64], &[u64], &Orders),
    /// Moves the columns of a matrix of eight rows to blocks of eight words, each where its
    /// [`column`](crate::columns::column) says.
    pub(crate) columns_to_blocks: fn(&mut [u64], &[u64], &[u32]),
    /// The inverse: the first argument is the matrix.
    pub(crate) blocks_to_columns: fn(&mut [u64], &[u64], &[u32]),
}

/// The conversion to a plain modulus of the first coefficients, as many as fill vectors of 8, with the bits of
/// [`PlainConverter`](crate::rns::PlainConverter).
#[derive(Debug)]
pub(crate) struct PlainKernels {
    /// With 128 fractional bits.
    pub(crate) round_scaled: fn(&PlainConstants, &[u64], &mut [u64]),
    /// With 192 fractional bits.
    pub(crate) round_scaled_long: fn(&PlainConstants, &[u64], &mut [u64]),
    pub(crate) reduce_centered: fn(&PlainConstants, &[u64], &mut [u64]),
}

/// The order of the words of a block, for each value of a parameter.
type Orders = [[u64; 8]; 8];

/// Two slices of one length.
type Pair<'a> = [&'a [u64]; 2];

/// Slices of one length.
type Rows<'a> = &'a [&'a [u64]];

/// Both sums of products of words with words of 32 bits.
pub(crate) type NarrowDotPair = fn(&Modulus, [&mut [u64]; 2], Rows<'_>, [&[&[u32]]; 2]);

/// One implementation of the negacyclic transform; [`NttTables`](crate::NttTables) gives the meaning and the ranges.
pub(crate) struct NttKernels {
    pub(crate) name: &'static str,
    /// Whether this implementation is right for the modulus and the degree.
    pub(crate) supports: fn(&Modulus, usize) -> bool,
    /// Lays out a table of residues (see [`Twiddles`]) as `forward` and `inverse` read it.
    pub(crate) prepare: fn(&Modulus, &[u64]) -> Buffer,
    pub(crate) forward: fn(&Modulus, &Twiddles, &mut [u64]),
    pub(crate) forward_lazy: fn(&Modulus, &Twiddles, &mut [u64]),
    /// Out of place, with a map of the words before the first stage.
    pub(crate) forward_from: TransformFrom,
    pub(crate) forward_lazy_from: TransformFrom,
    pub(crate) inverse: fn(&Modulus, &Twiddles, &mut [u64]),
    pub(crate) inverse_lazy: fn(&Modulus, &Twiddles, &mut [u64]),
    /// At least so many forward butterflies, in registers; a word that depends on all of them.
    pub(crate) butterflies: fn(&Modulus, &Twiddles, usize) -> u64,
}

/// A transform out of place, of mapped words.
pub(crate) type TransformFrom = fn(&Modulus, &Twiddles, &mut [u64], &[u64], Prologue);

/// The map of words in `[0, bound)` before the first stage of a forward transform: `x ↦ factor·x + offset`.
///
/// Without a factor, `x + offset` is below `4q`. With one, `x` is any word, and the offset is in `[0, q]`.
#[derive(Clone, Copy)]
pub(crate) struct Prologue {
    pub(crate) bound: u64,
    pub(crate) factor: Option<Shoup>,
    pub(crate) offset: u64,
}

/// The powers of the root `ψ` that the butterflies of one degree `n` need, laid out by [`NttKernels::prepare`].
///
/// The residues are, with `k` from 1 to `n - 1`: `forward[k] = ψ^bitrev(k)` and `inverse[k] = ψ^-bitrev(k)`, where the
/// bits of `k` are reversed within `log2 n`. Block `i` of the stage with `m` blocks uses entry `m + i`. The inverse's
/// last stage also divides by `n`: `inverse[0] = n^-1` and `inverse[1]` carries the factor `n^-1`.
pub(crate) struct Twiddles {
    pub(crate) forward: Buffer,
    pub(crate) inverse: Buffer,
}

fn unavailable(name: &str) -> RingError {
    let available: Vec<_> = Arch::all().iter().filter(|arch| arch.is_available()).map(|arch| arch.name()).collect();
    RingError::UnavailableArch { name: name.to_owned(), available: available.join(", ") }
}
