//! The workloads, each prepared with the keys that it needs.

use std::hint::black_box;
use std::time::Instant;

use phoca::{
    Ciphertext, CkksEncoder, Context, Decryptor, Encryptor, Error, Evaluator, GaloisKeys, GaloisSelection,
    KeyGenerator, Plaintext, RelinKeys,
};

use crate::error::BenchError;
use crate::report::Quality;

/// Rows and columns of the dense layer.
pub(super) const DIMENSION: usize = 64;
/// How many rotations of the input baby and giant steps share.
const BABY_STEPS: usize = 8;
/// Of plaintext factors: the size of the primes that are divided away.
const OPERATION_SCALE: f64 = (1u64 << 28) as f64;
/// `c_0` to `c_3`.
const POLYNOMIAL: [f64; 4] = [0.5, -0.3, 0.8, 0.6];

/// A way to compute a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Multiply,
    Add,
    SlotSum,
    SlotSumRadix4,
    DotProduct,
    DotProductRadix4,
    Horner,
    SplitPolynomial,
    Diagonals,
    HoistedDiagonals,
    BabyGiant,
}

impl Form {
    /// What sets a form apart that is better than the published one.
    pub(super) fn better(self) -> Option<&'static str> {
        match self {
            Self::SlotSumRadix4 | Self::DotProductRadix4 => Some("radix 4"),
            Self::SplitPolynomial => Some("split"),
            Self::HoistedDiagonals => Some("hoisted"),
            Self::BabyGiant => Some("baby and giant steps"),
            _ => None,
        }
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Multiply => "multiply, relinearize, rescale, in one call; SEAL: three calls",
            Self::Add => "add to a new ciphertext",
            Self::SlotSum => "radix 2: 12 rotations and additions, one after the other",
            Self::SlotSumRadix4 => "radix 4: 6 rounds of 3 hoisted rotations with one division; SEAL: radix 2",
            Self::DotProduct => "multiply, relinearize, rescale, then the slot sum by radix 2",
            Self::DotProductRadix4 => "multiply, relinearize, rescale, then the slot sum by radix 4; SEAL: by radix 2",
            Self::Horner => {
                "degree 3 as ((c3·x + c2)·x + c1)·x + c0: two products and one with a constant, each rescaled"
            }
            Self::SplitPolynomial => "degree 3 as (c0 + c1·x) + x²·(c2 + c3·x): two products, one level less",
            Self::Diagonals => "64 x 64: 63 rotations, 64 products with encoded diagonals, one rescale",
            Self::HoistedDiagonals => {
                "64 x 64: 63 hoisted rotations, 64 products with encoded diagonals, one division, one rescale; SEAL: 63 \
                 rotations"
            }
            Self::BabyGiant => {
                "64 x 64: 7 baby steps (hoisted; SEAL: not) and 7 giant steps, 64 products with encoded diagonals, one rescale"
            }
        }
    }

    /// The peer's name for it.
    pub(super) fn peer_row(self) -> &'static str {
        match self {
            Self::Multiply => "multiply",
            Self::Add => "add",
            Self::SlotSum | Self::SlotSumRadix4 => "slot_sum",
            Self::DotProduct | Self::DotProductRadix4 => "dot_product",
            Self::Horner => "polynomial",
            Self::SplitPolynomial => "polynomial_split",
            Self::Diagonals | Self::HoistedDiagonals => "dense_layer",
            Self::BabyGiant => "dense_layer_bsgs",
        }
    }

    /// The steps of its rotations.
    fn steps(self, slots: usize) -> Vec<i64> {
        match self {
            Self::SlotSum | Self::DotProduct => (0..slots.ilog2()).map(|power| 1 << power).collect(),
            Self::SlotSumRadix4 | Self::DotProductRadix4 => {
                rounds(slots).flat_map(|step| [step, 2 * step, 3 * step]).collect()
            }
            Self::Diagonals | Self::HoistedDiagonals => (1..DIMENSION as i64).collect(),
            Self::BabyGiant => {
                let giants = (BABY_STEPS..DIMENSION).step_by(BABY_STEPS);
                (1..BABY_STEPS).chain(giants).map(|step| step as i64).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Keys, encrypted inputs and encoded constants of one form, and what it should give.
pub(super) struct Workloads {
    context: Context,
    form: Form,
    evaluator: Evaluator,
    encoder: CkksEncoder,
    decryptor: Decryptor,
    relin: RelinKeys,
    galois: GaloisKeys,
    x: Ciphertext,
    y: Ciphertext,
    constants: Vec<Plaintext>,
    /// The diagonals with their steps, where the rotations are hoisted.
    diagonals: Vec<(i64, Plaintext)>,
    wanted: Vec<f64>,
}

impl Workloads {
    pub(super) fn new(context: &Context, scale: f64, form: Form) -> Result<Self, BenchError> {
        let keys = KeyGenerator::new(context)?;
        let encryptor = Encryptor::new(context, keys.public_key()?)?;
        let encoder = CkksEncoder::new(context)?;
        let slots = encoder.slot_count();
        let mut x = sequence(0.754_877_666_246_692_7, slots);
        let y = sequence(0.569_840_290_998_053_2, slots);
        if matches!(form, Form::Diagonals | Form::HoistedDiagonals | Form::BabyGiant) {
            x = (0..slots).map(|i| x[i % DIMENSION]).collect();
        }
        let steps = form.steps(slots);
        let mut workloads = Self {
            context: context.clone(),
            form,
            evaluator: Evaluator::new(context),
            decryptor: Decryptor::new(context, keys.secret_key().clone())?,
            relin: keys.relin_keys()?,
            galois: keys.galois_keys(GaloisSelection::Steps(&steps))?,
            x: encryptor.encrypt(&encoder.encode(&x, scale)?)?,
            y: encryptor.encrypt(&encoder.encode(&y, scale)?)?,
            encoder,
            constants: Vec::new(),
            diagonals: Vec::new(),
            wanted: wanted(form, &x, &y),
        };
        workloads.constants = workloads.constants()?;
        workloads.diagonals = workloads.hoisted_constants()?;
        Ok(workloads)
    }

    pub(super) fn form(&self) -> Form {
        self.form
    }

    /// Times `iterations` runs in nanoseconds.
    pub(super) fn time(&self, iterations: usize) -> Result<Vec<u64>, BenchError> {
        let once = || {
            let start = Instant::now();
            let result = black_box(self.compute()?);
            let time = start.elapsed().as_nanos();
            drop(result);
            Ok(u64::try_from(time).unwrap_or(u64::MAX))
        };
        (0..iterations).map(|_| once()).collect()
    }

    /// The measured error and Phoca's bound on it, both over the largest wanted value.
    pub(super) fn quality(&self) -> Result<Quality, BenchError> {
        let result = self.compute()?;
        let values = self.encoder.decode(&self.decryptor.decrypt(&result)?)?;
        let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let size = largest(&mut self.wanted.iter().copied());
        let error = largest(&mut values.iter().zip(&self.wanted).map(|(got, wanted)| got - wanted));
        Ok(Quality {
            measure: "largest error over the largest wanted value".into(),
            ours: error / size,
            own_bound: Some(result.likely_error(&self.context)? / size),
            ..Quality::default()
        })
    }

    fn compute(&self) -> Result<Ciphertext, Error> {
        match self.form {
            Form::Multiply => self.multiplied(&self.x, &self.y),
            Form::Add => self.evaluator.add(&self.x, &self.y),
            Form::SlotSum => self.slot_sum(self.x.clone()),
            Form::SlotSumRadix4 => self.slot_sum_radix_4(self.x.clone()),
            Form::DotProduct => self.slot_sum(self.multiplied(&self.x, &self.y)?),
            Form::DotProductRadix4 => self.slot_sum_radix_4(self.multiplied(&self.x, &self.y)?),
            Form::Horner => self.horner(),
            Form::SplitPolynomial => self.split_polynomial(),
            Form::Diagonals => self.diagonals(),
            Form::HoistedDiagonals => self.hoisted_diagonals(),
            Form::BabyGiant => self.baby_and_giant_steps(),
        }
    }

    /// Multiply, relinearize, rescale; the second operand follows the first to its level.
    fn multiplied(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, Error> {
        let e = &self.evaluator;
        match a.parms_id() == b.parms_id() {
            true => e.multiply_relinearize_rescale(a, b, &self.relin),
            false => e.multiply_relinearize_rescale(a, &e.mod_switch_to(b, a.parms_id())?, &self.relin),
        }
    }

    fn rotated(&self, a: &Ciphertext, steps: usize) -> Result<Ciphertext, Error> {
        self.evaluator.rotate_vector(a, steps as i64, &self.galois)
    }

    fn slot_sum(&self, mut sum: Ciphertext) -> Result<Ciphertext, Error> {
        for step in self.form.steps(self.encoder.slot_count()) {
            let rotated = self.rotated(&sum, step as usize)?;
            self.evaluator.add_assign(&mut sum, &rotated)?;
        }
        Ok(sum)
    }

    fn slot_sum_radix_4(&self, mut sum: Ciphertext) -> Result<Ciphertext, Error> {
        for step in rounds(self.encoder.slot_count()) {
            sum = self.evaluator.sum_rotations(&sum, &[0, step, 2 * step, 3 * step], &self.galois)?;
        }
        Ok(sum)
    }

    /// `c_3·x`, which is what the other constants' scales follow from.
    fn scaled_input(&self, factor: &Plaintext) -> Result<Ciphertext, Error> {
        let mut product = self.evaluator.multiply_plain(&self.x, factor)?;
        self.evaluator.rescale_to_next_assign(&mut product)?;
        Ok(product)
    }

    /// Constants are `c_3`, `c_2`, `c_1`, `c_0`.
    fn horner(&self) -> Result<Ciphertext, Error> {
        let mut y = self.scaled_input(&self.constants[0])?;
        self.evaluator.add_plain_assign(&mut y, &self.constants[1])?;
        for constant in &self.constants[2..] {
            y = self.multiplied(&y, &self.x)?;
            self.evaluator.add_plain_assign(&mut y, constant)?;
        }
        Ok(y)
    }

    /// `x²·(c_2 + c_3·x)` and `x` at its level.
    fn upper_half(&self, c2: &Plaintext, c3: &Plaintext) -> Result<(Ciphertext, Ciphertext), Error> {
        let mut upper = self.scaled_input(c3)?;
        self.evaluator.add_plain_assign(&mut upper, c2)?;
        let product = self.multiplied(&self.multiplied(&self.x, &self.x)?, &upper)?;
        let x = self.evaluator.mod_switch_to(&self.x, product.parms_id())?;
        Ok((product, x))
    }

    /// Constants are `c_3`, `c_2`, `c_1`, `c_0`.
    fn split_polynomial(&self) -> Result<Ciphertext, Error> {
        let (mut product, mut lower) = self.upper_half(&self.constants[1], &self.constants[0])?;
        self.evaluator.multiply_plain_assign(&mut lower, &self.constants[2])?;
        lower.set_scale(product.scale());
        self.evaluator.add_assign(&mut product, &lower)?;
        self.evaluator.add_plain_assign(&mut product, &self.constants[3])?;
        Ok(product)
    }

    fn diagonals(&self) -> Result<Ciphertext, Error> {
        let e = &self.evaluator;
        let mut total = e.multiply_plain(&self.x, &self.constants[0])?;
        for (step, diagonal) in self.constants.iter().enumerate().skip(1) {
            let mut rotated = self.rotated(&self.x, step)?;
            e.multiply_plain_assign(&mut rotated, diagonal)?;
            e.add_assign(&mut total, &rotated)?;
        }
        e.rescale_to_next_assign(&mut total)?;
        Ok(total)
    }

    fn hoisted_diagonals(&self) -> Result<Ciphertext, Error> {
        let mut total = self.evaluator.multiply_diagonals(&self.x, &self.diagonals, &self.galois)?;
        self.evaluator.rescale_to_next_assign(&mut total)?;
        Ok(total)
    }

    fn baby_and_giant_steps(&self) -> Result<Ciphertext, Error> {
        let e = &self.evaluator;
        let steps: Vec<i64> = (1..BABY_STEPS as i64).collect();
        let babies = e.rotate_many(&self.x, &steps, &self.galois)?;
        let mut total: Option<Ciphertext> = None;
        for (giant, diagonals) in self.constants.chunks(BABY_STEPS).enumerate() {
            let mut part = e.multiply_plain(&self.x, &diagonals[0])?;
            for (baby, diagonal) in babies.iter().zip(&diagonals[1..]) {
                e.add_assign(&mut part, &e.multiply_plain(baby, diagonal)?)?;
            }
            match &mut total {
                None => total = Some(part),
                Some(total) => e.add_assign(total, &self.rotated(&part, giant * BABY_STEPS)?)?,
            }
        }
        let mut total = total.unwrap_or_else(|| self.x.clone());
        e.rescale_to_next_assign(&mut total)?;
        Ok(total)
    }

    /// The plaintexts that a form needs, at the levels and scales where it uses them.
    fn constants(&self) -> Result<Vec<Plaintext>, Error> {
        let [c0, c1, c2, c3] = POLYNOMIAL;
        let at = |value, like: &Ciphertext| self.encoder.encode_scalar(value, like.scale(), like.parms_id());
        match self.form {
            Form::Horner => {
                let c3 = self.encoder.encode_scalar(c3, OPERATION_SCALE, self.x.parms_id())?;
                let third = self.scaled_input(&c3)?;
                let second = self.multiplied(&third, &self.x)?;
                let first = self.multiplied(&second, &self.x)?;
                Ok(vec![c3, at(c2, &third)?, at(c1, &second)?, at(c0, &first)?])
            }
            Form::SplitPolynomial => {
                let c3 = self.encoder.encode_scalar(c3, OPERATION_SCALE, self.x.parms_id())?;
                let c2 = at(c2, &self.scaled_input(&c3)?)?;
                let (product, x) = self.upper_half(&c2, &c3)?;
                let c1 = self.encoder.encode_scalar(c1, product.scale() / x.scale(), x.parms_id())?;
                Ok(vec![c3, c2, c1, at(c0, &product)?])
            }
            Form::Diagonals => (0..DIMENSION).map(|index| self.encoded_diagonal(index, 0)).collect(),
            Form::BabyGiant => {
                let shift = |index| index / BABY_STEPS * BABY_STEPS;
                (0..DIMENSION).map(|index| self.encoded_diagonal(index, shift(index))).collect()
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Diagonals at the key level, as hoisting takes them.
    fn hoisted_constants(&self) -> Result<Vec<(i64, Plaintext)>, Error> {
        let count = if self.form == Form::HoistedDiagonals { DIMENSION } else { 0 };
        let level = self.context.key_level().parms_id();
        let encode = |index| {
            let plaintext = self.encoder.encode_at(&self.diagonal(index, 0), OPERATION_SCALE, level)?;
            Ok((index as i64, plaintext))
        };
        (0..count).map(encode).collect()
    }

    fn encoded_diagonal(&self, index: usize, shift: usize) -> Result<Plaintext, Error> {
        self.encoder.encode(&self.diagonal(index, shift), OPERATION_SCALE)
    }

    /// Slot `i` is the matrix's entry in row `i - shift`, `index` columns to the right of the diagonal.
    fn diagonal(&self, index: usize, shift: usize) -> Vec<f64> {
        let row = |slot: usize| (slot + DIMENSION - shift) % DIMENSION;
        (0..self.encoder.slot_count()).map(|slot| matrix(row(slot), (row(slot) + index) % DIMENSION)).collect()
    }
}

/// The steps `4^k` of a sum over all slots, which are a power of four.
fn rounds(slots: usize) -> impl Iterator<Item = i64> {
    (0..slots.ilog2() / 2).map(|round| 1 << (2 * round))
}

/// Numbers from 0 to 1 that look spread; the peer has the same.
fn sequence(step: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| (step * i as f64).fract()).collect()
}

/// The layer's weights, from -1 to 1.
fn matrix(row: usize, column: usize) -> f64 {
    2.0 * (0.618_033_988_749_894_9 * (row * DIMENSION + column) as f64).fract() - 1.0
}

/// All slots of the result, computed in the clear.
fn wanted(form: Form, x: &[f64], y: &[f64]) -> Vec<f64> {
    let [c0, c1, c2, c3] = POLYNOMIAL;
    let pairs = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(&x, &y)| f(x, y)).collect::<Vec<_>>();
    match form {
        Form::Multiply => pairs(&|x, y| x * y),
        Form::Add => pairs(&|x, y| x + y),
        Form::SlotSum | Form::SlotSumRadix4 => vec![x.iter().sum(); x.len()],
        Form::DotProduct | Form::DotProductRadix4 => vec![pairs(&|x, y| x * y).iter().sum(); x.len()],
        Form::Horner | Form::SplitPolynomial => x.iter().map(|x| c0 + x * (c1 + x * (c2 + x * c3))).collect(),
        Form::Diagonals | Form::HoistedDiagonals | Form::BabyGiant => {
            let output = |row| (0..DIMENSION).map(|column| matrix(row, column) * x[column]).sum();
            (0..x.len()).map(|slot| output(slot % DIMENSION)).collect()
        }
    }
}
