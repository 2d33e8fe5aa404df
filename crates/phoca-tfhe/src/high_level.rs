//! Typed integers and booleans with operators, under a server key that each thread sets once.
//!
//! ```
//! use phoca_tfhe::prelude::*;
//! use phoca_tfhe::{ConfigBuilder, FheUint8, generate_keys, set_server_key};
//!
//! let (client_key, server_key) = generate_keys(ConfigBuilder::default().build());
//! set_server_key(server_key);
//! let a = FheUint8::encrypt(27_u8, &client_key);
//! let b = FheUint8::encrypt(128_u8, &client_key);
//! let sum = &a + &b;
//! let greater = sum.gt(&b);
//! let chosen = greater.if_then_else(&a, &b);
//! let clear: u8 = chosen.decrypt(&client_key);
//! assert_eq!(clear, 27);
//! ```
//!
//! Operators panic where an error is all that is possible: without a server key ([`set_server_key`]), with ciphertexts of another
//! parameter set, or with a clear operand that does not fit. Each has a twin, as `try_add`, that returns the error. Without
//! thread-local keys the same is done with [`integer::ServerKey`](crate::integer::ServerKey).

mod boolean;
mod clear;
mod integer;
mod keys;
mod operators;

pub use boolean::FheBool;
pub use clear::{Clear, I256, U256};
pub use integer::{Fhe, FheInt, FheUint};
pub use keys::{
    ClientKey, CompressedServerKey, Config, ConfigBuilder, ServerKey, generate_keys, set_server_key, try_generate_keys,
    unset_server_key, with_server_key,
};
pub use operators::{Amount, Operand};

/// Traits that bring the methods of encryption and decryption into scope.
pub mod prelude {
    pub use super::integer::{FheDecrypt, FheEncrypt, FheTryEncrypt, FheTryTrivialEncrypt};
}

/// Names of all widths.
macro_rules! widths {
    ($($unsigned:ident, $signed:ident, $bits:literal;)*) => {
        $(
            #[doc = concat!("An encrypted unsigned integer of ", stringify!($bits), " bits.")]
            pub type $unsigned = FheUint<$bits>;
            #[doc = concat!("An encrypted signed integer of ", stringify!($bits), " bits.")]
            pub type $signed = FheInt<$bits>;
        )*
    };
}

widths! {
    FheUint2, FheInt2, 2;
    FheUint4, FheInt4, 4;
    FheUint6, FheInt6, 6;
    FheUint8, FheInt8, 8;
    FheUint10, FheInt10, 10;
    FheUint12, FheInt12, 12;
    FheUint14, FheInt14, 14;
    FheUint16, FheInt16, 16;
    FheUint32, FheInt32, 32;
    FheUint64, FheInt64, 64;
    FheUint128, FheInt128, 128;
    FheUint160, FheInt160, 160;
    FheUint256, FheInt256, 256;
}
