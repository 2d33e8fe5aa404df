//! Numbers in JSON: an array, nested where it has several dimensions, or an object that holds it as `values`.

use std::io::{Read, Write};

use num_complex::Complex64;
use serde_json::{Map, Value, json};

use super::{Array, Number, Values, unify};
use crate::error::{CliError, Result};

/// The schema of the objects that `decrypt --json` writes and `encrypt` reads.
pub const SCHEMA: &str = "phoca.array/1";

/// Reads an array of numbers, of complex numbers as `{"re": …, "im": …}`, or an object with such `values`.
pub fn read(input: impl Read) -> Result<Array> {
    let value: Value =
        serde_json::from_reader(std::io::BufReader::new(input)).map_err(|error| match error.classify() {
            serde_json::error::Category::Io => std::io::Error::from(error).into(),
            _ => CliError::bad_file(format!("this is no JSON: {error}")),
        })?;
    let values = match value {
        Value::Object(mut object) => {
            object.remove("values").ok_or_else(|| CliError::bad_file("the JSON object has no member `values`"))?
        }
        other => other,
    };
    let mut shape = Vec::new();
    let mut leaves = Vec::new();
    flatten(&values, 0, &mut shape, &mut leaves)?;
    Ok(Array { values: leaves_to_values(&leaves)?, shape, vectors: 1, columns: Vec::new() })
}

/// Writes the values of a row-major array; as an object with type and shape where `with_schema`.
pub fn write(mut output: impl Write, array: &Array, with_schema: bool) -> Result<()> {
    let values = nest(&array.shape, &array.values, &mut 0);
    let value = match with_schema {
        true => {
            let mut object = Map::new();
            object.insert("schema".into(), SCHEMA.into());
            object.insert("dtype".into(), array.values.dtype().name().into());
            object.insert("shape".into(), json!(array.shape));
            if !array.columns.is_empty() {
                object.insert("columns".into(), json!(array.columns));
            }
            object.insert("values".into(), values);
            Value::Object(object)
        }
        false => values,
    };
    writeln!(output, "{value}")?;
    Ok(())
}

/// Collects the numbers of nested arrays in row-major order. The first element of each depth sets the dimension.
fn flatten<'a>(value: &'a Value, depth: usize, shape: &mut Vec<u64>, leaves: &mut Vec<&'a Value>) -> Result<()> {
    let Value::Array(items) = value else {
        return match depth == shape.len() {
            true => {
                leaves.push(value);
                Ok(())
            }
            false => Err(CliError::bad_file("the nested arrays are not of one shape")),
        };
    };
    let len = items.len() as u64;
    if shape.len() == depth {
        if !leaves.is_empty() {
            return Err(CliError::bad_file("the nested arrays are not of one shape"));
        }
        shape.push(len);
    }
    if shape[depth] != len {
        return Err(CliError::bad_file(format!(
            "the nested arrays are not of one shape: one has {} elements, another {len}",
            shape[depth]
        )));
    }
    items.iter().try_for_each(|item| flatten(item, depth + 1, shape, leaves))
}

fn leaves_to_values(leaves: &[&Value]) -> Result<Values> {
    if leaves.iter().any(|leaf| leaf.is_object()) {
        return Ok(Values::Complex(leaves.iter().enumerate().map(complex).collect::<Result<_>>()?));
    }
    let numbers: Vec<Number> = leaves.iter().enumerate().map(number).collect::<Result<_>>()?;
    Ok(unify(&numbers))
}

fn number((index, value): (usize, &&Value)) -> Result<Number> {
    let number = match value {
        Value::Number(number) => number
            .as_i64()
            .map(Number::Int)
            .or(number.as_u64().map(Number::Uint))
            .or(number.as_f64().map(Number::Float)),
        _ => None,
    };
    number.ok_or_else(|| CliError::bad_file(format!("value {} is {value}, but must be a number", index + 1)))
}

fn complex((index, value): (usize, &&Value)) -> Result<Complex64> {
    let part = |name| value.get(name).and_then(Value::as_f64);
    let number = match (part("re"), part("im"), value.as_f64()) {
        (Some(re), Some(im), _) => Some(Complex64::new(re, im)),
        (_, _, Some(re)) => Some(Complex64::new(re, 0.0)),
        _ => None,
    };
    number.ok_or_else(|| {
        CliError::bad_file(format!("value {} is {value}, but must be a number or {{\"re\": …, \"im\": …}}", index + 1))
    })
}

fn nest(shape: &[u64], values: &Values, next: &mut usize) -> Value {
    match shape {
        [] => {
            let index = *next;
            *next += 1;
            leaf(values, index)
        }
        [len, inner @ ..] => (0..*len).map(|_| nest(inner, values, next)).collect(),
    }
}

fn leaf(values: &Values, index: usize) -> Value {
    match values {
        Values::Complex(values) => json!({"re": values[index].re, "im": values[index].im}),
        Values::Float(values) => json!(values[index]),
        Values::Int(values) => json!(values[index]),
        Values::Polynomial(values) => json!(values[index]),
        Values::Uint(values) => json!(values[index]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_arrays_have_a_shape() {
        let array = read(&b"[[1, 2, 3], [4, 5, 6]]"[..]).unwrap();
        assert_eq!(array.shape, [2, 3]);
        assert_eq!(array.values, Values::Int(vec![1, 2, 3, 4, 5, 6]));
        let scalar = read(&b"2.5"[..]).unwrap();
        assert_eq!((scalar.shape, scalar.values.clone()), (vec![], Values::Float(vec![2.5])));
        for ragged in ["[[1], [2, 3]]", "[[1], 2]", "[1, [2]]", "[[], [1]]", "[true]", "{}", "[1", "[null]"] {
            assert!(read(ragged.as_bytes()).is_err(), "{ragged}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in
            ["[[1.5,-2.5],[0.1,1e300]]", "[1,2,3]", "[{\"im\":-1.0,\"re\":2.0}]", "7.25", "[18446744073709551615]"]
        {
            let array = read(text.as_bytes()).unwrap();
            for with_schema in [false, true] {
                let mut output = Vec::new();
                write(&mut output, &array, with_schema).unwrap();
                assert_eq!(read(output.as_slice()).unwrap(), array, "{text}");
            }
        }
    }
}
