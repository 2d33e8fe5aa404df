//! Comma-separated values (RFC 4180).

use std::io::{Read, Write};

use super::{Array, Number, parse_number, unify};
use crate::error::{CliError, Result};
use crate::ui::counted;

/// Reads columns: those named or numbered (from 1) by `selection` in that order, or all.
///
/// The first line is taken as names unless all its fields are numbers.
pub fn read(input: impl Read, selection: &[String]) -> Result<Array> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).trim(csv::Trim::All).from_reader(input);
    let mut columns: Vec<usize> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut numbers: Vec<Vec<Number>> = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(csv_error)?;
        if index == 0 {
            let is_header = record.iter().any(|field| parse_number(field).is_none());
            columns = select(&record, is_header, selection)?;
            numbers.resize_with(columns.len(), Vec::new);
            if is_header {
                names = columns.iter().map(|&column| record[column].to_owned()).collect();
                continue;
            }
        }
        for (&column, numbers) in columns.iter().zip(&mut numbers) {
            numbers.push(field(&record, column, &names)?);
        }
    }
    let rows = numbers.first().map_or(0, Vec::len) as u64;
    let count = columns.len() as u64;
    Ok(Array {
        values: unify(&numbers.concat()),
        shape: if count == 1 { vec![rows] } else { vec![rows, count] },
        vectors: count.max(1),
        columns: names,
    })
}

/// Writes a row-major array, with a line of names where there are names.
pub fn write(output: impl Write, array: &Array) -> Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    if !array.columns.is_empty() {
        writer.write_record(&array.columns).map_err(csv_error)?;
    }
    let row_len = array.row_len();
    for start in (0..array.values.len()).step_by(row_len) {
        let row = (start..start + row_len).map(|index| array.values.text(index));
        writer.write_record(row).map_err(csv_error)?;
    }
    writer.flush()?;
    Ok(())
}

/// The positions of the selected columns in the first record.
fn select(first: &csv::StringRecord, is_header: bool, selection: &[String]) -> Result<Vec<usize>> {
    if selection.is_empty() {
        return Ok((0..first.len()).collect());
    }
    let find = |wanted: &String| {
        let mut named = (0..first.len()).filter(|&column| is_header && first[column] == **wanted);
        let by_name = named.next();
        if let (Some(one), Some(other)) = (by_name, named.next()) {
            let message = format!("columns {} and {} are both called {wanted:?}", one + 1, other + 1);
            return Err(CliError::usage(message).hint("--col takes numbers too"));
        }
        let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        by_name.or(number.filter(|&number| number < first.len())).ok_or_else(|| {
            let there_is = match is_header {
                true if first.len() == 1 => format!("the only column is {}", &first[0]),
                true => format!("the columns are {}", first.iter().collect::<Vec<_>>().join(", ")),
                false => {
                    format!("there are no names in the first line, but {}", counted(first.len(), "numbered column"))
                }
            };
            CliError::usage(format!("there is no column {wanted:?}: {there_is}"))
        })
    };
    selection.iter().map(find).collect()
}

fn field(record: &csv::StringRecord, column: usize, names: &[String]) -> Result<Number> {
    let line = record.position().map_or(0, csv::Position::line);
    let text = record.get(column).unwrap_or("");
    let number = parse_number(text).filter(|number| !matches!(number, Number::Float(value) if !value.is_finite()));
    number.ok_or_else(|| {
        CliError::bad_file(format!("line {line}, column {}: {text:?} is not a finite number", column + 1))
            .hint(if names.is_empty() { "--col 2 takes the second column" } else { "--col NAME takes one column" })
    })
}

fn csv_error(error: csv::Error) -> CliError {
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error.into(),
        _ => CliError::bad_file(message),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Values;
    use super::*;

    fn read_text(text: &str, selection: &[&str]) -> Result<Array> {
        let selection: Vec<String> = selection.iter().map(|&name| name.to_owned()).collect();
        read(text.as_bytes(), &selection)
    }

    #[test]
    fn columns_are_found_by_name_and_number() {
        let text = "a,b,c\n1,2.5,x\n3,4.5,y\n";
        let array = read_text(text, &["b", "1"]).unwrap();
        assert_eq!(array.values, Values::Float(vec![2.5, 4.5, 1.0, 3.0]));
        assert_eq!((array.shape, array.vectors), (vec![2, 2], 2));
        assert_eq!(array.columns, ["b", "a"]);
        let without_names = read_text("1\n-2\n", &[]).unwrap();
        assert_eq!(without_names, Array::flat(Values::Int(vec![1, -2])));
    }

    #[test]
    fn bad_fields_are_named() {
        let error = read_text("a,b\n1,2\n3,oops\n", &[]).unwrap_err();
        assert!(error.message.contains("line 3, column 2"), "{error}");
        assert!(read_text("a\nnan\n", &[]).unwrap_err().message.contains("line 2"));
        assert!(read_text("a,b\n1\n", &[]).is_err());
        assert!(read_text("a,b,a\n1,2,3\n", &["a"]).unwrap_err().message.contains("columns 1 and 3"));
        assert_eq!(read_text("a,b,a\n1,2,3\n", &["b", "3"]).unwrap().values, Values::Int(vec![2, 3]));
        assert!(read_text("a\n1\n", &["z"]).unwrap_err().message.contains("the only column is a"));
    }

    #[test]
    fn what_is_written_reads_back() {
        let array = read_text("a,b\n1,2.5\n3,4.5\n", &[]).unwrap();
        let mut text = Vec::new();
        write(&mut text, &array.clone().into_row_major()).unwrap();
        assert_eq!(read(text.as_slice(), &[]).unwrap(), array);
    }
}
