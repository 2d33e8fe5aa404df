//! Sets for short integers: as many bits of message as of carry, key switches first.
//!
//! The values are those of published sets: of the families `V1_4` to `V1_7`, with failures below `2^-128` and the centred modulus
//! switch, and of `V1_0`, with failures below `2^-64` and the plain one. The noise is Gaussian or bounded ("TUniform").

use super::{Order, Parameters, bounded, decomposition, gaussian};
use crate::modulus_switch::ModulusSwitch;

sets! {
    SHORTINT,

    /// One bit of message and one of carry, bounded noise.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128`,
    /// with failures of `2^-144.322`.
    MESSAGE_1_CARRY_1 = {
        lwe_dimension: 879,
        glwe_dimension: 4,
        polynomial_size: 512,
        lwe_noise: bounded(46),
        glwe_noise: bounded(17),
        bootstrap: decomposition(23, 1),
        key_switch: decomposition(5, 3),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 1,
        carry_bits: 1,
        max_norm: 3,
        log2_failure: -144.322,
    }

    /// One bit of message and one of carry, Gaussian noise.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_1_CARRY_1_KS_PBS_GAUSSIAN_2M128`,
    /// with failures of `2^-128.186`.
    MESSAGE_1_CARRY_1_GAUSSIAN = {
        lwe_dimension: 837,
        glwe_dimension: 4,
        polynomial_size: 512,
        lwe_noise: gaussian(3.3747142481837397e-6),
        glwe_noise: gaussian(2.845267479601915e-15),
        bootstrap: decomposition(23, 1),
        key_switch: decomposition(5, 3),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 1,
        carry_bits: 1,
        max_norm: 3,
        log2_failure: -128.186,
    }

    /// Two bits of message and two of carry, bounded noise: the default.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128`,
    /// with failures of `2^-129.581`.
    MESSAGE_2_CARRY_2 = {
        lwe_dimension: 918,
        glwe_dimension: 1,
        polynomial_size: 2048,
        lwe_noise: bounded(45),
        glwe_noise: bounded(17),
        bootstrap: decomposition(23, 1),
        key_switch: decomposition(4, 4),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 2,
        carry_bits: 2,
        max_norm: 5,
        log2_failure: -129.581,
    }

    /// Two bits of message and two of carry, Gaussian noise.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128`,
    /// with failures of `2^-128.597`.
    MESSAGE_2_CARRY_2_GAUSSIAN = {
        lwe_dimension: 866,
        glwe_dimension: 1,
        polynomial_size: 2048,
        lwe_noise: gaussian(2.046151696979124e-6),
        glwe_noise: gaussian(2.845267479601915e-15),
        bootstrap: decomposition(23, 1),
        key_switch: decomposition(3, 5),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 2,
        carry_bits: 2,
        max_norm: 5,
        log2_failure: -128.597,
    }

    /// Three bits of message and three of carry, bounded noise.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_3_CARRY_3_KS_PBS_TUNIFORM_2M128`,
    /// with failures of `2^-128.992`.
    MESSAGE_3_CARRY_3 = {
        lwe_dimension: 1077,
        glwe_dimension: 1,
        polynomial_size: 8192,
        lwe_noise: bounded(41),
        glwe_noise: bounded(3),
        bootstrap: decomposition(15, 2),
        key_switch: decomposition(4, 5),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 3,
        carry_bits: 3,
        max_norm: 9,
        log2_failure: -128.992,
    }

    /// Three bits of message and three of carry, Gaussian noise.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_3_CARRY_3_KS_PBS_GAUSSIAN_2M128`,
    /// with failures of `2^-128.115`.
    MESSAGE_3_CARRY_3_GAUSSIAN = {
        lwe_dimension: 1006,
        glwe_dimension: 1,
        polynomial_size: 8192,
        lwe_noise: gaussian(1.8277101294215978e-7),
        glwe_noise: gaussian(2.168404344971009e-19),
        bootstrap: decomposition(15, 2),
        key_switch: decomposition(3, 7),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 3,
        carry_bits: 3,
        max_norm: 9,
        log2_failure: -128.115,
    }

    /// Four bits of message and four of carry, bounded noise.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_4_CARRY_4_KS_PBS_TUNIFORM_2M128`,
    /// with failures of `2^-141.559`. The keys take more than 8 GB in memory.
    MESSAGE_4_CARRY_4 = {
        lwe_dimension: 1117,
        glwe_dimension: 1,
        polynomial_size: 65536,
        lwe_noise: bounded(40),
        glwe_noise: bounded(3),
        bootstrap: decomposition(11, 3),
        key_switch: decomposition(3, 7),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 4,
        carry_bits: 4,
        max_norm: 17,
        log2_failure: -141.559,
    }

    /// Four bits of message and four of carry, Gaussian noise.
    ///
    /// Published as `V1_4_PARAM_MESSAGE_4_CARRY_4_KS_PBS_GAUSSIAN_2M128`,
    /// with failures of `2^-128.731`. The keys take more than 8 GB in memory.
    MESSAGE_4_CARRY_4_GAUSSIAN = {
        lwe_dimension: 1098,
        glwe_dimension: 1,
        polynomial_size: 65536,
        lwe_noise: gaussian(3.73718341270979e-8),
        glwe_noise: gaussian(2.168404344971009e-19),
        bootstrap: decomposition(11, 3),
        key_switch: decomposition(3, 7),
        modulus_switch: ModulusSwitch::CenteredMean,
        order: Order::KeySwitchFirst,
        message_bits: 4,
        carry_bits: 4,
        max_norm: 17,
        log2_failure: -128.731,
    }

    /// One bit of message and one of carry, Gaussian noise.
    ///
    /// Published as `V1_0_PARAM_MESSAGE_1_CARRY_1_KS_PBS_GAUSSIAN_2M64`,
    /// with failures of `2^-64.01`.
    MESSAGE_1_CARRY_1_GAUSSIAN_2M64 = {
        lwe_dimension: 781,
        glwe_dimension: 4,
        polynomial_size: 512,
        lwe_noise: gaussian(8.868480365938865e-6),
        glwe_noise: gaussian(2.845267479601915e-15),
        bootstrap: decomposition(23, 1),
        key_switch: decomposition(4, 3),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 1,
        carry_bits: 1,
        max_norm: 3,
        log2_failure: -64.01,
    }

    /// Two bits of message and two of carry, bounded noise.
    ///
    /// Published as `V1_0_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M64`,
    /// with failures of `2^-72.178`.
    MESSAGE_2_CARRY_2_2M64 = {
        lwe_dimension: 879,
        glwe_dimension: 1,
        polynomial_size: 2048,
        lwe_noise: bounded(46),
        glwe_noise: bounded(17),
        bootstrap: decomposition(23, 1),
        key_switch: decomposition(3, 5),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 2,
        carry_bits: 2,
        max_norm: 5,
        log2_failure: -72.178,
    }

    /// Two bits of message and two of carry, Gaussian noise.
    ///
    /// Published as `V1_0_PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M64`,
    /// with failures of `2^-64.014`.
    MESSAGE_2_CARRY_2_GAUSSIAN_2M64 = {
        lwe_dimension: 833,
        glwe_dimension: 1,
        polynomial_size: 2048,
        lwe_noise: gaussian(3.6158408373309336e-6),
        glwe_noise: gaussian(2.845267479601915e-15),
        bootstrap: decomposition(23, 1),
        key_switch: decomposition(3, 5),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 2,
        carry_bits: 2,
        max_norm: 5,
        log2_failure: -64.014,
    }

    /// Three bits of message and three of carry, Gaussian noise.
    ///
    /// Published as `V1_0_PARAM_MESSAGE_3_CARRY_3_KS_PBS_GAUSSIAN_2M64`,
    /// with failures below `2^-64`; `2^-64.177` by the noise model.
    MESSAGE_3_CARRY_3_GAUSSIAN_2M64 = {
        lwe_dimension: 977,
        glwe_dimension: 1,
        polynomial_size: 8192,
        lwe_noise: gaussian(3.0144389706858286e-7),
        glwe_noise: gaussian(2.168404344971009e-19),
        bootstrap: decomposition(15, 2),
        key_switch: decomposition(3, 6),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 3,
        carry_bits: 3,
        max_norm: 9,
        log2_failure: -64.177,
    }

    /// Four bits of message and four of carry, bounded noise.
    ///
    /// Published as `V1_0_PARAM_MESSAGE_4_CARRY_4_KS_PBS_TUNIFORM_2M64`,
    /// with failures below `2^-64`; `2^-64.037` by the noise model. The keys take more than 4 GB in memory.
    MESSAGE_4_CARRY_4_2M64 = {
        lwe_dimension: 1117,
        glwe_dimension: 1,
        polynomial_size: 32768,
        lwe_noise: bounded(40),
        glwe_noise: bounded(3),
        bootstrap: decomposition(11, 3),
        key_switch: decomposition(1, 22),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 4,
        carry_bits: 4,
        max_norm: 17,
        log2_failure: -64.037,
    }

    /// Four bits of message and four of carry, Gaussian noise.
    ///
    /// Published as `V1_0_PARAM_MESSAGE_4_CARRY_4_KS_PBS_GAUSSIAN_2M64`,
    /// with failures below `2^-64`; `2^-64.014` by the noise model. The keys take more than 4 GB in memory.
    MESSAGE_4_CARRY_4_GAUSSIAN_2M64 = {
        lwe_dimension: 1110,
        glwe_dimension: 1,
        polynomial_size: 32768,
        lwe_noise: gaussian(3.038278019865525e-8),
        glwe_noise: gaussian(2.168404344971009e-19),
        bootstrap: decomposition(11, 3),
        key_switch: decomposition(2, 11),
        modulus_switch: ModulusSwitch::Plain,
        order: Order::KeySwitchFirst,
        message_bits: 4,
        carry_bits: 4,
        max_norm: 17,
        log2_failure: -64.014,
    }
}
