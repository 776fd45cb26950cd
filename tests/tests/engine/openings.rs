//! The names of openings and their moves.

use plyfold_openings::{MOVES, NAMES};

#[test]
fn every_line_of_moves_has_a_name() {
    let lines: Vec<&str> = MOVES.lines().collect();
    assert!(lines.len() > 3000);
    for line in &lines {
        let (name, moves) = line.rsplit_once('\t').expect("a tab");
        assert!(NAMES.lines().any(|known| known == name), "{line}");
        assert!(moves.split(' ').all(|san| san.starts_with(|c: char| c.is_ascii_alphabetic())), "{line}");
    }
    assert!(lines.contains(&"B00\tBarnes Defense\te4 f6"));
}

#[test]
fn every_line_is_a_code_and_a_name() {
    let lines: Vec<&str> = NAMES.lines().collect();
    assert!(lines.len() > 3000 && lines.is_sorted());
    for line in &lines {
        let (code, name) = line.split_once('\t').expect("a tab");
        assert!(code.len() == 3 && code.is_ascii() && !name.is_empty() && !name.contains('\t'), "{line}");
    }
    assert!(lines.contains(&"B90\tSicilian Defense: Najdorf Variation"));
}
