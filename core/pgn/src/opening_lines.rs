//! Reads the moves of openings, so that an import can name the positions that they lead to.

use plyfold_corpus::OpeningTable;
use plyfold_corpus::record::Eco;

use super::PgnEntry;
use super::game::PgnReader;

/// The table of openings in a text of lines of code, tab, name, tab and moves: `B20<tab>Sicilian Defense<tab>e4 c5`. Lines of another
/// form, and those with a move that cannot be played, are left out. Cost: a few microseconds a line.
///
/// ```
/// let table = plyfold_pgn::read_opening_lines("B20\tSicilian Defense\te4 c5\nB00\tNone\te4 Ke3");
/// assert_eq!(table.len(), 1);
/// ```
#[must_use]
pub fn read_opening_lines(text: &str) -> OpeningTable {
    let mut table = OpeningTable::default();
    let mut reader = PgnReader::new();
    for line in text.lines() {
        let mut parts = line.split('\t');
        let (Some(code), Some(name), Some(written)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let code = Eco::from_pgn(code);
        if code.is_unknown() || name.trim().is_empty() {
            continue;
        }
        reader.read_games(written.as_bytes(), 0, &mut |entry| {
            if let PgnEntry::Game { moves, fault: None, .. } = entry {
                table.insert(moves, code, name.trim());
            }
        });
    }
    table
}
