//! Short integers.

use bincode::serialized_size;
use serde_json::{Value, json};
use tfhe::shortint::parameters::{AtomicPatternParameters, PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128};
use tfhe::shortint::parameters::v1_8::{
    V1_8_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128, V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
    V1_8_PARAM_MESSAGE_3_CARRY_3_KS_PBS_TUNIFORM_2M128, V1_8_PARAM_MESSAGE_4_CARRY_4_KS_PBS_TUNIFORM_2M128,
};
use tfhe::shortint::server_key::LookupTableOwned;
use tfhe::shortint::{Ciphertext, ClientKey, ServerKey, gen_keys};

use crate::{Failure, Row, Session, Words, unknown};

struct Keys {
    client: ClientKey,
    server: ServerKey,
    /// `3x + 1` modulo the message modulus.
    table: LookupTableOwned,
    row: Option<(Vec<Vec<Words>>, Vec<Vec<Ciphertext>>)>,
}

pub fn parameters(set: &str) -> Result<AtomicPatternParameters, Failure> {
    Ok(match set {
        "1_1" => V1_8_PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128.into(),
        "2_2" => V1_8_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128.into(),
        "2_2_KS32" => PARAM_MESSAGE_2_CARRY_2_KS32_PBS_TUNIFORM_2M128.into(),
        "3_3" => V1_8_PARAM_MESSAGE_3_CARRY_3_KS_PBS_TUNIFORM_2M128.into(),
        "4_4" => V1_8_PARAM_MESSAGE_4_CARRY_4_KS_PBS_TUNIFORM_2M128.into(),
        other => return unknown("set", other),
    })
}

pub fn session(set: &str) -> Result<Box<dyn Session>, Failure> {
    let (client, server) = gen_keys(parameters(set)?);
    let modulus = server.message_modulus.0;
    let table = server.generate_lookup_table(|x| (3 * x + 1) % modulus);
    Ok(Box::new(Keys { client, server, table, row: None }))
}

impl Session for Keys {
    fn time(&mut self, row: &Row) -> Result<Value, Failure> {
        if self.row.as_ref().is_none_or(|(items, _)| *items != row.items) {
            self.row = Some((row.items.clone(), row.prepared(|words| self.client.encrypt(words[0]))));
        }
        let Self { client, server, table, row: Some((_, operands)) } = self else { return unknown("row", "") };
        let operands = &operands[0];
        let words = |result: &Ciphertext| vec![[client.decrypt_message_and_carry(result), 0, 0, 0]];
        Ok(match row.operation.as_str() {
            "unchecked_add" => row.run(|| server.unchecked_add(&operands[0], &operands[1]), words),
            "add" => row.run(|| server.add(&operands[0], &operands[1]), words),
            "mul_lsb" => row.run(|| server.mul(&operands[0], &operands[1]), words),
            "keyswitch_programmable_bootstrap" => row.run(|| server.apply_lookup_table(&operands[0], table), words),
            other => return unknown("operation", other),
        })
    }

    fn sizes(&self) -> Value {
        sizes(&self.client, &self.server)
    }
}

/// The server key's size is that of its saved form, which holds what is in memory.
pub fn sizes(client: &ClientKey, server: &ServerKey) -> Value {
    let ciphertext = client.encrypt(1).ct.lwe_size().0 * 8;
    let keys = serialized_size(server).ok();
    json!({
        "key_bytes": keys,
        "ciphertext_bytes": ciphertext,
        "log2_failure": client.parameters().log2_p_fail(),
    })
}
