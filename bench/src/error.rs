use phoca::ring::RingError;

/// What can go wrong in a benchmark.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// Outside of a checkout.
    #[error(
        "{script} is not there: `phoca bench` starts the peers with scripts of Phoca's repository, so run it in the root of a checkout, \
         or name its folder bench/peers with --peers"
    )]
    NoScript {
        /// What is missing.
        script: String,
    },
    /// The peer's driver could not be started or went away.
    #[error("the peer at {driver} cannot be reached: {source}; run bench/peers/setup.sh first")]
    Peer {
        /// The driver's script.
        driver: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The peer's driver gave an answer that is not one of its protocol.
    #[error("the peer's answer is malformed: {0}")]
    PeerAnswer(#[from] serde_json::Error),
    /// The peer refused a request.
    #[error("the peer refused {request}: {cause}")]
    PeerRefused {
        /// The request.
        request: String,
        /// What it said.
        cause: String,
    },
    /// A host of suite `seal-hosts` failed in the middle of its rows.
    #[error("the rows in {host} failed: {cause}")]
    Host {
        /// The host.
        host: &'static str,
        /// What it said.
        cause: String,
    },
    /// No host of suite `seal-hosts` could be used.
    #[error("there is no host to measure in: {reasons}")]
    NoHost {
        /// What is missing.
        reasons: String,
    },
    /// A host that is not known.
    #[error("there is no host `{name}`; the hosts are native, node, chromium, firefox and webkit")]
    UnknownHost {
        /// The name.
        name: String,
    },
    /// An operation of Phoca failed.
    #[error(transparent)]
    Phoca(#[from] phoca::Error),
    /// A TFHE operation of Phoca failed.
    #[error(transparent)]
    Tfhe(#[from] phoca::tfhe::Error),
    /// The ring refused tables or kernels.
    #[error(transparent)]
    Ring(#[from] RingError),
    /// Phoca's result is wrong, so its time means nothing.
    #[error("row {row} of {parameters}: Phoca's result is wrong ({cause})")]
    WrongResult {
        /// The row.
        row: String,
        /// The parameters.
        parameters: String,
        /// What is wrong.
        cause: String,
    },
    /// A degree for which the suite has no parameters.
    #[error("suite {suite} has no parameters for n = {degree}; it has {known}")]
    UnknownDegree {
        /// The suite.
        suite: &'static str,
        /// The degree.
        degree: usize,
        /// The degrees that it has.
        known: String,
    },
    /// No row was left to measure.
    #[error("no row of suite {suite} has one of `{filters}` in its `n/scheme/operation`")]
    NoRow {
        /// The suite.
        suite: &'static str,
        /// The filters.
        filters: String,
    },
}
