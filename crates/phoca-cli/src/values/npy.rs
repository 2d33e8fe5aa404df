//! NumPy's `.npy` files (format versions 1 to 3) of little-endian 64-bit types.
//!
//! Layout: `\x93NUMPY`, version, little-endian header length (2 bytes, from version 2 on 4), the header as a Python
//! dictionary with `descr`, `fortran_order` and `shape`, then the values. Source: NEP 1 and `numpy.lib.format`.

use std::io::{Read, Write};

use num_complex::Complex64;

use super::{Array, Values};
use crate::error::{CliError, Result};

/// The first bytes of every `.npy` file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";
/// The longest header that is read.
const MAX_HEADER_LEN: u32 = 1 << 16;

/// Reads an array of `<f8`, `<i8`, `<u8` or `<c16`.
pub fn read(mut input: impl Read) -> Result<Array> {
    let header = read_header(&mut input)?;
    let descr = quoted(field(&header, "descr")?)?;
    let fortran_order = match field(&header, "fortran_order")? {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        _ => {
            return Err(CliError::bad_file("the .npy header's fortran_order is neither True nor False"));
        }
    };
    let shape = parse_shape(field(&header, "shape")?)?;
    let count = shape.iter().try_fold(1_u64, |count, &side| count.checked_mul(side));
    let width = if descr == "<c16" { 16 } else { 8 };
    // Grows with what arrives, whatever the shape says.
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    if count.and_then(|count| count.checked_mul(width)) != Some(bytes.len() as u64) {
        return Err(CliError::bad_file(format!(
            "the .npy file has {} bytes of values, which is not its shape {shape:?} times {width}",
            bytes.len()
        )));
    }
    let values = parse_values(&descr, &bytes)?;
    let values = if fortran_order { to_row_major(&values, &shape) } else { values };
    Ok(Array { values, shape, vectors: 1, columns: Vec::new() })
}

/// Writes a row-major array.
pub fn write(mut output: impl Write, array: &Array) -> Result<()> {
    let descr = match &array.values {
        Values::Complex(_) => "<c16",
        Values::Float(_) => "<f8",
        Values::Int(_) => "<i8",
        Values::Uint(_) => "<u8",
        Values::Polynomial(_) => {
            return Err(CliError::usage("polynomials cannot be written as .npy").hint("-f text or -f json"));
        }
    };
    let shape: String = array.shape.iter().map(|side| format!("{side}, ")).collect();
    let shape = shape.trim_end().trim_end_matches(if array.shape.len() == 1 { ' ' } else { ',' });
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The values start at a multiple of 64 bytes; a newline ends the header.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(unpadded.next_multiple_of(64) - unpadded));
    header.push('\n');
    output.write_all(MAGIC)?;
    output.write_all(&[1, 0])?;
    // At most 32 dimensions of 20 digits.
    output.write_all(&(header.len() as u16).to_le_bytes())?;
    output.write_all(header.as_bytes())?;
    match &array.values {
        Values::Complex(values) => values.iter().try_for_each(|value| {
            output.write_all(&value.re.to_le_bytes())?;
            output.write_all(&value.im.to_le_bytes())
        })?,
        Values::Float(values) => values.iter().try_for_each(|value| output.write_all(&value.to_le_bytes()))?,
        Values::Int(values) => values.iter().try_for_each(|value| output.write_all(&value.to_le_bytes()))?,
        Values::Uint(values) => values.iter().try_for_each(|value| output.write_all(&value.to_le_bytes()))?,
        Values::Polynomial(_) => {}
    }
    Ok(())
}

fn read_header(input: &mut impl Read) -> Result<String> {
    let truncated = |_| CliError::bad_file("the .npy file ends inside of its header");
    let mut start = [0; 8];
    input.read_exact(&mut start).map_err(truncated)?;
    let [magic @ .., major, _] = start;
    if magic != *MAGIC {
        return Err(CliError::bad_file("this is no .npy file"));
    }
    let len = match major {
        1 => {
            let mut len = [0; 2];
            input.read_exact(&mut len).map_err(truncated)?;
            u32::from(u16::from_le_bytes(len))
        }
        2 | 3 => {
            let mut len = [0; 4];
            input.read_exact(&mut len).map_err(truncated)?;
            u32::from_le_bytes(len)
        }
        _ => {
            return Err(CliError::bad_file(format!(".npy version {major} is not supported, but 1 to 3 are")));
        }
    };
    if len > MAX_HEADER_LEN {
        return Err(CliError::bad_file(format!("the .npy header has {len} bytes, but may have {MAX_HEADER_LEN}")));
    }
    let mut header = vec![0; len as usize];
    input.read_exact(&mut header).map_err(truncated)?;
    String::from_utf8(header).map_err(|_| CliError::bad_file("the .npy header is not text"))
}

/// What follows `'name':` in the dictionary.
fn field<'a>(header: &'a str, name: &str) -> Result<&'a str> {
    let found = ["'", "\""].iter().find_map(|quote| header.split_once(&format!("{quote}{name}{quote}:")));
    let (_, rest) = found.ok_or_else(|| CliError::bad_file(format!("the .npy header has no {name}")))?;
    Ok(rest.trim_start())
}

fn quoted(text: &str) -> Result<String> {
    let value = text.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"']).next());
    value
        .map(str::to_owned)
        .ok_or_else(|| CliError::bad_file("the .npy file holds records; only arrays of numbers are supported"))
}

fn parse_shape(text: &str) -> Result<Vec<u64>> {
    let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let sides = inside.map(|inside| {
        let sides = inside.split(',').map(str::trim).filter(|side| !side.is_empty());
        sides.map(str::parse).collect::<std::result::Result<Vec<u64>, _>>()
    });
    match sides {
        Some(Ok(sides)) => Ok(sides),
        _ => Err(CliError::bad_file("the .npy header's shape is no tuple of numbers")),
    }
}

fn parse_values(descr: &str, bytes: &[u8]) -> Result<Values> {
    let words = bytes.as_chunks::<8>().0;
    Ok(match descr {
        "<f8" => Values::Float(words.iter().map(|&word| f64::from_le_bytes(word)).collect()),
        "<i8" => Values::Int(words.iter().map(|&word| i64::from_le_bytes(word)).collect()),
        "<u8" => Values::Uint(words.iter().map(|&word| u64::from_le_bytes(word)).collect()),
        "<c16" => {
            let pairs = words.as_chunks::<2>().0;
            let complex = |[re, im]: &[[u8; 8]; 2]| Complex64::new(f64::from_le_bytes(*re), f64::from_le_bytes(*im));
            Values::Complex(pairs.iter().map(complex).collect())
        }
        other => {
            return Err(CliError::bad_file(format!("the .npy file holds {other}, which is not supported"))
                .hint("numpy's astype makes '<f8', '<i8', '<u8' or '<c16' of it"));
        }
    })
}

/// Reorders values that were written first index fastest.
fn to_row_major(values: &Values, shape: &[u64]) -> Values {
    let strides: Vec<u64> = shape
        .iter()
        .scan(1, |stride, &side| {
            let own = *stride;
            *stride *= side;
            Some(own)
        })
        .collect();
    values.gather((0..values.len() as u64).map(|index| {
        let mut rest = index;
        let mut position = 0;
        for (&side, &stride) in shape.iter().zip(&strides).rev() {
            position += rest % side * stride;
            rest /= side;
        }
        position as usize
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `numpy.save` of `numpy.array([[1, 2, 3], [4, 5, 6]], dtype="<i8", order=order)`, without the padding.
    fn file(fortran: &str, words: [i64; 6]) -> Vec<u8> {
        let header = format!("{{'descr': '<i8', 'fortran_order': {fortran}, 'shape': (2, 3), }}\n");
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        bytes
    }

    #[test]
    fn both_orders_give_the_same_array() {
        let row_major = read(file("False", [1, 2, 3, 4, 5, 6]).as_slice()).unwrap();
        let column_major = read(file("True", [1, 4, 2, 5, 3, 6]).as_slice()).unwrap();
        assert_eq!(row_major, column_major);
        assert_eq!(row_major.shape, [2, 3]);
    }

    #[test]
    fn what_is_written_reads_back() {
        let arrays = [
            (Values::Float(vec![1.5, -2.5]), vec![2]),
            (Values::Int(vec![-1, 2, 3, 4]), vec![2, 2]),
            (Values::Uint(vec![u64::MAX]), vec![]),
            (Values::Complex(vec![Complex64::new(1.0, -2.0)]), vec![1]),
        ];
        for (values, shape) in arrays {
            let array = Array { values, shape, vectors: 1, columns: Vec::new() };
            let mut bytes = Vec::new();
            write(&mut bytes, &array).unwrap();
            assert_eq!(read(bytes.as_slice()).unwrap(), array);
        }
    }

    #[test]
    fn damaged_files_are_refused() {
        let good = file("False", [1, 2, 3, 4, 5, 6]);
        for len in 0..good.len() {
            assert!(read(&good[..len]).is_err(), "{len} bytes");
        }
        let mut huge = file("False", [0; 6]);
        let position = huge.windows(6).position(|window| window == b"(2, 3)").unwrap();
        huge.splice(position..position + 6, *b"(9, 9)");
        assert!(read(huge.as_slice()).is_err());
    }
}
