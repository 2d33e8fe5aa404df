use super::*;
use crate::params::*;

/// Published values: those of sets for booleans belong to a margin that they state.
const PUBLISHED: [(&Parameters, f64); 15] = [
    (&MESSAGE_1_CARRY_1, -144.322),
    (&MESSAGE_1_CARRY_1_GAUSSIAN, -128.186),
    (&MESSAGE_2_CARRY_2, -129.581),
    (&MESSAGE_2_CARRY_2_GAUSSIAN, -128.597),
    (&MESSAGE_3_CARRY_3, -128.992),
    (&MESSAGE_3_CARRY_3_GAUSSIAN, -128.115),
    (&MESSAGE_4_CARRY_4, -141.559),
    (&MESSAGE_4_CARRY_4_GAUSSIAN, -128.731),
    (&MESSAGE_1_CARRY_1_GAUSSIAN_2M64, -64.01),
    (&MESSAGE_2_CARRY_2_2M64, -72.178),
    (&MESSAGE_2_CARRY_2_GAUSSIAN_2M64, -64.014),
    (&BOOLEAN_DEFAULT, -64.344),
    (&BOOLEAN_DEFAULT_KS_PBS, -64.017),
    (&BOOLEAN_2M165, -165.434),
    (&BOOLEAN_2M165_KS_PBS, -166.826),
];

#[test]
fn failures_are_the_published_ones() {
    for (set, published) in PUBLISHED {
        let margin = if set.carry_bits == 0 { Margin::STATED_GATE } else { Margin::of(set) };
        let computed = log2_failure_within(set, margin);
        assert!((computed - published).abs() < 0.02, "{}: {computed}, published {published}", set.name);
    }
}

#[test]
fn sets_state_the_failures_of_the_model() {
    for set in all() {
        let computed = log2_failure(set);
        assert!((computed - set.log2_failure).abs() < 0.02, "{}: {computed}", set.name);
    }
}

#[test]
fn no_gate_fails_more_often_than_its_set() {
    let xor_correlated = Margin { distance: 0.25, norm_squared: 16.0 };
    for set in all().filter(|set| set.carry_bits == 0) {
        assert_eq!(Margin::of(set), Margin::AND_CORRELATED, "{}", set.name);
        for margin in [Margin::AND, Margin::XOR, xor_correlated] {
            assert!(log2_failure_within(set, margin) < log2_failure(set), "{}: {margin:?}", set.name);
        }
    }
    let gates = [&BOOLEAN_DEFAULT_KS_PBS, &BOOLEAN_2M165_KS_PBS, &BOOLEAN_TFHE_LIB];
    for (set, expected) in gates.into_iter().zip([-254.55, -756.74, -296.80]) {
        let computed = log2_failure_within(set, Margin::AND);
        assert!((computed - expected).abs() < 0.01, "{}: {computed}", set.name);
    }
}

#[test]
fn sets_are_valid_and_found_by_name() {
    let mut names = alloc::collections::BTreeSet::new();
    for set in all() {
        assert_eq!(set.validate(), Ok(()), "{}", set.name);
        assert!(names.insert(set.name), "{} is the name of two sets", set.name);
        assert_eq!(by_name(set.name), Some(set));
    }
    assert_eq!(names.len(), 19);
    assert_eq!(by_name("MESSAGE_5_CARRY_5"), None);
}

/// The noise of sets with the words of TUniform follows the bound's curve of the published security claim, at 132 bits.
#[test]
fn bounds_lie_on_the_curve_of_their_dimension() {
    for set in all() {
        let shapes = [(set.lwe_noise, set.lwe_dimension), (set.glwe_noise, set.big_dimension())];
        for (noise, dimension) in shapes {
            let dimension = dimension as f64;
            match noise {
                Noise::TUniform { bound_log2 } => {
                    let least = (-0.025167785 * dimension + 64.0 + 4.10067).ceil().max(3.0);
                    assert!(f64::from(bound_log2) >= least, "{}: {bound_log2} at {dimension}", set.name);
                }
                Noise::Gaussian { standard_deviation } if set.name != "BOOLEAN_TFHE_LIB" => {
                    let least = 2_f64.powi(4 - 128) + 2_f64.powf(5.31469 - 0.0497829 * dimension);
                    let variance = standard_deviation * standard_deviation;
                    assert!(variance > 0.99 * least, "{}: {standard_deviation} at {dimension}", set.name);
                }
                Noise::Gaussian { .. } => {}
            }
        }
    }
}

/// With half as much noise again from the transform, the most that is measured.
#[test]
fn the_transform_costs_less_than_half_a_bit() {
    for set in all() {
        let margin = Margin::of(set);
        let variance = before_rotation(set, margin.norm_squared) + 0.5 * margin.norm_squared * fourier(set);
        let computed = log2_erfc(margin.distance / sqrt(2.0 * variance));
        std::eprintln!("{:32} {computed:.2}", set.name);
        assert!(computed - log2_failure(set) < 0.5, "{}: {computed}", set.name);
        assert!(computed < -128.0 || set.name.ends_with("2M64"), "{}: {computed}", set.name);
    }
}

/// Against values with 18 digits, on both sides of where the method changes.
#[test]
fn the_tail_of_the_error_function_is_exact() {
    let values = [
        (0.0, 0.0),
        (0.5, -1.060_396_912_014_155_7),
        (1.25, -3.697_127_729_570_993),
        (2.999_999, -15.466_205_502_802_667),
        (3.0, -15.466_214_597_195_473),
        (3.000_001, -15.466_223_691_591_042),
        (5.0, -39.242_588_455_115_3),
        (9.4, -131.542_993_978_532_77),
        (13.2, -255.927_508_690_690_97),
        (23.0, -768.536_347_049_746_1),
        (40.0, -2_314.460_192_072_486_6),
        (1000.0, -1_442_705.832_422_034_2),
    ];
    for (x, expected) in values {
        let error = (log2_erfc(x) - expected).abs();
        assert!(error <= 4e-15 * f64::abs(expected), "erfc({x}): {error}");
    }
}

#[test]
fn fresh_noise_is_that_of_the_key() {
    assert_eq!(encryption(&MESSAGE_2_CARRY_2), MESSAGE_2_CARRY_2.glwe_noise.variance());
    assert_eq!(encryption(&BOOLEAN_DEFAULT), BOOLEAN_DEFAULT.lwe_noise.variance());
}
