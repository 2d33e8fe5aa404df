use alloc::string::String;

/// What can go wrong when rings, transforms and samplers are built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// A residue number system was asked for without moduli.
    #[error("a basis needs at least one modulus")]
    EmptyBasis,
    /// Two primes of a basis share a factor, so residues do not determine an integer.
    #[error("the moduli {first} and {second} are not coprime; every modulus of a basis must be distinct")]
    NotCoprime {
        /// The earlier modulus.
        first: u64,
        /// The later modulus.
        second: u64,
    },
    /// The ring degree is not a supported power of two.
    #[error("degree {degree} is not a power of two from 2 to 131072; choose one of those")]
    InvalidDegree {
        /// The degree that was asked for.
        degree: usize,
    },
    /// The Galois element is not an odd number below `2n`.
    #[error("Galois element {element} is not an odd number below {limit} (twice the degree)")]
    InvalidGaloisElement {
        /// The element that was asked for.
        element: u64,
        /// `2n`.
        limit: u64,
    },
    /// The width and bound of a Gaussian make no distribution that can be sampled.
    #[error("no Gaussian with standard deviation {sigma} and bound {bound}: 0 <= sigma <= bound < 2^62 must hold")]
    InvalidGaussian {
        /// The standard deviation that was asked for.
        sigma: f64,
        /// The largest magnitude that was asked for.
        bound: f64,
    },
    /// This processor cannot run these kernels, or nothing has this name.
    #[error("there are no kernels named `{name}` on this processor; available: {available}")]
    UnavailableArch {
        /// What was asked for.
        name: String,
        /// The names of the kernels that this processor can run.
        available: String,
    },
    /// The process has chosen its kernels already, and others.
    #[error("the kernels named `{selected}` are in use already; `{wanted}` must be chosen before anything is computed")]
    ArchInUse {
        /// The name of the wanted kernels.
        wanted: &'static str,
        /// The name of those in use.
        selected: &'static str,
    },
    /// The modulus is outside of 2..2^61.
    #[error("modulus {value} is not from 2 to 2^61 - 1")]
    InvalidModulus {
        /// The value that was asked for.
        value: u64,
    },
    /// No negacyclic transform of this degree exists modulo this integer.
    #[error("modulus {modulus} has no primitive root of order {order}; it must be a prime that is 1 modulo {order}")]
    NoRootOfUnity {
        /// The modulus.
        modulus: u64,
        /// The order of the root, `2n`.
        order: u64,
    },
    /// The rotation moves further than there are slots.
    #[error("rotation by {step} steps; its magnitude must be below {limit}, the number of slots in a row")]
    InvalidRotation {
        /// The step that was asked for.
        step: i64,
        /// `n/2`.
        limit: u64,
    },
    /// There are not as many primes of this size as were asked for.
    #[error(
        "only {found} of {wanted} primes of {bits} bits are 1 modulo {factor}; ask for fewer, larger primes or a smaller degree"
    )]
    NotEnoughPrimes {
        /// Bits of each prime.
        bits: u32,
        /// What the primes must be 1 modulo of.
        factor: u64,
        /// How many exist.
        found: usize,
        /// How many were asked for.
        wanted: usize,
    },
    /// More primes were asked for than any chain has.
    #[error("{wanted} primes of {bits} bits are too many; ask for at most {most}")]
    TooManyPrimes {
        /// Bits of each prime.
        bits: u32,
        /// How many were asked for.
        wanted: usize,
        /// How many are found at most.
        most: usize,
    },
    /// The operating system gave no random bytes.
    #[error("the operating system's random source failed: {0}")]
    RandomSource(#[from] getrandom::Error),
}
