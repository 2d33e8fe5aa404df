//! The table and the model, which are part of the program.

use serde::Deserialize;

use crate::error::{CliError, Result};

/// `data/wdbc/wdbc.csv`: see `data/wdbc/README.md` for its source and licence.
const TABLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/wdbc/wdbc.csv"));
/// `data/wdbc/model.json`, as `scripts/train_wdbc.py train` makes it.
const MODEL: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/wdbc/model.json"));

/// Rows of the table.
pub const ROWS: usize = 569;
/// The largest magnitude of a standardised feature, which the client promises before it encrypts.
pub const LARGEST_FEATURE: f64 = 12.0;
/// Integer features and weights are the real ones times this, rounded.
const INTEGER_SCALE: f64 = 1000.0;

/// The table with features standardised by the model's means and deviations, column by column.
pub struct Table {
    /// 30 columns of 569 values.
    pub features: Vec<Vec<f64>>,
    /// 1 for malignant rows, 0 for benign ones.
    pub malignant: Vec<i64>,
}

/// The part of the model's file that is needed here.
#[derive(Deserialize)]
pub struct Model {
    /// Names of the features, in the order of all other lists.
    pub features: Vec<String>,
    means: Vec<f64>,
    standard_deviations: Vec<f64>,
    /// Weights for standardised features.
    pub standardized: Linear,
}

/// A linear score.
#[derive(Deserialize)]
pub struct Linear {
    /// One weight for each feature.
    pub weights: Vec<f64>,
    /// What the weighted sum starts from.
    pub bias: f64,
}

impl Model {
    /// Reads the model.
    pub fn load() -> Result<Self> {
        let model: Self = serde_json::from_str(MODEL).map_err(|error| broken(&error.to_string()))?;
        let count = model.features.len();
        let lists = [&model.means, &model.standard_deviations, &model.standardized.weights];
        match lists.iter().all(|list| list.len() == count) {
            true => Ok(model),
            false => Err(broken("the model's lists differ in length")),
        }
    }

    /// The weights and the bias as integers: the bias has the scale of a product.
    pub fn integers(&self) -> (Vec<i64>, i64) {
        let weights = self.standardized.weights.iter().map(|&weight| to_integer(weight)).collect();
        (weights, (self.standardized.bias * INTEGER_SCALE * INTEGER_SCALE).round() as i64)
    }
}

impl Table {
    /// Reads and standardises the table.
    pub fn load(model: &Model) -> Result<Self> {
        let mut reader = csv::Reader::from_reader(TABLE.as_bytes());
        let header = reader.headers().map_err(|error| broken(&error.to_string()))?.clone();
        let named = header.iter().take(model.features.len()).eq(model.features.iter().map(String::as_str));
        if !named || header.len() != model.features.len() + 1 {
            return Err(broken("the table's columns are not the model's features"));
        }
        let mut table = Self {
            features: vec![Vec::with_capacity(ROWS); model.features.len()],
            malignant: Vec::with_capacity(ROWS),
        };
        for record in reader.deserialize::<Vec<f64>>() {
            let record = record.map_err(|error| broken(&error.to_string()))?;
            let scales = model.means.iter().zip(&model.standard_deviations);
            for ((column, value), (mean, deviation)) in table.features.iter_mut().zip(&record).zip(scales) {
                column.push((value - mean) / deviation);
            }
            table.malignant.push(record[model.features.len()] as i64);
        }
        let largest = table.features.iter().flatten().fold(0.0, |most: f64, value| most.max(value.abs()));
        if table.malignant.len() != ROWS || largest > LARGEST_FEATURE {
            return Err(broken("the table does not have 569 rows of features that are at most 12 deviations out"));
        }
        Ok(table)
    }

    /// The features as integers.
    pub fn integers(&self) -> Vec<Vec<i64>> {
        let column = |column: &Vec<f64>| column.iter().map(|&value| to_integer(value)).collect();
        self.features.iter().map(column).collect()
    }
}

fn to_integer(value: f64) -> i64 {
    (value * INTEGER_SCALE).round() as i64
}

fn broken(cause: &str) -> CliError {
    CliError::failed(format!("the program's own data cannot be used: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_and_model_belong_together() {
        let model = Model::load().unwrap();
        let table = Table::load(&model).unwrap();
        assert_eq!(table.features.len(), 30);
        assert_eq!(table.malignant.iter().sum::<i64>(), 212);
        let (weights, _) = model.integers();
        let largest: i64 = weights.iter().map(|weight| weight.abs()).sum::<i64>() * 12_000;
        assert!(largest < 1 << 28, "integer scores fit 30 bits");
    }
}
