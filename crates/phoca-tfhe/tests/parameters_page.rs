//! The tables of `docs/tfhe-parameters.md` are what the crate computes.

use phoca_tfhe::noise::Noise;
use phoca_tfhe::params::noise_model::{self, Margin};
use phoca_tfhe::params::{Order, Parameters, all};

#[test]
fn the_page_has_the_values_of_every_set() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tfhe-parameters.md")).unwrap();
    for set in all() {
        let booleans = (set.carry_bits == 0).then(|| gate_row(set));
        for row in [values_row(set), noise_row(set), sizes_row(set)].into_iter().chain(booleans) {
            assert!(page.lines().any(|line| line == row), "the page lacks this row:\n{row}");
        }
    }
}

fn values_row(set: &Parameters) -> String {
    let [pbs, ks] = [set.bootstrap, set.key_switch].map(|d| format!("2^{}×{}", d.bits(), d.levels()));
    let [lwe, glwe] = [set.lwe_noise, set.glwe_noise].map(|noise| match noise {
        Noise::Gaussian { standard_deviation } => format!("σ = {standard_deviation:.3e}"),
        Noise::TUniform { bound_log2 } => format!("TU {bound_log2}"),
        _ => String::new(),
    });
    let order = match set.order {
        Order::KeySwitchFirst => "key switch",
        Order::BootstrapFirst => "bootstrap",
    };
    let Parameters { name, lwe_dimension: n, glwe_dimension: k, polynomial_size: size, .. } = set;
    format!("| `{name}` | {n} | {k} | {size} | {lwe} | {glwe} | {pbs} | {ks} | {order} | {} |", set.max_norm)
}

fn noise_row(set: &Parameters) -> String {
    let [pbs, ks, ms] = [noise_model::bootstrap, noise_model::key_switch, noise_model::modulus_switch].map(|v| v(set));
    let failure = noise_model::log2_failure(set);
    format!("| `{}` | {pbs:.2e} | {ks:.2e} | {ms:.2e} | 2^{failure:.2} |", set.name)
}

fn gate_row(set: &Parameters) -> String {
    let margins = [Margin::STATED_GATE, Margin::AND, Margin::AND_CORRELATED, Margin::XOR];
    let [stated, and, correlated, xor] = margins.map(|margin| noise_model::log2_failure_within(set, margin));
    format!("| `{}` | 2^{stated:.2} | 2^{and:.1} | 2^{correlated:.1} | 2^{xor:.1} |", set.name)
}

fn sizes_row(set: &Parameters) -> String {
    let sizes = [
        set.ciphertext_bytes(),
        set.bootstrap_key_bytes(),
        set.seeded_bootstrap_key_bytes(),
        set.key_switch_key_bytes(),
        set.seeded_key_switch_key_bytes(),
    ];
    let [ciphertext, pbs, seeded_pbs, ks, seeded_ks] = sizes.map(|bytes| bytes as f64 / 1e3);
    let [pbs, seeded_pbs, ks] = [pbs, seeded_pbs, ks].map(|kilobytes| kilobytes / 1e3);
    format!(
        "| `{}` | {ciphertext:.1} kB | {pbs:.1} MB | {seeded_pbs:.1} MB | {ks:.1} MB | {seeded_ks:.1} kB |",
        set.name
    )
}
