//! Sets for booleans: one bit, whose values are `2^-3` and `-2^-3` on the torus.
//!
//! The sets are published with a modulus of `2^32`; here they have the same noise relative to the modulus. Their published failure
//! probabilities are those of a margin of 1/16 at a norm of `2√2`, which is that of no gate
//! ([`Margin::STATED_GATE`](super::noise_model::Margin::STATED_GATE)). `log2_failure` is what gates have, for any operands: a
//! margin of 1/8 at a norm of 2 (see [`Margin`](super::noise_model::Margin)).

use super::{Order, Parameters, decomposition, gaussian};
use crate::modulus_switch::ModulusSwitch;

sets! {
    BOOLEAN,

    /// The default.
    ///
    /// Published as `DEFAULT_PARAMETERS`, with failures of `2^-64.344`.
    BOOLEAN_DEFAULT = {
        lwe_dimension: 805,
        glwe_dimension: 3,
        polynomial_size: 512,
        lwe_noise: gaussian(5.8615896642671336e-6),
        glwe_noise: gaussian(9.315272083503367e-10),
        bootstrap: decomposition(10, 2),
        key_switch: decomposition(3, 5),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::BootstrapFirst,
        message_bits: 1,
        carry_bits: 0,
        max_norm: 2,
        log2_failure: -292.14,
    }

    /// The faster one of the default's class: key switches are first.
    ///
    /// Published as `DEFAULT_PARAMETERS_KS_PBS`, with failures of `2^-64.017`.
    BOOLEAN_DEFAULT_KS_PBS = {
        lwe_dimension: 739,
        glwe_dimension: 3,
        polynomial_size: 512,
        lwe_noise: gaussian(1.8304520733507305e-5),
        glwe_noise: gaussian(9.315272083503367e-10),
        bootstrap: decomposition(10, 2),
        key_switch: decomposition(3, 4),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 1,
        carry_bits: 0,
        max_norm: 2,
        log2_failure: -251.79,
    }

    /// Larger, for fewer failures.
    ///
    /// Published as `PARAMETERS_ERROR_PROB_2_POW_MINUS_165`, with failures of `2^-165.434`.
    BOOLEAN_2M165 = {
        lwe_dimension: 837,
        glwe_dimension: 2,
        polynomial_size: 1024,
        lwe_noise: gaussian(3.374714376692653e-6),
        glwe_noise: gaussian(9.313225746198247e-10),
        bootstrap: decomposition(10, 2),
        key_switch: decomposition(3, 5),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::BootstrapFirst,
        message_bits: 1,
        carry_bits: 0,
        max_norm: 2,
        log2_failure: -878.68,
    }

    /// Larger, for fewer failures; key switches are first.
    ///
    /// Published as `PARAMETERS_ERROR_PROB_2_POW_MINUS_165_KS_PBS`, with failures of `2^-166.826`.
    BOOLEAN_2M165_KS_PBS = {
        lwe_dimension: 770,
        glwe_dimension: 2,
        polynomial_size: 1024,
        lwe_noise: gaussian(1.0721931696480342e-5),
        glwe_noise: gaussian(9.313225746198247e-10),
        bootstrap: decomposition(10, 2),
        key_switch: decomposition(3, 5),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 1,
        carry_bits: 0,
        max_norm: 2,
        log2_failure: -719.70,
    }

    /// The set of tfhe-lib, for comparison only: it was published with 129 bits of security in 2020, and has about 120 today.
    ///
    /// Published as `TFHE_LIB_PARAMETERS`, without a failure probability.
    BOOLEAN_TFHE_LIB = {
        lwe_dimension: 630,
        glwe_dimension: 1,
        polynomial_size: 1024,
        lwe_noise: gaussian(3.0517578125e-5),
        glwe_noise: gaussian(2.9802322387695312e-8),
        bootstrap: decomposition(7, 3),
        key_switch: decomposition(2, 8),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::BootstrapFirst,
        message_bits: 1,
        carry_bits: 0,
        max_norm: 2,
        log2_failure: -163.23,
    }
}
