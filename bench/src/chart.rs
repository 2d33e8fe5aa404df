//! A dot plot of ratios as SVG: a line for each operation, a dot for each degree or host, the targets as ticks.

use std::fmt::Write;

use crate::report::{Against, Entry, Report};
use crate::run::Suite;

const LABELS: f64 = 290.0;
const PLOT: f64 = 560.0;
const MARGIN: f64 = 24.0;
const TOP: f64 = 74.0;
const LINE: f64 = 15.0;

/// Colours that stay apart for people with any vision of colour, on light and on dark ground.
const COLORS: [&str; 6] = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2"];

const STYLE: &str = "text{font:11px system-ui,sans-serif;fill:#24292f}.t{font-size:15px;font-weight:600}\
.g{stroke:#8c959f;stroke-opacity:.35}.u{stroke:#57606a;stroke-width:1.5}.k{stroke:#24292f;stroke-width:2}\
.b{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.b{fill:#0d1117}.u{stroke:#9da7b3}\
.k{stroke:#e6edf3}}";

/// The chart of a report.
pub(crate) fn draw(report: &Report) -> String {
    let axes = Axes { hosts: report.suite == Suite::SealHosts, bits: report.suite == Suite::Tfhe };
    let lines = axes.lines(&report.entries);
    let series = axes.series(&report.entries);
    let ratios = || report.entries.iter().filter_map(shown);
    let scale = Scale::of(ratios().chain(report.entries.iter().filter_map(|entry| Some(entry.target?.at_least))));
    let (width, height) = (LABELS + PLOT + MARGIN, TOP + LINE * lines.len() as f64 + MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n<style>{STYLE}</style>\n\
         <rect class=\"b\" width=\"{width}\" height=\"{height}\"/>\n"
    );
    heading(&mut svg, report, &series);
    grid(&mut svg, &scale, height - MARGIN);
    for (index, name) in lines.iter().enumerate() {
        let y = TOP + LINE * (index as f64 + 0.5);
        let right = LABELS + PLOT;
        let _ = writeln!(svg, "<line class=\"g\" x1=\"{LABELS}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\"/>");
        text(&mut svg, LABELS - 10.0, y + 4.0, "end", "", name);
        for entry in report.entries.iter().filter(|entry| axes.line(entry) == *name) {
            mark(&mut svg, entry, &scale, color(&series, &axes.one_of(entry)), y);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// The ratio that a row is judged by.
fn shown(entry: &Entry) -> Option<f64> {
    match entry.target {
        Some(target) if target.against == Against::Published => entry.published_ratio,
        _ => entry.ratio,
    }
}

/// Dots of one colour share a degree, or a host.
#[derive(Clone, Copy)]
struct Axes {
    hosts: bool,
    bits: bool,
}

impl Axes {
    fn line(self, entry: &Entry) -> String {
        let name = format!("{} / {}", entry.scheme, entry.op);
        if self.hosts { format!("{name}, n = {}", entry.n) } else { name }
    }

    fn one_of(self, entry: &Entry) -> String {
        match self {
            Self { hosts: true, .. } => entry.column().to_owned(),
            Self { bits: true, .. } => format!("{} bits", entry.n),
            _ => format!("n = {}", entry.n),
        }
    }

    /// Operations in the order of their first row.
    fn lines(self, entries: &[Entry]) -> Vec<String> {
        distinct(entries, |entry| self.line(entry))
    }

    /// In the order of their first row, which for degrees is ascending.
    fn series(self, entries: &[Entry]) -> Vec<String> {
        distinct(entries, |entry| self.one_of(entry))
    }
}

fn distinct(entries: &[Entry], name: impl Fn(&Entry) -> String) -> Vec<String> {
    let mut names = Vec::new();
    for name in entries.iter().filter(|entry| shown(entry).is_some()).map(name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A logarithmic axis over whole powers of two.
struct Scale {
    low: i32,
    high: i32,
}

impl Scale {
    fn of(ratios: impl Iterator<Item = f64>) -> Self {
        let positive = ratios.filter(|ratio| ratio.is_finite() && *ratio > 0.0).map(f64::log2);
        let (low, high) = positive.fold((0.0, 1.0), |(low, high): (f64, f64), x| (low.min(x), high.max(x)));
        Self { low: low.floor() as i32, high: high.ceil() as i32 }
    }

    fn x(&self, ratio: f64) -> f64 {
        LABELS + PLOT * (ratio.log2() - f64::from(self.low)) / f64::from(self.high - self.low)
    }
}

fn heading(svg: &mut String, report: &Report, series: &[String]) {
    let what = match report.suite {
        Suite::H33 => "published time / Phoca's; without a published time SEAL's / Phoca's",
        Suite::Tfhe => "TFHE-rs's time / Phoca's",
        Suite::SealHosts => "node-seal's time / Phoca's; native: SEAL's / Phoca's",
        _ => "SEAL's time / Phoca's",
    };
    let title = format!("{}: {what}", report.suite.name());
    text(svg, MARGIN, 22.0, "start", " class=\"t\"", &title);
    let setting = format!("{}; {} kernels, {} thread(s); tick: target", report.host, report.arch, report.threads);
    text(svg, MARGIN, 40.0, "start", "", &setting);
    for (index, name) in series.iter().enumerate() {
        let x = LABELS + 90.0 * index as f64;
        dot(svg, x, 56.0, color(series, name), "");
        text(svg, x + 8.0, 60.0, "start", "", name);
    }
}

fn grid(svg: &mut String, scale: &Scale, bottom: f64) {
    for power in scale.low..=scale.high {
        let ratio = f64::from(power).exp2();
        let x = scale.x(ratio);
        let class = if power == 0 { "u" } else { "g" };
        let _ = writeln!(svg, "<line class=\"{class}\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>");
        text(svg, x, bottom + 14.0, "middle", "", &format!("{ratio}×"));
    }
}

/// A row's dot, and its target as a tick of the same colour.
fn mark(svg: &mut String, entry: &Entry, scale: &Scale, color: &str, y: f64) {
    let Some(ratio) = shown(entry) else { return };
    if let Some(target) = entry.target.filter(|target| target.against != Against::OneThread) {
        let x = scale.x(target.at_least);
        let (top, bottom) = (y - 5.0, y + 5.0);
        let _ = writeln!(
            svg,
            "<line class=\"k\" x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" style=\"stroke:{color}\"/>"
        );
    }
    dot(svg, scale.x(ratio), y, color, &format!("{}: {ratio:.2}", entry.name()));
}

fn color(series: &[String], name: &str) -> &'static str {
    let position = series.iter().position(|known| known == name).unwrap_or_default();
    COLORS[position % COLORS.len()]
}

// Writing to a string does not fail.

fn dot(svg: &mut String, x: f64, y: f64, color: &str, title: &str) {
    let title = escape(title);
    let _ =
        writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{color}\"><title>{title}</title></circle>");
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, attributes: &str, content: &str) {
    let content = escape(content);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{attributes}>{content}</text>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn report() -> Report {
        let entry = |op: &str, n, peer| {
            let mut entry = Entry {
                suite: "seal",
                scheme: "CKKS".into(),
                op: op.into(),
                n,
                arch: "ifma".into(),
                ..Entry::default()
            };
            let times = |median| Sample { median, ..Sample::default() };
            entry.set_times(times(1.0), Some(("SEAL", times(peer))));
            entry
        };
        Report {
            suite: Suite::Seal,
            peer: "SEAL".into(),
            host: "a <machine> & more".into(),
            arch: "ifma",
            threads: 1,
            entries: vec![
                entry("EvaluateMulCt", 8192, 9.0),
                entry("EvaluateMulCt", 16384, 0.5),
                entry("EncodeDouble", 8192, 16.0),
            ],
            notes: Vec::new(),
        }
    }

    #[test]
    fn every_ratio_has_a_dot_and_every_target_a_tick() {
        let svg = draw(&report());
        // Two of the dots are the legend's.
        assert_eq!(svg.matches("<circle").count(), 3 + 2);
        assert_eq!(svg.matches("class=\"k\"").count(), 3);
        assert_eq!(svg.matches("CKKS / EvaluateMulCt<").count(), 1);
        assert!(svg.contains("a &lt;machine&gt; &amp; more"));
        assert!(svg.contains("prefers-color-scheme:dark"));
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn hosts_have_a_colour_each_and_degrees_a_line() {
        let mut report = report();
        report.suite = Suite::SealHosts;
        for (entry, host) in report.entries.iter_mut().zip(["", "node-20.20", "node-20.20"]) {
            (entry.suite, entry.host) = (if host.is_empty() { "seal" } else { "seal-hosts" }, host.to_owned());
        }
        let svg = draw(&report);
        assert!(svg.contains(">native<") && svg.contains(">node-20.20<") && !svg.contains(">n = 8192<"), "{svg}");
        assert!(svg.contains(">CKKS / EvaluateMulCt, n = 8192<") && svg.contains(">CKKS / EvaluateMulCt, n = 16384<"));
    }

    #[test]
    fn the_axis_is_logarithmic_and_holds_all_ratios() {
        let scale = Scale::of([0.3, 9.0].into_iter());
        assert_eq!((scale.low, scale.high), (-2, 4));
        assert_eq!(scale.x(0.25), LABELS);
        assert_eq!(scale.x(16.0), LABELS + PLOT);
        assert_eq!(scale.x(2.0), LABELS + PLOT / 2.0);
        let nothing = Scale::of(std::iter::empty());
        assert!(nothing.high > nothing.low);
    }
}
