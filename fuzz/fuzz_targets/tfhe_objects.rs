#![no_main]

#[path = "../tfhe_objects.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    bodies::tfhe_objects(data);
});
