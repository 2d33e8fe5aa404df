//! Choosing the kernels of a whole process, which is why this test is a program of its own.

use phoca_ring::arch::Arch;
use phoca_ring::{Modulus, RingError};

#[test]
fn the_first_choice_stands() {
    Arch::Portable.select().unwrap();
    assert_eq!(Arch::selected(), Arch::Portable);
    assert_eq!(Modulus::new(65537).unwrap().arch(), Arch::Portable);
    Arch::Portable.select().unwrap();
    for arch in Arch::all().iter().copied().filter(|&arch| arch != Arch::Portable) {
        let error = arch.select().unwrap_err();
        match arch.is_available() {
            true => assert!(matches!(error, RingError::ArchInUse { selected: "portable", .. }), "{error}"),
            false => assert!(matches!(error, RingError::UnavailableArch { .. }), "{error}"),
        }
    }
}
