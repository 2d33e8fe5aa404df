//! Products of slices modulo a `q` of at most 50 bits.
//!
use super::{Doubles, Pair, Words};
use crate::arch::Kernels;
use crate::modulus::{Modulus, Shoup};

/// These kernels with products in doubles.
pub(crate) const fn with_products<V: Pair>(wide: Kernels) -> Kernels {
    Kernels {
        max_bits: 50,
        mul_assign: mul_assign::<V>,
        mul_into: mul_into::<V>,
        mul_add_assign: mul_add_assign::<V>,
        sub_mul_scalar_into: sub_mul_scalar_into::<V>,
        ..wide
    }
}

fn mul_assign<V: Pair>(modulus: &Modulus, a: &mut [u64], b: &[u64]) {
    let doubles = Doubles::<V>::new(modulus);
    map_2(a, b, |a, b| doubles.residues(doubles.product_of_two(a, b)));
}

fn mul_into<V: Pair>(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64]) {
    let doubles = Doubles::<V>::new(modulus);
    map_3(out, a, b, |_, a, b| doubles.residues(doubles.product_of_two(a, b)));
}

fn mul_add_assign<V: Pair>(modulus: &Modulus, acc: &mut [u64], a: &[u64], b: &[u64]) {
    let doubles = Doubles::<V>::new(modulus);
    map_3(acc, a, b, |acc, a, b| {
        let product = doubles.residues(doubles.product_of_two(a, b));
        doubles.residues(product.add(acc).sub(doubles.q))
    });
}

fn sub_mul_scalar_into<V: Pair>(modulus: &Modulus, out: &mut [u64], a: &[u64], b: &[u64], w: Shoup) {
    let doubles = Doubles::<V>::new(modulus);
    let w = Doubles::<V>::factor(modulus, w.value);
    let twice = doubles.q.add(doubles.q);
    // With the middle of the range of b taken off, the difference is within 3q and its product within 7/8·q.
    map_3(out, a, b, |_, a: V, b| doubles.residues(a.sub(b.sub(twice)).product(w, &doubles)));
}

/// `a ← f(a, b)`, from words to words.
#[inline(always)]
fn map_2<V: Pair>(a: &mut [u64], b: &[u64], f: impl Fn(V, V) -> V) {
    let step = |a: &mut Words, b: &Words| f(V::load_words(a), V::load_words(b)).store_words(a);
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks_mut(), b.as_chunks());
    for (a, b) in a.iter_mut().zip(b) {
        step(a, b);
    }
    if let ([a], [b]) = (a_rest, b_rest) {
        let mut pair = [*a, 0];
        step(&mut pair, &[*b, 0]);
        [*a, _] = pair;
    }
}

/// `out ← f(out, a, b)`, from words to words.
#[inline(always)]
fn map_3<V: Pair>(out: &mut [u64], a: &[u64], b: &[u64], f: impl Fn(V, V, V) -> V) {
    let step = |out: &mut Words, a: &Words, b: &Words| {
        f(V::load_words(out), V::load_words(a), V::load_words(b)).store_words(out);
    };
    let ((out, out_rest), (a, a_rest), (b, b_rest)) = (out.as_chunks_mut(), a.as_chunks(), b.as_chunks());
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        step(out, a, b);
    }
    if let ([out], [a], [b]) = (out_rest, a_rest, b_rest) {
        let mut pair = [*out, 0];
        step(&mut pair, &[*a, 0], &[*b, 0]);
        [*out, _] = pair;
    }
}
