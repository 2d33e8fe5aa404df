//! The program `phoca`.
fn main() {}
