//! Permutations of words that are transpositions around a permutation of whole blocks of eight.
//!
//! Multiplication of the exponents of `ψ` or `X` by an odd number maps residues modulo `n/8` to residues modulo `n/8`,
//! so words at a distance of a fraction of `n` stay together. With the words as a matrix of eight rows, each column
//! becomes a block of eight words elsewhere, in one of 32 orders: row `m` goes to the place of
//! `r = c + a·m mod 8`, for an odd `a`, which is `r` with its three bits reversed, as in the transform's order.
//!
//! [`Kernels`](crate::arch::Kernels) have the move of all columns, and its inverse.

/// Where one column goes: 32 times the number of its block, `+ 8·(a − 1)/2`, `+ c`. Only `a` and `c` modulo 8 matter.
#[inline]
pub(crate) const fn column(block: u32, a: u32, c: u32) -> u32 {
    32 * block + 8 * (a % 8 / 2) + c % 8
}

/// For each order, that is the five low bits of a [`column`], the place of each row.
pub(crate) static PLACES: [[u8; 8]; 32] = places();

const fn places() -> [[u8; 8]; 32] {
    let reversed = [0, 4, 2, 6, 1, 5, 3, 7];
    let mut places = [[0; 8]; 32];
    let mut i = 0;
    while i < 256 {
        let (order, row) = (i / 8, i % 8);
        let (a, c) = (2 * (order / 8) + 1, order % 8);
        places[order][row] = reversed[(c + a * row) % 8];
        i += 1;
    }
    places
}
