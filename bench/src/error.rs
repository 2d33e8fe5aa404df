/// What can go wrong in a benchmark.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
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
    /// An operation of Phoca failed.
    #[error(transparent)]
    Phoca(#[from] phoca::Error),
    /// Phoca's result is wrong, so its time means nothing.
    #[error("row {row} of {parameters}: Phoca's result is wrong")]
    WrongResult {
        /// The row.
        row: String,
        /// The parameters.
        parameters: String,
    },
}
