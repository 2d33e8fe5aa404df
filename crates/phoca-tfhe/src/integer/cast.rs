//! Integers of other widths, of a flag, and of bits.

use alloc::vec::Vec;

use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

impl ServerKey {
    /// The integer modulo `2^bits` of so many blocks, or continued with zeros or, where it is signed, with its sign: one bootstrap
    /// for a sign, else none.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn resize(&self, integer: &Radix, blocks: usize, signed: bool) -> Result<Radix, Error> {
        let mut resized = integer.blocks().to_vec();
        let fill = match integer.blocks().last() {
            Some(top) if signed && blocks > integer.len() => self.sign_block(top)?,
            _ => self.key.trivial(0)?,
        };
        resized.resize(blocks, fill);
        Ok(Radix::new(resized))
    }

    /// The integer 0 or 1 of a flag, one block. No bootstrap.
    ///
    /// # Errors
    ///
    /// [`Error::NoRoom`] unless the flag is a message with the noise that blocks may have.
    pub fn from_flag(&self, flag: &Ciphertext, blocks: usize) -> Result<Radix, Error> {
        self.key.check_room("an integer of a flag", flag.degree, flag.noise, self.base() - 1)?;
        let mut resized = alloc::vec![flag.clone()];
        resized.resize(blocks, self.key.trivial(0)?);
        Ok(Radix::new(resized))
    }

    /// All bits as flags, least significant first. One bootstrap for each block.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn to_bits(&self, integer: &Radix) -> Result<Vec<Ciphertext>, Error> {
        let bits = self.block_bits();
        let count = bits.next_power_of_two();
        let functions: Vec<_> = (0..count).map(|place| move |x: u64| (x >> place) & 1).collect();
        let functions: Vec<&dyn Fn(u64) -> u64> = functions.iter().map(|function| function as _).collect();
        let outputs = self.map(integer.blocks(), &self.key.tables(&functions)?)?;
        Ok(outputs.chunks(count as usize).flat_map(|bits_of| bits_of[..bits as usize].to_vec()).collect())
    }

    /// The integer of flags, least significant first. One bootstrap for each block.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where a flag is of another set, [`Error::NoRoom`] where one may be neither 0 nor 1.
    pub fn from_bits(&self, flags: &[Ciphertext]) -> Result<Radix, Error> {
        let identity = self.key.table(|x| x % self.base());
        let sum = |flags: &[Ciphertext]| {
            let weighted: Vec<_> =
                flags.iter().enumerate().map(|(place, flag)| self.key.unchecked_scalar_mul(flag, 1 << place)).collect();
            self.sum(&weighted)
        };
        let sums = flags.chunks(self.block_bits() as usize).map(sum).collect::<Result<Vec<_>, _>>()?;
        let jobs: Vec<_> = sums.iter().map(|sum| (sum, &identity)).collect();
        Ok(Radix::new(self.key.apply_all(&jobs)?))
    }
}
