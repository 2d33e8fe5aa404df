//! Transcripts of sessions with stable output, in `tests/cmd`. `TRYCMD=overwrite` writes them anew.

#[test]
fn sessions_run_as_they_are_written_down() {
    trycmd::TestCases::new().env("NO_COLOR", "1").case("tests/cmd/*.trycmd");
}
