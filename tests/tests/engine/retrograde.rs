//! The slow twin of the table generator agrees with published numbers.

use plyfold_tests::retrograde::Retrograde;

#[test]
fn bishop_and_knight_mate_in_33() {
    let levels = Retrograde::default().solve();
    assert_eq!(levels.won.iter().rposition(|&won| won > 0), Some(33));
    assert_eq!(levels.won.iter().sum::<u64>(), 10_822_184);
    assert_eq!(levels.lost.iter().sum::<u64>(), 11_188_168);
}
