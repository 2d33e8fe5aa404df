#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    phoca_cli::fuzzing::json_array(data);
});
