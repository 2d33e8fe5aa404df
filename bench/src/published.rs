//! Times that others have published, for the columns beside the measured ones.

/// The table of node-seal 5.1; see its first line.
const NODE_SEAL: &str = include_str!("../published/node-seal-5.1.tsv");

/// A published row of SEAL's own benchmark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SealRow {
    /// As it is printed there, without the count of iterations.
    pub(crate) label: String,
    /// Native SEAL 4.1 without HEXL on an Apple M1 Pro, in microseconds.
    pub(crate) native_us: f64,
}

/// The row of this degree, group and name. Rows that concern one prime have `log(q)=0` there.
pub(crate) fn seal_row(n: usize, group: &str, name: &str) -> Option<SealRow> {
    NODE_SEAL.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let [degree, log_q, row_group, row, native, _node] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        (degree.parse() == Ok(n) && row_group == group && row == name).then_some(())?;
        let label = format!("n={degree} / log(q)={log_q} / {group} / {row}");
        Some(SealRow { label, native_us: native.parse().ok()? })
    })
}

/// All rows: degree, group, name.
#[cfg(test)]
pub(crate) fn seal_rows() -> impl Iterator<Item = (usize, &'static str, &'static str)> {
    NODE_SEAL.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let fields: Vec<_> = line.split('\t').collect();
        (fields[0].parse().expect("a degree"), fields[2], fields[3])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_can_be_read() {
        assert_eq!(seal_rows().count(), 378);
        for (n, group, name) in seal_rows() {
            assert!(seal_row(n, group, name).is_some_and(|row| row.native_us > 0.0), "{n} {group} {name}");
        }
        let row = seal_row(8192, "UTIL", "NTTForwardLowLevel").expect("it is published");
        assert_eq!(row.label, "n=8192 / log(q)=0 / UTIL / NTTForwardLowLevel");
        assert_eq!(seal_row(512, "UTIL", "NTTForward"), None);
    }
}
