//! The table for people and the report for programs.

use std::fmt::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::job::Job;
use super::verdict::Verdict;

/// What the demo did.
pub struct Report {
    /// In the order of time.
    pub steps: Vec<Step>,
    /// From the first key to the last comparison.
    pub seconds: f64,
    /// The client's largest resident size in bytes.
    pub client_memory: Option<u64>,
    /// The server's.
    pub server_memory: Option<u64>,
    /// The work directory.
    pub directory: PathBuf,
}

/// One line of the table.
pub struct Step {
    who: &'static str,
    what: String,
    seconds: f64,
    /// Bytes that go over the wire.
    bytes: Option<u64>,
    verdict: Option<Verdict>,
}

impl Step {
    /// Work that leaves something on the wire.
    pub fn work(who: &'static str, what: &str, seconds: f64, bytes: u64) -> Self {
        Self { who, what: what.to_owned(), seconds, bytes: Some(bytes), verdict: None }
    }

    /// The client's decryption of a result, and how it compares.
    pub fn result(job: &Job, seconds: f64, verdict: Verdict) -> Self {
        Self {
            who: "client",
            what: format!("{}: decrypt {}", job.scheme, job.name),
            seconds,
            bytes: None,
            verdict: Some(verdict),
        }
    }
}

impl Report {
    /// Whether every promise was kept.
    pub fn is_kept(&self) -> bool {
        self.verdicts().all(|verdict| verdict.kept)
    }

    fn verdicts(&self) -> impl Iterator<Item = &Verdict> {
        self.steps.iter().filter_map(|step| step.verdict.as_ref())
    }

    /// The table.
    pub fn table(&self) -> String {
        let mut rows = vec![["who", "step", "time", "bytes", "worst error", "promised", "result"].map(str::to_owned)];
        rows.extend(self.steps.iter().map(Step::row));
        let mut widths = [0; 7];
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        let mut text = String::new();
        for (index, row) in rows.iter().enumerate() {
            let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
                // Numbers end at one column, words start at one.
                2..=5 => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            let _ = writeln!(text, "{}", line.trim_end());
            if index == 0 {
                let _ = writeln!(text, "{}", widths.map(|width| "-".repeat(width)).join("  "));
            }
        }
        self.summary(&mut text);
        text
    }

    fn summary(&self, text: &mut String) {
        let mebibytes = |bytes: Option<u64>| match bytes {
            Some(bytes) => format!("{:.0} MiB", bytes as f64 / (1 << 20) as f64),
            None => "unknown".to_owned(),
        };
        let wire: u64 = self.steps.iter().filter_map(|step| step.bytes).sum();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "\n{:.2} s in all; {:.1} MB over the wire; peak memory {} (client), {} (server)",
            self.seconds,
            wire as f64 / 1e6,
            mebibytes(self.client_memory),
            mebibytes(self.server_memory),
        );
        text.push_str(
            "Bounds were promised before the run, from parameters and the largest feature alone; they fail with a\n\
             probability below 2^-40. Exact results were promised for every outcome of the randomness.\n",
        );
        if !self.is_kept() {
            text.push_str("A promise was not kept.\n");
        }
    }

    /// One object for programs.
    pub fn json(&self) -> Value {
        json!({
            "schema": "phoca.demo/1",
            "kept": self.is_kept(),
            "seconds": self.seconds,
            "client_peak_memory": self.client_memory,
            "server_peak_memory": self.server_memory,
            "directory": self.directory.display().to_string(),
            "steps": self.steps.iter().map(Step::json).collect::<Vec<_>>(),
        })
    }
}

impl Step {
    fn row(&self) -> [String; 7] {
        let (error, promised, result) = match &self.verdict {
            None => (String::new(), String::new(), String::new()),
            Some(verdict) => {
                let (error, promised) = match verdict.promised_budget {
                    Some(_) => (verdict.error.to_string(), "exact".to_owned()),
                    None => (format!("{:.1e}", verdict.error), format!("{:.1e}", verdict.promised)),
                };
                let predictions =
                    verdict.predictions.map(|(agree, all)| format!(", {agree} of {all} predictions agree"));
                let kept = if verdict.kept { "" } else { ", NOT KEPT" };
                let result = format!("{}{}{kept}", verdict.summary, predictions.unwrap_or_default());
                (error, promised, result)
            }
        };
        [
            self.who.to_owned(),
            self.what.clone(),
            format!("{:.0} ms", self.seconds * 1e3),
            self.bytes.map_or_else(String::new, |bytes| bytes.to_string()),
            error,
            promised,
            result,
        ]
    }

    fn json(&self) -> Value {
        let mut step = json!({"who": self.who, "step": self.what, "seconds": self.seconds, "bytes": self.bytes});
        if let (Some(verdict), Some(members)) = (&self.verdict, step.as_object_mut()) {
            members.insert("error".to_owned(), verdict.error.into());
            members.insert("promised".to_owned(), verdict.promised.into());
            members.insert("worst_case".to_owned(), verdict.worst_case.into());
            members.insert("promised_budget_bits".to_owned(), verdict.promised_budget.into());
            members.insert("predictions_agree".to_owned(), verdict.predictions.map(|(agree, _)| agree).into());
            members.insert("predictions".to_owned(), verdict.predictions.map(|(_, all)| all).into());
            members.insert("result".to_owned(), verdict.summary.clone().into());
            members.insert("kept".to_owned(), verdict.kept.into());
        }
        step
    }
}
