//! Shifts and rotations.
//!
//! A move by a clear amount renames whole blocks, and what is left is a function of two neighbours. A move by an encrypted
//! amount is a barrel: for each bit of the amount, a choice between the blocks and the moved ones. The stage that moves inside
//! of a block takes `base·(bits from the neighbour)` from a first bootstrap, so that bit, neighbour and block have one sum; it
//! comes last because its results are fresh.

use alloc::vec::Vec;

use super::tracked::Tracked;
use super::{Radix, ServerKey};
use crate::Error;
use crate::shortint::Ciphertext;

/// What a move brings in at the end.
#[derive(Clone, Debug)]
enum Fill {
    /// What goes out at the other end.
    Rotate,
    /// A block of zeros, or of signs.
    With(Ciphertext),
}

/// A direction, and what comes in.
#[derive(Clone, Debug)]
struct Motion {
    left: bool,
    fill: Fill,
}

impl Motion {
    /// Where the block comes from that a move by whole blocks, at most as many as there are, brings to an index; `None` is
    /// beyond the end.
    fn source(&self, index: usize, distance: usize, len: usize) -> Option<usize> {
        let rotated = if self.left { (index + len - distance) % len } else { (index + distance) % len };
        let inside = if self.left { index >= distance } else { index + distance < len };
        (inside || matches!(self.fill, Fill::Rotate)).then_some(rotated)
    }

    /// The block itself, from a list.
    fn pick<'a, T>(&'a self, blocks: &'a [T], fill: &'a T, index: usize, distance: usize) -> &'a T {
        self.source(index, distance, blocks.len()).map_or(fill, |from| &blocks[from])
    }

    /// What a block gets from its neighbour when it is moved by less than its bits.
    fn part(&self, neighbour: u64, shift: u32, bits: u32) -> u64 {
        if self.left { neighbour >> (bits - shift) } else { neighbour & ((1 << shift) - 1) }
    }

    /// A moved block and the part that it gets.
    fn join(&self, own: u64, part: u64, shift: u32, bits: u32) -> u64 {
        let joined = if self.left { own << shift | part } else { own >> shift | part << (bits - shift) };
        joined & ((1 << bits) - 1)
    }
}

/// Moves by clear amounts, which count modulo the number of bits.
impl ServerKey {
    /// A shift to the left: no bootstrap for multiples of a block, else one for each block that is not zero after it.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where the integer is of another set.
    pub fn scalar_shl(&self, integer: &Radix, amount: u64) -> Result<Radix, Error> {
        self.move_by(integer, amount, &self.zeros(true)?)
    }

    /// A shift to the right, which repeats the sign of a signed integer; bootstraps as for [`scalar_shl`](Self::scalar_shl), and
    /// one for the sign.
    ///
    /// # Errors
    ///
    /// As [`scalar_shl`](Self::scalar_shl).
    pub fn scalar_shr(&self, integer: &Radix, amount: u64, signed: bool) -> Result<Radix, Error> {
        if self.reduced(integer, amount) == 0 {
            return Ok(integer.clone());
        }
        self.move_by(integer, amount, &self.right_shift(integer, signed)?)
    }

    /// A rotation to the left: no bootstrap for multiples of a block, else one for each block.
    ///
    /// # Errors
    ///
    /// As [`scalar_shl`](Self::scalar_shl).
    pub fn scalar_rotate_left(&self, integer: &Radix, amount: u64) -> Result<Radix, Error> {
        self.move_by(integer, amount, &Motion { left: true, fill: Fill::Rotate })
    }

    /// A rotation to the right: no bootstrap for multiples of a block, else one for each block.
    ///
    /// # Errors
    ///
    /// As [`scalar_shl`](Self::scalar_shl).
    pub fn scalar_rotate_right(&self, integer: &Radix, amount: u64) -> Result<Radix, Error> {
        self.move_by(integer, amount, &Motion { left: false, fill: Fill::Rotate })
    }
}

/// Moves by encrypted amounts, unsigned, which count modulo the least power of two that is at least the number of bits. For
/// shifts by the number of bits or more, which only exist where that is no power of two, all bits are those that come in.
impl ServerKey {
    /// A shift to the left.
    ///
    /// # Errors
    ///
    /// [`Error::LweDimension`] where an integer is of another set.
    pub fn shl(&self, integer: &Radix, amount: &Radix) -> Result<Radix, Error> {
        self.barrel(integer, amount, &self.zeros(true)?)
    }

    /// A shift to the right, which repeats the sign of a signed integer.
    ///
    /// # Errors
    ///
    /// As [`shl`](Self::shl).
    pub fn shr(&self, integer: &Radix, amount: &Radix, signed: bool) -> Result<Radix, Error> {
        self.barrel(integer, amount, &self.right_shift(integer, signed)?)
    }

    /// A rotation to the left.
    ///
    /// # Errors
    ///
    /// As [`shl`](Self::shl).
    pub fn rotate_left(&self, integer: &Radix, amount: &Radix) -> Result<Radix, Error> {
        self.barrel(integer, amount, &Motion { left: true, fill: Fill::Rotate })
    }

    /// A rotation to the right.
    ///
    /// # Errors
    ///
    /// As [`shl`](Self::shl).
    pub fn rotate_right(&self, integer: &Radix, amount: &Radix) -> Result<Radix, Error> {
        self.barrel(integer, amount, &Motion { left: false, fill: Fill::Rotate })
    }

    fn zeros(&self, left: bool) -> Result<Motion, Error> {
        Ok(Motion { left, fill: Fill::With(self.key.trivial(0)?) })
    }

    fn right_shift(&self, integer: &Radix, signed: bool) -> Result<Motion, Error> {
        match integer.blocks().last() {
            Some(top) if signed => Ok(Motion { left: false, fill: Fill::With(self.sign_block(top)?) }),
            _ => self.zeros(false),
        }
    }

    /// A block of bits that are all the highest one of a block.
    pub(super) fn sign_block(&self, top: &Ciphertext) -> Result<Ciphertext, Error> {
        let base = self.base();
        self.key.apply(top, &self.key.table(|x| if x % base >= base / 2 { base - 1 } else { 0 }))
    }

    /// An amount modulo the bits of an integer.
    fn reduced(&self, integer: &Radix, amount: u64) -> u64 {
        let bits = integer.len() as u64 * u64::from(self.block_bits());
        if bits == 0 { 0 } else { amount % bits }
    }

    fn move_by(&self, integer: &Radix, amount: u64, motion: &Motion) -> Result<Radix, Error> {
        let amount = self.reduced(integer, amount);
        let blocks = match amount.is_multiple_of(u64::from(self.block_bits())) {
            true => integer.blocks().to_vec(),
            false => self.cleaned(integer, 1)?,
        };
        Ok(Radix::new(self.moved(&blocks, amount as usize, motion)?))
    }

    /// Blocks moved by less than all bits; unless whole blocks are moved, their noise must be at most 1.
    fn moved(&self, blocks: &[Ciphertext], amount: usize, motion: &Motion) -> Result<Vec<Ciphertext>, Error> {
        let bits = self.block_bits();
        let (distance, shift) = (amount / bits as usize, amount as u32 % bits);
        let fill = match &motion.fill {
            Fill::With(fill) => fill.clone(),
            Fill::Rotate => self.key.trivial(0)?,
        };
        let mut moved: Vec<_> =
            (0..blocks.len()).map(|index| motion.pick(blocks, &fill, index, distance).clone()).collect();
        if shift == 0 {
            return Ok(moved);
        }
        let inside = |index: &usize| motion.source(*index, distance, blocks.len()).is_some();
        let pairs: Vec<_> = (0..blocks.len()).filter(inside).collect();
        let neighbours: Vec<_> =
            pairs.iter().map(|index| motion.pick(blocks, &fill, *index, distance + 1).clone()).collect();
        let own: Vec<_> = pairs.iter().map(|index| moved[*index].clone()).collect();
        let table =
            self.key.pair_table(|neighbour, own| motion.join(own, motion.part(neighbour, shift, bits), shift, bits));
        for (index, joined) in pairs.into_iter().zip(self.map_pairs(&neighbours, &own, &table)?) {
            moved[index] = joined;
        }
        Ok(moved)
    }

    fn barrel(&self, integer: &Radix, amount: &Radix, motion: &Motion) -> Result<Radix, Error> {
        let bits = self.block_bits();
        let amount_bits = amount.len() * bits as usize;
        let stages = (integer.len() * bits as usize).next_power_of_two().ilog2().min(amount_bits as u32);
        let raised = self.raised_bits(amount, stages)?;
        let mut blocks: Vec<_> = integer.blocks().iter().cloned().map(Tracked::new).collect();
        for (stage, raised) in raised.iter().enumerate().rev() {
            let distance = 1 << stage;
            if distance < bits as usize {
                blocks = self.stage_inside(&blocks, stage, raised, motion)?;
                continue;
            }
            // The condition has one, and blocks and moved blocks have as much each.
            let whole = distance.is_multiple_of(bits as usize);
            self.limit_squares(&mut blocks, if whole { (self.most_square() - 1) / 2 } else { 1 })?;
            let moved = self.moved_tracked(&blocks, distance, motion)?;
            blocks = self.choose(raised, &moved, &blocks)?;
        }
        Ok(Radix::new(self.settled(blocks)?))
    }

    /// The lowest bits of an amount, each times what its stage adds it as.
    fn raised_bits(&self, amount: &Radix, stages: u32) -> Result<Vec<Ciphertext>, Error> {
        let (base, bits) = (self.base(), self.block_bits());
        let weight = |stage: u32| if 1 << stage < bits { base << (1 << stage) } else { 2 * base };
        let mut raised = Vec::with_capacity(stages as usize);
        for (index, block) in amount.blocks().iter().enumerate() {
            let first = index as u32 * bits;
            if first >= stages {
                break;
            }
            let bit = |place: u32| move |x: u64| (x >> place & 1) * weight(first + place);
            let functions: Vec<_> = (0..bits.next_power_of_two()).map(bit).collect();
            let functions: Vec<&dyn Fn(u64) -> u64> = functions.iter().map(|function| function as _).collect();
            let table = self.key.tables(&functions)?;
            let outputs = self.key.apply_all(&[(block, &table)])?;
            raised.extend(outputs.into_iter().take((stages - first).min(bits) as usize));
        }
        Ok(raised)
    }

    fn moved_tracked(&self, blocks: &[Tracked], amount: usize, motion: &Motion) -> Result<Vec<Tracked>, Error> {
        let bits = self.block_bits() as usize;
        if !amount.is_multiple_of(bits) {
            let blocks: Vec<_> = blocks.iter().map(|block| block.block.clone()).collect();
            return Ok(self.moved(&blocks, amount, motion)?.into_iter().map(Tracked::new).collect());
        }
        let fill = self.tracked_fill(motion)?;
        Ok((0..blocks.len()).map(|index| motion.pick(blocks, &fill, index, amount / bits).clone()).collect())
    }

    fn tracked_fill(&self, motion: &Motion) -> Result<Tracked, Error> {
        Ok(Tracked::new(match &motion.fill {
            Fill::With(fill) => fill.clone(),
            Fill::Rotate => self.key.trivial(0)?,
        }))
    }

    /// A stage that moves by less than a block: the results are fresh.
    fn stage_inside(
        &self,
        blocks: &[Tracked],
        stage: usize,
        raised: &Ciphertext,
        motion: &Motion,
    ) -> Result<Vec<Tracked>, Error> {
        let (base, bits, shift) = (self.base(), self.block_bits(), 1 << stage);
        let mut blocks = blocks.to_vec();
        self.limit_squares(&mut blocks, self.most_square() - 2)?;
        let fill = self.tracked_fill(motion)?;
        let mut parts: Vec<_> =
            (0..blocks.len()).map(|index| motion.pick(&blocks, &fill, index, 1).block.clone()).collect();
        // Zeros that come in are their own part.
        let encrypted: Vec<_> = parts.iter_mut().filter(|part| part.noise > 0 || part.degree > 0).collect();
        let part = self.key.table(|x| base * motion.part(x % base, shift, bits));
        let jobs: Vec<_> = encrypted.iter().map(|block| (&**block, &part)).collect();
        let outputs = self.key.apply_unchecked(&jobs)?;
        for (slot, output) in encrypted.into_iter().zip(outputs) {
            *slot = output;
        }
        let sum = |(own, part): (&Tracked, &Ciphertext)| {
            self.key.unchecked_add(&self.key.unchecked_add(&own.block, part)?, raised)
        };
        let sums = blocks.iter().zip(&parts).map(sum).collect::<Result<Vec<_>, _>>()?;
        let table = self.key.table(|x| {
            let (own, part) = (x % base, (x / base) & ((1 << shift) - 1));
            if x >= base << shift { motion.join(own, part, shift, bits) } else { own }
        });
        Ok(self.map(&sums, &table)?.into_iter().map(Tracked::new).collect())
    }
}
