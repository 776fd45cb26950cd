//! Sound bytes damaged in every way: each is found, and nothing panics.

use plyfold_core::pmote::error::PmoteError;
use plyfold_core::pmote::kind::PmoteKind;

/// Makes sure that `read` reads `sound`, and neither any beginning of it, nor more, nor the same with a byte changed.
pub fn is_found(sound: &[u8], read: impl Fn(&[u8]) -> Result<(), PmoteError>) {
    assert_eq!(read(sound), Ok(()));
    for length in 0..sound.len() {
        let error = read(&sound[..length]).expect_err("it is truncated");
        match length {
            0 => assert!(matches!(error, PmoteError::Foreign { .. }), "{error}"),
            _ => assert!(matches!(error, PmoteError::Truncated { .. }), "{length}: {error}"),
        }
    }
    let longer = [sound, &[0]].concat();
    let found = longer.len() as u64;
    assert_eq!(read(&longer), Err(PmoteError::TooLong { expected: found - 1, found }));
    let mut damaged = Vec::from(sound);
    for at in 0..sound.len() {
        for flip in [1, 0x80, 0xff] {
            damaged[at] ^= flip;
            let error = read(&damaged).expect_err("it is damaged");
            assert!(at >= 8 || matches!(error, PmoteError::Foreign { .. }), "{at}: {error}");
            assert!(!(8..12).contains(&at) || matches!(error, PmoteError::Version { .. }), "{at}: {error}");
            damaged[at] ^= flip;
        }
    }
    for kind in [PmoteKind::Games, PmoteKind::Positions, PmoteKind::Heatmap, PmoteKind::Groups] {
        damaged[..8].copy_from_slice(&kind.magic());
        let is_own = sound.starts_with(&kind.magic());
        assert_eq!(matches!(read(&damaged), Err(PmoteError::OtherKind { found, .. }) if found == kind), !is_own);
    }
}
