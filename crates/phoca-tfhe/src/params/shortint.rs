//! Sets for short integers.

use super::{Order, Parameters, decomposition};
use crate::modulus_switch::ModulusSwitch;
use crate::noise::Noise;

/// Two bits of message and two of carry, bounded noise, failures below `2^-128`: the default.
pub const MESSAGE_2_CARRY_2: Parameters = Parameters {
    name: "MESSAGE_2_CARRY_2",
    lwe_dimension: 918,
    glwe_dimension: 1,
    polynomial_size: 2048,
    lwe_noise: Noise::TUniform { bound_log2: 45 },
    glwe_noise: Noise::TUniform { bound_log2: 17 },
    bootstrap: decomposition(23, 1),
    key_switch: decomposition(4, 4),
    modulus_switch: ModulusSwitch::CenteredMean,
    order: Order::KeySwitchFirst,
    message_bits: 2,
    carry_bits: 2,
    max_norm: 5,
    log2_failure: -129.581,
};
