//! The same operations in the clear, on 256-bit words.

use std::cmp::Ordering;

use super::rows::{Layer, Row};

/// A clear value: 64-bit words, least significant first.
pub(super) type Words = [u64; 4];

/// The operands of an item: numbers below `2^bits` without structure, three of them for a choice and two for everything else.
pub(super) fn operands(row: &Row, item: u64) -> Vec<Words> {
    let number = |place: u64| {
        let word = |index: u64| mixed(place << 32 | item << 8 | index);
        masked([word(0), word(1), word(2), word(3)], row.bits)
    };
    match row.operation {
        "mux" | "select" => vec![[number(0)[0] & 1, 0, 0, 0], number(1), number(2)],
        // Within the width, and no whole blocks, for which there is less to do.
        name if is_move(name) => vec![number(0), [(number(1)[0] % u64::from(row.bits)) | 1, 0, 0, 0]],
        // A divisor of half the width, so that a quotient has the other half, and no power of two, by which it is a shift.
        "div" | "rem" | "scalar_div" | "scalar_rem" => {
            vec![number(0), or(&masked(number(1), row.bits / 2), &[3, 0, 0, 0])]
        }
        _ => vec![number(0), number(1)],
    }
}

fn is_move(operation: &str) -> bool {
    matches!(operation.trim_start_matches("scalar_"), "shl" | "shr" | "rotl" | "rotr")
}

/// What the operation gives.
pub(super) fn result(row: &Row, x: &[Words]) -> Words {
    let operation = row.operation.strip_prefix("scalar_").unwrap_or(row.operation);
    match row.layer {
        Layer::Boolean => boolean(operation, x),
        Layer::Shortint => short(operation, row.bits, x),
        Layer::Integer => masked(integer(operation, row.bits, x), row.bits),
    }
}

fn boolean(operation: &str, x: &[Words]) -> Words {
    let (a, b) = (x[0][0] == 1, x[1][0] == 1);
    flag(match operation {
        "and" => a && b,
        "nand" => !(a && b),
        "or" => a || b,
        "nor" => !(a || b),
        "xor" => a != b,
        "xnor" => a == b,
        "mux" if a => b,
        "mux" => x[2][0] == 1,
        other => unreachable!("there is no row {other}"),
    })
}

fn short(operation: &str, bits: u32, x: &[Words]) -> Words {
    let (a, b, modulus) = (x[0][0], x[1][0], 1 << bits);
    let value = match operation {
        "unchecked_add" => a + b,
        "add" => (a + b) % modulus,
        "mul_lsb" => a * b % modulus,
        "keyswitch_programmable_bootstrap" => table(a, modulus),
        other => unreachable!("there is no row {other}"),
    };
    [value, 0, 0, 0]
}

/// The function that a bootstrap evaluates on either side.
pub(super) fn table(x: u64, modulus: u64) -> u64 {
    (3 * x + 1) % modulus
}

fn integer(operation: &str, bits: u32, x: &[Words]) -> Words {
    let (a, b) = (&x[0], &x[1]);
    let amount = b[0] as u32;
    let bitwise = |function: fn(u64, u64) -> u64| std::array::from_fn(|index| function(a[index], b[index]));
    match operation {
        "neg" => sub(&[0; 4], a),
        "add" => add(a, b, 0),
        "sub" => sub(a, b),
        "mul" => mul(a, b),
        "div" => div_rem(a, b).0,
        "rem" => div_rem(a, b).1,
        "shl" => shl(a, amount),
        "shr" => shr(a, amount),
        "rotl" => or(&shl(a, amount), &shr(a, bits - amount)),
        "rotr" => or(&shr(a, amount), &shl(a, bits - amount)),
        "bitand" => bitwise(|a, b| a & b),
        "bitor" => bitwise(|a, b| a | b),
        "bitxor" => bitwise(|a, b| a ^ b),
        "eq" => flag(a == b),
        "ne" => flag(a != b),
        "lt" => flag(order(a, b).is_lt()),
        "le" => flag(order(a, b).is_le()),
        "gt" => flag(order(a, b).is_gt()),
        "ge" => flag(order(a, b).is_ge()),
        "max" if order(a, b).is_ge() => *a,
        "min" if order(a, b).is_le() => *a,
        "max" | "min" => *b,
        "select" if a[0] == 1 => *b,
        "select" => x[2],
        other => unreachable!("there is no row {other}"),
    }
}

fn flag(value: bool) -> Words {
    [u64::from(value), 0, 0, 0]
}

fn order(a: &Words, b: &Words) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

fn add(a: &Words, b: &Words, carry: u64) -> Words {
    let mut carry = u128::from(carry);
    std::array::from_fn(|index| {
        let sum = u128::from(a[index]) + u128::from(b[index]) + carry;
        carry = sum >> 64;
        sum as u64
    })
}

fn sub(a: &Words, b: &Words) -> Words {
    add(a, &b.map(|word| !word), 1)
}

fn or(a: &Words, b: &Words) -> Words {
    std::array::from_fn(|index| a[index] | b[index])
}

fn mul(a: &Words, b: &Words) -> Words {
    let bit = |index: u32| b[index as usize / 64] >> (index % 64) & 1;
    (0..256).filter(|index| bit(*index) == 1).fold([0; 4], |sum, index| add(&sum, &shl(a, index), 0))
}

/// Quotient and remainder, bit by bit, of numbers with a divisor below `2^255`; without a divisor all ones and the number itself.
fn div_rem(a: &Words, b: &Words) -> (Words, Words) {
    let (mut quotient, mut rest) = ([0; 4], [0; 4]);
    for index in (0..256).rev() {
        rest = or(&shl(&rest, 1), &flag(a[index / 64] >> (index % 64) & 1 == 1));
        if order(&rest, b).is_ge() {
            rest = sub(&rest, b);
            quotient[index / 64] |= 1 << (index % 64);
        }
    }
    (quotient, rest)
}

/// A shift by less than 256.
fn shl(a: &Words, amount: u32) -> Words {
    let (whole, part) = (amount as usize / 64, amount % 64);
    let word = |index: Option<usize>| index.map_or(0, |index| a[index]);
    std::array::from_fn(|index| {
        let low = word(index.checked_sub(whole + 1)).checked_shr(64 - part).unwrap_or(0);
        word(index.checked_sub(whole)) << part | low
    })
}

/// A shift by less than 256.
fn shr(a: &Words, amount: u32) -> Words {
    let (whole, part) = (amount as usize / 64, amount % 64);
    let word = |index: usize| a.get(index).copied().unwrap_or(0);
    std::array::from_fn(|index| {
        word(index + whole) >> part | word(index + whole + 1).checked_shl(64 - part).unwrap_or(0)
    })
}

/// The value modulo `2^bits`.
fn masked(words: Words, bits: u32) -> Words {
    let mut index = 0;
    words.map(|word| {
        let kept = bits.saturating_sub(64 * index).min(64);
        index += 1;
        if kept == 64 { word } else { word & ((1 << kept) - 1) }
    })
}

/// SplitMix64's finalizer.
fn mixed(index: u64) -> u64 {
    let mut x = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_agree_with_128_bits() {
        for place in 0..50 {
            let (a, b) = ([mixed(place), mixed(place + 90), 0, 0], [mixed(place + 200), mixed(place + 300), 0, 0]);
            let wide = |x: &Words| u128::from(x[0]) | u128::from(x[1]) << 64;
            let split = |x: u128| [x as u64, (x >> 64) as u64, 0, 0];
            let (x, y) = (wide(&a), wide(&b));
            let of = |operation| wide(&masked(integer(operation, 128, &[a, b]), 128));
            assert_eq!(of("mul"), x.wrapping_mul(y));
            let divisor = [b[0], b[1] >> place, 0, 0];
            assert_eq!(div_rem(&a, &divisor).0, split(x / wide(&divisor)));
            assert_eq!(div_rem(&a, &divisor).1, split(x % wide(&divisor)));
            let amount = place as u32 * 5 % 127 + 1;
            let moved = |operation| wide(&masked(integer(operation, 128, &[a, [amount.into(), 0, 0, 0]]), 128));
            assert_eq!((moved("shl"), moved("shr")), (x << amount, x >> amount));
            assert_eq!((moved("rotl"), moved("rotr")), (x.rotate_left(amount), x.rotate_right(amount)));
            assert_eq!(of("add"), x.wrapping_add(y));
            assert_eq!(of("sub"), x.wrapping_sub(y));
            assert_eq!(of("neg"), x.wrapping_neg());
            assert_eq!((of("max"), of("min")), (x.max(y), x.min(y)));
            assert_eq!((of("lt"), of("ge")), (u128::from(x < y), u128::from(x >= y)));
            assert_eq!((of("gt"), of("le")), (u128::from(x > y), u128::from(x <= y)));
            assert_eq!((of("bitand"), of("bitor"), of("bitxor")), (x & y, x | y, x ^ y));
        }
    }

    #[test]
    fn masks_cut_at_any_width() {
        assert_eq!(masked([u64::MAX; 4], 8), [255, 0, 0, 0]);
        assert_eq!(masked([u64::MAX; 4], 128), [u64::MAX, u64::MAX, 0, 0]);
        assert_eq!(masked([u64::MAX; 4], 256), [u64::MAX; 4]);
    }
}
