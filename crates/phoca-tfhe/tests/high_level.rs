//! Typed integers: source code as users of other TFHE libraries write it.

use phoca_tfhe::noise::Noise;
use phoca_tfhe::params::{MESSAGE_2_CARRY_2, Parameters};
use phoca_tfhe::prelude::*;
use phoca_tfhe::{
    ClientKey, CompressedServerKey, ConfigBuilder, Error, FheBool, FheInt8, FheInt128, FheInt256, FheUint2, FheUint8,
    FheUint10, FheUint16, FheUint32, FheUint64, FheUint128, FheUint160, FheUint256, I256, U256, generate_keys,
    set_server_key, unset_server_key,
};

/// Not secure at all, but fast.
const TOY: Parameters = Parameters {
    name: "TOY",
    lwe_dimension: 60,
    polynomial_size: 512,
    lwe_noise: Noise::TUniform { bound_log2: 32 },
    ..MESSAGE_2_CARRY_2
};

fn keys() -> ClientKey {
    let (client_key, server_key) = generate_keys(ConfigBuilder::with_custom_parameters(TOY).build());
    set_server_key(server_key);
    client_key
}

#[test]
fn operators_take_values_references_and_clear_numbers() {
    let key = keys();
    let a = FheUint8::encrypt(200_u8, &key);
    let b = FheUint8::encrypt(77_u8, &key);
    let decrypt = |x: FheUint8| -> u8 { x.decrypt(&key) };
    assert_eq!(decrypt(&a + &b), 200_u8.wrapping_add(77));
    assert_eq!(decrypt(a.clone() + b.clone()), 200_u8.wrapping_add(77));
    assert_eq!(decrypt(&a + 100_u8), 44);
    assert_eq!(decrypt(&b - &a), 77_u8.wrapping_sub(200));
    assert_eq!(decrypt(a.clone() - 1_u8), 199);
    assert_eq!([decrypt(&a & &b), decrypt(&a | &b), decrypt(&a ^ &b)], [200 & 77, 200 | 77, 200 ^ 77]);
    assert_eq!([decrypt(&a & 15_u8), decrypt(&a | 15_u8), decrypt(&a ^ 255_u8)], [200 & 15, 200 | 15, 55]);
    assert_eq!([decrypt(-&a), decrypt(!&a), decrypt(-a.clone()), decrypt(!a.clone())], [56, 55, 56, 55]);
    let mut c = a.clone();
    c += &b;
    c -= 7_u8;
    c ^= a.clone();
    c |= &b;
    c &= 0x7f_u8;
    assert_eq!(decrypt(c), ((200_u8.wrapping_add(77).wrapping_sub(7) ^ 200) | 77) & 0x7f);
}

#[test]
fn products_quotients_and_shifts() {
    let key = keys();
    let (a, b) = (FheUint8::encrypt(200_u8, &key), FheUint8::encrypt(7_u8, &key));
    let decrypt = |x: FheUint8| -> u8 { x.decrypt(&key) };
    assert_eq!([decrypt(&a * &b), decrypt(&a * 3_u8)], [200_u8.wrapping_mul(7), 200_u8.wrapping_mul(3)]);
    assert_eq!([decrypt(&a / &b), decrypt(&a % &b), decrypt(&a / 9_u8), decrypt(&a % 9_u8)], [28, 4, 22, 2]);
    let zero = FheUint8::encrypt_trivial(0_u8);
    assert_eq!([decrypt(&a / &zero), decrypt(&a % &zero)], [255, 200]);
    assert_eq!([decrypt(&a << 3_u8), decrypt(&a >> 3_u8), decrypt(&a << &b), decrypt(&a >> b.clone())], [64, 25, 0, 1]);
    assert_eq!(
        [decrypt(a.rotate_left(3_u8)), decrypt(a.rotate_right(&b))],
        [200_u8.rotate_left(3), 200_u8.rotate_right(7)]
    );
    let mut c = a.clone();
    c <<= 1_u8;
    c *= &b;
    c /= 3_u8;
    assert_eq!(decrypt(c), (200_u8 << 1).wrapping_mul(7) / 3);
    let clear = |x: FheBool| -> bool { x.decrypt(&key) };
    let flags = [a.overflowing_add(&b).1, a.overflowing_add(&a).1, b.overflowing_sub(&a).1, a.overflowing_mul(&b).1];
    assert_eq!(flags.map(clear), [false, true, true, true]);
    let (x, y) = (FheInt8::encrypt(-100_i8, &key), FheInt8::encrypt(7_i8, &key));
    let decrypt = |x: FheInt8| -> i8 { x.decrypt(&key) };
    let (quotient, remainder) = x.div_rem(&y);
    assert_eq!(
        [decrypt(quotient), decrypt(remainder), decrypt(&x >> 2_u8), decrypt(&x * &y)],
        [-14, -2, -25, -100_i8.wrapping_mul(7)]
    );
    let flags = [x.overflowing_sub(&y).1, x.overflowing_add(&x).1, y.overflowing_mul(&y).1];
    assert_eq!(flags.map(clear), [false, true, false]);
}

#[test]
fn comparisons_and_choices_are_encrypted() {
    let key = keys();
    let (a, b) = (FheInt8::encrypt(-3_i8, &key), FheInt8::encrypt(5_i8, &key));
    let clear = |x: FheBool| -> bool { x.decrypt(&key) };
    assert_eq!(
        [a.lt(&b), a.le(&a), a.gt(&b), a.ge(5_i8), a.eq(-3_i8), a.ne(&b)].map(clear),
        [true, true, false, false, true, true]
    );
    let chosen: i8 = a.lt(&b).if_then_else(&a, &b).decrypt(&key);
    let (least, most): (i8, i8) = (a.min(&b).decrypt(&key), a.max(-1_i8).decrypt(&key));
    assert_eq!((chosen, least, most), (-3, -3, -1));
    let (yes, no) = (FheBool::encrypt(true, &key), FheBool::encrypt_trivial(false));
    assert_eq!([&yes & &no, &yes | &no, &yes ^ &yes, !&yes, !no].map(clear), [false, true, false, false, true]);
    assert!(clear((a.gt(-4_i8) & a.lt(0_i8)) ^ FheBool::encrypt(false, &key)));
}

#[test]
fn every_width_keeps_its_range() -> Result<(), Error> {
    let key = keys();
    let sum: u8 = (FheUint2::encrypt(3_u8, &key) + 2_u8).decrypt(&key);
    assert_eq!(sum, 1);
    let sum: u16 = (FheUint10::encrypt(1000_u16, &key) + 100_u16).decrypt(&key);
    assert_eq!(sum, 1100 % 1024);
    let sum: u16 = (FheUint16::encrypt(u16::MAX, &key) + FheUint16::encrypt(2_u16, &key)).decrypt(&key);
    assert_eq!(sum, 1);
    let (a, b) = (0xdead_beef_u32, 0x1234_5678_u32);
    let sum: u32 = (FheUint32::encrypt(a, &key) + FheUint32::encrypt(b, &key)).decrypt(&key);
    assert_eq!(sum, a.wrapping_add(b));
    let sum: u64 = (FheUint64::encrypt(u64::MAX, &key) - u64::MAX).decrypt(&key);
    assert_eq!(sum, 0);
    let sum: u128 = (FheUint128::encrypt(u128::MAX - 5, &key) + 10_u64).decrypt(&key);
    assert_eq!(sum, 4);
    let negated: i128 = (-FheInt128::encrypt(i128::MIN + 1, &key)).decrypt(&key);
    assert_eq!(negated, i128::MAX);
    let sum: U256 = (FheUint160::encrypt(U256([u64::MAX, u64::MAX, u32::MAX.into(), 0]), &key) + 3_u8).decrypt(&key);
    assert_eq!(sum, U256([2, 0, 0, 0]));
    let sum: U256 = (FheUint256::encrypt(U256([u64::MAX; 4]), &key) + U256([1, 2, 3, 4])).decrypt(&key);
    assert_eq!(sum, U256([0, 2, 3, 4]));
    let negated: I256 = (-FheInt256::encrypt(7_i64, &key)).decrypt(&key);
    assert_eq!(negated, I256([u64::MAX - 6, u64::MAX, u64::MAX, u64::MAX]));
    let narrow: u8 = FheUint16::encrypt(0x1234_u16, &key).decrypt(&key);
    assert_eq!(narrow, 0x34);
    assert!(matches!(FheUint2::try_encrypt(4_u8, &key), Err(Error::TooWide { bits: 2, signed: false })));
    assert!(matches!(FheInt8::try_encrypt(128_i16, &key), Err(Error::TooWide { bits: 8, signed: true })));
    assert!(FheInt8::try_encrypt(-128_i16, &key).is_ok());
    let byte = FheUint8::encrypt(1_u8, &key);
    assert!(matches!(byte.try_add_clear(256_u16), Err(Error::TooWide { .. })));
    assert!(matches!(byte.try_lt(256_u16), Err(Error::TooWide { .. })));
    Ok(())
}

#[test]
fn a_thread_without_a_server_key_says_so() -> Result<(), Error> {
    let key = keys();
    let a = FheUint8::encrypt(1_u8, &key);
    unset_server_key();
    assert_eq!(a.try_add(&a), Err(Error::NoServerKey));
    assert_eq!(FheUint8::try_encrypt_trivial(1_u8), Err(Error::NoServerKey));
    let panic = std::thread::spawn(move || &a + &a).join().expect_err("an operator panics");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert_eq!(*message, "no server key is set in this thread; call set_server_key first");
    let compressed = CompressedServerKey::try_new(&key)?;
    let server_key = compressed.try_decompress()?.with_threads(2)?;
    set_server_key(server_key.clone());
    let sum: u8 = (FheUint8::encrypt(3_u8, &key) + 4_u8).decrypt(&key);
    assert_eq!(sum, 7);
    assert!(server_key.bootstrap_count() > 0 && server_key.with_threads(3).is_err());
    Ok(())
}

#[test]
fn keys_of_other_sets_are_refused() {
    let key = keys();
    let stranger =
        ClientKey::generate(ConfigBuilder::with_custom_parameters(Parameters { polynomial_size: 1024, ..TOY }).build());
    let foreign = FheUint8::encrypt(1_u8, &stranger);
    let a = FheUint8::encrypt(1_u8, &key);
    let expected = Err(Error::LweDimension { expected: 512, found: 1024 });
    assert_eq!(FheDecrypt::<u8>::try_decrypt(&foreign, &key), expected);
    assert!(matches!(a.try_add(&foreign), Err(Error::LweDimension { .. })));
    assert!(matches!(foreign.try_eq(&foreign), Err(Error::LweDimension { .. })));
}
