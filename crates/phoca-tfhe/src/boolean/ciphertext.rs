use core::fmt;

use crate::Error;
use crate::key_switch::KeySwitchWord;
use crate::lwe::LweCiphertext;
use crate::params::Order;

/// An encrypted boolean, or one in the clear that takes part in gates as if it were encrypted. `Debug` shows its shape only,
/// and the value of one in the clear.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext {
    pub(crate) form: Form,
}

/// What a ciphertext is.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// In the clear.
    Trivial(bool),
    /// Under the key of extracted ciphertexts: sets that switch keys first.
    Big(LweCiphertext<u64>),
    /// Under the small key: sets that bootstrap first.
    Small(LweCiphertext<u32>),
}

impl Ciphertext {
    /// A boolean in the clear.
    pub const fn trivial(value: bool) -> Self {
        Self { form: Form::Trivial(value) }
    }

    /// Whether it is in the clear.
    pub fn is_trivial(&self) -> bool {
        self.trivial_value().is_some()
    }

    /// The boolean, of a ciphertext in the clear.
    pub fn trivial_value(&self) -> Option<bool> {
        match self.form {
            Form::Trivial(value) => Some(value),
            _ => None,
        }
    }

    /// The order of the sets that it belongs to; any for one in the clear.
    pub fn order(&self) -> Option<Order> {
        match self.form {
            Form::Trivial(_) => None,
            Form::Big(_) => Some(Order::KeySwitchFirst),
            Form::Small(_) => Some(Order::BootstrapFirst),
        }
    }

    /// The negation.
    pub(crate) fn negate_assign(&mut self) {
        match &mut self.form {
            Form::Trivial(value) => *value = !*value,
            Form::Big(lwe) => lwe.negate_assign(),
            Form::Small(lwe) => lwe.negate_assign(),
        }
    }

    /// Checks that it belongs to a set with this order and dimension.
    pub(crate) fn check(&self, order: Order, dimension: usize) -> Result<(), Error> {
        match order {
            Order::KeySwitchFirst => self.value::<u64>(dimension).map(|_| ()),
            Order::BootstrapFirst => self.value::<u32>(dimension).map(|_| ()),
        }
    }

    /// What it holds, of sets with words `W` and this dimension.
    pub(crate) fn value<W: Word>(&self, dimension: usize) -> Result<Value<'_, W>, Error> {
        if let Form::Trivial(value) = self.form {
            return Ok(Value::Clear(value));
        }
        let Some(lwe) = W::of(&self.form) else {
            let found = match W::ORDER {
                Order::KeySwitchFirst => Order::BootstrapFirst,
                Order::BootstrapFirst => Order::KeySwitchFirst,
            };
            return Err(Error::Order { expected: W::ORDER, found });
        };
        match lwe.dimension() == dimension {
            true => Ok(Value::Encrypted(lwe)),
            false => Err(Error::LweDimension { expected: dimension, found: lwe.dimension() }),
        }
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Trivial(value) => write!(f, "Ciphertext(trivial {value})"),
            Form::Big(lwe) => write!(f, "Ciphertext(dimension {}, ..)", lwe.dimension()),
            Form::Small(lwe) => write!(f, "Ciphertext(dimension {}, ..)", lwe.dimension()),
        }
    }
}

/// A clear boolean, or an LWE ciphertext of one.
pub(crate) enum Value<'a, W> {
    Clear(bool),
    Encrypted(&'a LweCiphertext<W>),
}

/// The words of ciphertexts, which follow from the order of a set.
pub(crate) trait Word: KeySwitchWord {
    /// The order.
    const ORDER: Order;

    /// The ciphertext, if it has these words.
    fn of(form: &Form) -> Option<&LweCiphertext<Self>>;
    /// The other way.
    fn wrap(lwe: LweCiphertext<Self>) -> Ciphertext;
}

impl Word for u64 {
    const ORDER: Order = Order::KeySwitchFirst;

    fn of(form: &Form) -> Option<&LweCiphertext<u64>> {
        if let Form::Big(lwe) = form { Some(lwe) } else { None }
    }

    fn wrap(lwe: LweCiphertext<u64>) -> Ciphertext {
        Ciphertext { form: Form::Big(lwe) }
    }
}

impl Word for u32 {
    const ORDER: Order = Order::BootstrapFirst;

    fn of(form: &Form) -> Option<&LweCiphertext<u32>> {
        if let Form::Small(lwe) = form { Some(lwe) } else { None }
    }

    fn wrap(lwe: LweCiphertext<u32>) -> Ciphertext {
        Ciphertext { form: Form::Small(lwe) }
    }
}
