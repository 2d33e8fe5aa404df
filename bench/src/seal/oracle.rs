//! Whether a transform is one, by the definition.

use phoca::ring::NttTables;

/// Whether `output` is the transform of `input`, modulo the prime, at a sample of positions: position `j` holds the value
/// at `ψ^(2·bitrev(j) + 1)`.
pub(super) fn is_transform(tables: &NttTables, input: &[u64], output: &[u64]) -> bool {
    let (n, q) = (tables.degree(), tables.modulus().value());
    let multiply = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(q)) as u64;
    [0, 1, n / 2, n / 3, n - 1].into_iter().all(|position| {
        let reversed = position.reverse_bits() >> (usize::BITS - n.ilog2());
        let point = (0..2 * reversed + 1).fold(1, |power, _| multiply(power, tables.root()));
        let value = input.iter().rev().fold(0, |value, &coefficient| (multiply(value, point) + coefficient) % q);
        output[position] % q == value
    })
}

#[cfg(test)]
mod tests {
    use phoca::ring::Modulus;

    use super::*;

    #[test]
    fn only_the_transform_passes() {
        let tables = NttTables::new(64, Modulus::new(12289).unwrap()).unwrap();
        let input: Vec<u64> = (0..64).map(|i| i * i % 12289).collect();
        let mut output = input.clone();
        tables.forward(&mut output);
        assert!(is_transform(&tables, &input, &output));
        output[32] ^= 1;
        assert!(!is_transform(&tables, &input, &output));
        assert!(!is_transform(&tables, &input, &input));
    }
}
