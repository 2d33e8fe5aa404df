//! The matrix as text.

use std::fmt::Write;

use phoca_rlwe::Scheme;

use crate::Result;
use crate::exchange::{Budgets, ROWS};
use crate::identical::{OPERATIONS, Outcome};
use crate::party::{SCHEMES, Size};
use crate::session::{COLUMNS, Direction, Report};

/// The parameter sets at which results are compared word by word.
pub const IDENTICAL_SIZES: [Size; 3] = [Size::Small, Size::Odd, Size::Default];

#[derive(Clone, Debug)]
pub enum Cell {
    Passed,
    NotApplicable(&'static str),
    Failed(String),
}

impl From<Result> for Cell {
    fn from(result: Result) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(error) => Self::Failed(error.to_string()),
        }
    }
}

/// One peer and scheme: columns of cells by [`ROWS`].
pub struct Table {
    pub scheme: Scheme,
    columns: Vec<(Direction, Vec<Cell>)>,
}

impl Table {
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, columns: Vec::new() }
    }

    pub fn push(&mut self, direction: Direction, cells: Vec<Cell>) {
        self.columns.push((direction, cells));
    }
}

/// All tables, and how many cells passed and failed.
#[derive(Default)]
pub struct Matrix {
    pub text: String,
    pub passed: usize,
    pub failed: usize,
    reasons: Vec<&'static str>,
    failures: Vec<String>,
}

impl Matrix {
    pub fn new(reports: &[Report]) -> std::result::Result<Self, std::fmt::Error> {
        let mut matrix = Self::default();
        matrix.text.push_str(HEAD);
        for report in reports {
            for table in &report.tables {
                matrix.write_table(report, table)?;
            }
        }
        matrix.write_notes()?;
        matrix.write_stamps(reports)?;
        matrix.write_identical(reports)?;
        matrix.write_budgets(reports)?;
        matrix.write_failures()?;
        Ok(matrix)
    }

    fn write_table(&mut self, report: &Report, table: &Table) -> std::fmt::Result {
        let (title, stamp, scheme) = (&report.title, report.stamp, table.scheme);
        writeln!(self.text, "\n### {} ({title}, SEAL {stamp} files), {scheme}\n", report.name)?;
        let mut lines = vec![vec!["object".to_owned()]];
        for (index, (direction, _)) in table.columns.iter().enumerate() {
            let arrow = if *direction == Direction::FromPeer { "→P" } else { "P→" };
            lines[0].push(format!("{arrow} {}", COLUMNS[index % COLUMNS.len()].label));
        }
        for (index, row) in ROWS.iter().enumerate() {
            let mut line = vec![row.label.to_owned()];
            for (column, (direction, cells)) in table.columns.iter().enumerate() {
                let place = || {
                    let label = COLUMNS[column % COLUMNS.len()].label;
                    format!("{} {scheme} {direction:?} {label}, {}", report.name, row.label)
                };
                let shown = self.show(&cells[index], place);
                line.push(shown);
            }
            lines.push(line);
        }
        write_markdown(&mut self.text, &lines)
    }

    /// Counts a cell and says how it is shown.
    fn show(&mut self, cell: &Cell, place: impl Fn() -> String) -> String {
        match cell {
            Cell::Passed => {
                self.passed += 1;
                "ok".into()
            }
            Cell::Failed(error) => self.fail(format!("{}: {error}", place())),
            Cell::NotApplicable(reason) => {
                let known = self.reasons.iter().position(|known| known == reason);
                let number = known.unwrap_or_else(|| {
                    self.reasons.push(reason);
                    self.reasons.len() - 1
                });
                format!("n/a {}", number + 1)
            }
        }
    }

    fn fail(&mut self, failure: String) -> String {
        self.failed += 1;
        self.failures.push(failure);
        format!("FAILED {}", self.failed)
    }

    fn write_notes(&mut self) -> std::fmt::Result {
        writeln!(self.text)?;
        for (index, reason) in self.reasons.iter().enumerate() {
            writeln!(self.text, "- n/a {}: {reason}", index + 1)?;
        }
        Ok(())
    }

    fn write_stamps(&mut self, reports: &[Report]) -> std::fmt::Result {
        writeln!(self.text, "\n### Other versions of SEAL that Phoca writes\n")?;
        let mut lines = vec![vec!["reader".to_owned(), "version".to_owned()]];
        lines[0].extend(SCHEMES.map(|scheme| scheme.to_string()));
        for report in reports {
            for (version, cells) in &report.stamps {
                let mut line = vec![report.name.to_owned(), version.to_string()];
                for (cell, scheme) in cells.iter().zip(SCHEMES) {
                    let shown = self.show(cell, || format!("{} reads {version}, {scheme}", report.name));
                    line.push(shown);
                }
                lines.push(line);
            }
        }
        write_markdown(&mut self.text, &lines)
    }

    fn write_identical(&mut self, reports: &[Report]) -> std::fmt::Result {
        self.text.push_str(IDENTICAL_HEAD);
        let mut lines = vec![vec!["operation".to_owned()]];
        for report in reports {
            lines[0].extend(SCHEMES.map(|scheme| format!("{} {scheme}", report.name)));
        }
        for (index, operation) in OPERATIONS.iter().enumerate() {
            let mut line = vec![(*operation).to_owned()];
            for report in reports {
                for (scheme, outcomes) in SCHEMES.iter().zip(&report.identical[index]) {
                    let shown = self.show_outcomes(outcomes, &format!("{} {scheme} {operation}", report.name));
                    line.push(shown);
                }
            }
            lines.push(line);
        }
        write_markdown(&mut self.text, &lines)
    }

    fn show_outcomes(&mut self, outcomes: &[Outcome], place: &str) -> String {
        if outcomes.len() != IDENTICAL_SIZES.len() {
            return self.fail(format!("{place}: it was not compared at every size"));
        }
        let mut shown: Vec<String> = Vec::new();
        for (outcome, size) in outcomes.iter().zip(IDENTICAL_SIZES) {
            shown.push(match outcome {
                Outcome::NotApplicable => "–".into(),
                Outcome::Identical => "=".into(),
                Outcome::MarkedOtherwise => "=*".into(),
                Outcome::SameMessage => "≈".into(),
                Outcome::Failed(error) => self.fail(format!("{place}, {size:?}: {error}")),
            });
            self.passed += usize::from(!matches!(outcome, Outcome::NotApplicable | Outcome::Failed(_)));
        }
        shown.dedup();
        shown.join(" ")
    }

    fn write_budgets(&mut self, reports: &[Report]) -> std::fmt::Result {
        let mut all = Budgets::default();
        reports.iter().for_each(|report| all.merge(report.budgets));
        writeln!(self.text, "\nNoise budgets of one ciphertext, computed by both sides: {}.", all.compared)?;
        writeln!(self.text, "Largest difference: {} bits.", all.largest_difference)?;
        if let Some((least, most)) = all.gain {
            writeln!(
                self.text,
                "Where the words differ, Phoca's result has {least} to {most} bits more budget than the peer's."
            )?;
        }
        Ok(())
    }

    fn write_failures(&mut self) -> std::fmt::Result {
        for (index, failure) in self.failures.iter().enumerate() {
            writeln!(self.text, "\nFAILED {}: {failure}", index + 1)?;
        }
        Ok(())
    }
}

const HEAD: &str = "\
# Interoperability with other libraries of Microsoft SEAL's files

`→P`: the peer writes; Phoca loads (at once and in pieces), writes it again byte for byte, computes with it; the peer
loads both and decrypts. `P→`: Phoca writes; the peer loads, writes it again byte for byte, computes with it and
decrypts; Phoca loads and decrypts what the peer computed.
none, zlib, zstd: the compression, at n = 1024 with three data primes and a special prime. odd: n = 2048 with primes of
60, 33, 47 and 60 bits that are near no power of two. 8192: n = 8192 with SEAL's default primes, at 128 bits of security.
";

const IDENTICAL_HEAD: &str = "
### The same operation on the same files

`=`: every byte of the result's file is the peer's. `≈`: other words of the same message. `–`: the scheme has no such
operation, or the peer's binding lacks it. `=*`: the same words, but SEAL marks these coefficients as NTT form, and
then does not decrypt them. One sign for each of n = 1024, odd and n = 8192 where they differ.

";

/// A table whose columns line up.
fn write_markdown(text: &mut String, lines: &[Vec<String>]) -> std::fmt::Result {
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    for (index, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(&widths) {
            write!(text, "| {cell:width$} ")?;
        }
        writeln!(text, "|")?;
        if index == 0 {
            widths.iter().try_for_each(|width| write!(text, "|{}", "-".repeat(width + 2)))?;
            writeln!(text, "|")?;
        }
    }
    Ok(())
}
