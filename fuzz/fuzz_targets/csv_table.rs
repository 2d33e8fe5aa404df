#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    phoca_cli::fuzzing::csv_table(data);
});
