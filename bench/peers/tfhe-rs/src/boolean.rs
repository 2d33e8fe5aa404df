//! Boolean gates.

use rayon::prelude::*;
use serde_json::{Value, json};
use tfhe::boolean::parameters::{
    BooleanParameters, DEFAULT_PARAMETERS, DEFAULT_PARAMETERS_KS_PBS, PARAMETERS_ERROR_PROB_2_POW_MINUS_165,
    PARAMETERS_ERROR_PROB_2_POW_MINUS_165_KS_PBS, TFHE_LIB_PARAMETERS,
};
use tfhe::boolean::prelude::*;

use crate::{Failure, Row, Session, Words, unknown};

struct Keys {
    client: ClientKey,
    server: ServerKey,
    row: Option<(Vec<Vec<Words>>, Vec<Vec<Ciphertext>>)>,
}

pub fn session(set: &str) -> Result<Box<dyn Session>, Failure> {
    let parameters: BooleanParameters = match set {
        "DEFAULT" => DEFAULT_PARAMETERS,
        "DEFAULT_KS_PBS" => DEFAULT_PARAMETERS_KS_PBS,
        "2M165" => PARAMETERS_ERROR_PROB_2_POW_MINUS_165,
        "2M165_KS_PBS" => PARAMETERS_ERROR_PROB_2_POW_MINUS_165_KS_PBS,
        "TFHE_LIB" => TFHE_LIB_PARAMETERS,
        other => return unknown("set", other),
    };
    let client = ClientKey::new(&parameters);
    let server = ServerKey::new(&client);
    Ok(Box::new(Keys { client, server, row: None }))
}

type Gate = fn(&ServerKey, &[Ciphertext]) -> Ciphertext;

fn gate(name: &str) -> Result<Gate, Failure> {
    Ok(match name {
        "and" => |key, c| key.and(&c[0], &c[1]),
        "nand" => |key, c| key.nand(&c[0], &c[1]),
        "or" => |key, c| key.or(&c[0], &c[1]),
        "nor" => |key, c| key.nor(&c[0], &c[1]),
        "xor" => |key, c| key.xor(&c[0], &c[1]),
        "xnor" => |key, c| key.xnor(&c[0], &c[1]),
        "mux" => |key, c| key.mux(&c[0], &c[1], &c[2]),
        other => return unknown("gate", other),
    })
}

impl Session for Keys {
    fn time(&mut self, row: &Row) -> Result<Value, Failure> {
        let gate = gate(&row.operation)?;
        if self.row.as_ref().is_none_or(|(items, _)| *items != row.items) {
            self.row = Some((row.items.clone(), row.prepared(|words| self.client.encrypt(words[0] == 1))));
        }
        let Self { client, server, row: Some((_, operands)) } = self else { return unknown("row", "") };
        let words = |results: &Vec<Ciphertext>| {
            results.iter().map(|result| [u64::from(client.decrypt(result)), 0, 0, 0]).collect()
        };
        if let [one] = operands.as_slice() {
            return Ok(row.run(|| vec![gate(server, one)], words));
        }
        Ok(row.run(|| operands.par_iter().map(|item| gate(server, item)).collect(), words))
    }

    fn sizes(&self) -> Value {
        let ciphertext = match self.client.encrypt(true) {
            Ciphertext::Encrypted(lwe) => lwe.lwe_size().0 * 4,
            Ciphertext::Trivial(_) => 0,
        };
        let keys = self.server.bootstrapping_key_size_bytes() + self.server.key_switching_key_size_bytes();
        json!({ "key_bytes": keys, "ciphertext_bytes": ciphertext })
    }
}
