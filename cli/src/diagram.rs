//! Draws boards with characters.

use std::io::{self, Write};

use plyfold_core::board::Board;
use plyfold_core::reduce::structures::StructureCount;
use plyfold_terminal::table::grouped;

/// The letters of pieces by code: the role, plus 8 for Black.
const LETTERS: [char; 16] = ['.', 'P', 'N', 'B', 'R', 'Q', 'K', '.', '.', 'p', 'n', 'b', 'r', 'q', 'k', '.'];
const FIGURES: [char; 16] = ['·', '♙', '♘', '♗', '♖', '♕', '♔', '·', '·', '♟', '♞', '♝', '♜', '♛', '♚', '·'];

/// A board in nine lines, with files and ranks beside it; `flip` puts Black below.
pub fn draw_board(board: &Board, ascii: bool, flip: bool) -> String {
    let symbols = if ascii { &LETTERS } else { &FIGURES };
    let across = |index: usize| if flip { 7 - index } else { index };
    let mut text = String::new();
    for line in 0..8 {
        let rank = 7 - across(line);
        text += &format!("  {} ", rank + 1);
        for column in 0..8 {
            text.push(' ');
            text.push(symbols[board.mailbox[rank * 8 + across(column)].index()]);
        }
        text.push('\n');
    }
    text.push_str("    ");
    for column in 0..8 {
        text.push(' ');
        text.push(char::from(b'a' + across(column) as u8));
    }
    text.push('\n');
    text
}

/// The ranks of a board as letters, rank 8 first, for programs.
pub fn ranks(board: &Board) -> Vec<String> {
    let rank = |rank: usize| (0..8).map(|file| LETTERS[board.mailbox[rank * 8 + file].index()]).collect();
    (0..8).rev().map(rank).collect()
}

/// The width of a share in characters.
const SHARE: usize = 5;

/// Draws where the pieces stand, as shares of `positions`: twelve boards, White's beside Black's.
///
/// # Errors
///
/// As `out` says.
pub fn heatmap(out: &mut dyn Write, counts: &[[[u64; 64]; 6]; 2], positions: u64) -> io::Result<()> {
    let share = |count: u64| match count {
        0 => format!("{:>SHARE$}", "."),
        // A count above 0 is never printed as 0.
        _ => format!("{:>SHARE$.1}", (count as f64 * 100.0 / positions as f64).max(0.1)),
    };
    let files: String = ('a'..='h').map(|file| format!("{file:>SHARE$}")).collect();
    for (role, name) in ["pawns", "knights", "bishops", "rooks", "queens", "kings"].into_iter().enumerate() {
        let width = 3 + 8 * SHARE;
        writeln!(out, "{:<width$}     Black {name}", format!("White {name}"))?;
        for rank in (0..8).rev() {
            for (colour, gap) in [(0, ""), (1, "     ")] {
                let row: String = (0..8).map(|file| share(counts[colour][role][rank * 8 + file])).collect();
                write!(out, "{gap} {} {row}", rank + 1)?;
            }
            writeln!(out)?;
        }
        writeln!(out, "   {files}        {files}\n")?;
    }
    Ok(())
}

/// Draws pawn structures as small boards, four side by side, each under its rank and count.
///
/// # Errors
///
/// As `out` says.
pub fn structures(out: &mut dyn Write, structures: &[StructureCount]) -> io::Result<()> {
    const WIDTH: usize = 18;
    for (row, four) in structures.chunks(4).enumerate() {
        let mut lines = vec![String::new(); 7];
        for (index, structure) in four.iter().enumerate() {
            let heading = format!("{}. {}", row * 4 + index + 1, grouped(structure.count));
            lines[0] += &format!("{heading:<WIDTH$}");
            for (line, rank) in lines[1..].iter_mut().zip((1..7).rev()) {
                let squares = (0..8).map(|file| 1u64 << (rank * 8 + file));
                let symbols =
                    squares.map(|square| match (structure.white & square != 0, structure.black & square != 0) {
                        (true, _) => " P",
                        (_, true) => " p",
                        _ => " .",
                    });
                let symbols: String = symbols.collect();
                *line += &format!("{symbols:<WIDTH$}");
            }
        }
        for line in lines {
            writeln!(out, "  {}", line.trim_end())?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The names of squares, a1 first.
pub fn squares(bits: u64) -> Vec<String> {
    shakmaty::Bitboard(bits).into_iter().map(|square| square.to_string()).collect()
}
