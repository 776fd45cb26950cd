//! Images of quoted positions and patterns, computed square by square with arithmetic on files and ranks: the slow twin of
//! `under`.

use plyfold_core::transform::composite::TransformFamily;
use plyfold_core::transform::{Transform, position_text};

/// The image of a file and a rank, on a board without edges.
pub fn square(transform: Transform, (file, rank): (i32, i32)) -> (i32, i32) {
    match transform.to_string().as_str() {
        "identity" | "polish" => (file, rank),
        "flipH" => (7 - file, rank),
        "flipV" | "flipcolor" => (file, 7 - rank),
        "flipD" => (rank, file),
        "flipAD" => (7 - rank, 7 - file),
        "rot90" => (7 - rank, file),
        "rot180" => (7 - file, 7 - rank),
        "rot270" => (rank, 7 - file),
        shift => {
            let by = shift.strip_prefix("shift:").and_then(|by| by.split_once(',')).expect("files and ranks");
            let [files, ranks] = [by.0, by.1].map(|number| number.parse::<i32>().expect("a number"));
            (file + files, rank + ranks)
        }
    }
}

/// Whether the pieces change colours, and whether the side to move changes.
fn colours(transform: Transform) -> (bool, bool) {
    (matches!(transform, Transform::SwapColours | Transform::FlipColor), transform == Transform::FlipColor)
}

/// The image of the quoted text after `word`; `None` if something leaves the board or cannot be there.
pub fn turned(word: &str, text: &str, transform: Transform) -> Option<String> {
    if word == "fen" {
        let fields = text.split_whitespace().count();
        let position = transform.apply_strictly(&position_text::read_fen(text).expect(text)).ok()?;
        let written = position_text::to_fen(&position);
        let text = written.split(' ').take(fields).collect::<Vec<_>>().join(" ");
        let ranks: Vec<&str> = text.split(' ').next()?.split('/').collect();
        let has_pawn = |rank: usize| ranks[rank].contains(['P', 'p']);
        return (!has_pawn(0) && !has_pawn(7)).then_some(text);
    }
    // A pattern allows anything on squares that it leaves out. A structure has no pawn there.
    let open = if word == "board" { "?" } else { "." };
    let mut squares = vec![vec![open.to_owned(); 8]; 8];
    for (nth, rank) in text.split('/').enumerate() {
        let mut file = 0;
        let mut signs = rank.chars();
        while let Some(sign) = signs.next() {
            let letters = match sign {
                '1'..='8' => {
                    for _ in 0..sign.to_digit(10).expect("a digit") {
                        put(&mut squares, word, transform, (file, 7 - nth as i32), ".")?;
                        file += 1;
                    }
                    continue;
                }
                '[' => signs.by_ref().take_while(|sign| *sign != ']').collect::<String>(),
                _ => sign.to_string(),
            };
            put(&mut squares, word, transform, (file, 7 - nth as i32), &letters)?;
            file += 1;
        }
    }
    let bracketed = |letters: &String| match letters.len() {
        1 if letters == "." && word == "structure" => "1".to_owned(),
        1 => letters.clone(),
        _ => format!("[{letters}]"),
    };
    let rank = |rank: &Vec<String>| rank.iter().map(bracketed).collect::<String>();
    Some(squares.iter().rev().map(rank).collect::<Vec<_>>().join("/"))
}

/// Puts the allowed pieces of a square on its image.
fn put(squares: &mut [Vec<String>], word: &str, transform: Transform, from: (i32, i32), letters: &str) -> Option<()> {
    let says_nothing = letters == "?" || letters == "." && word == "structure";
    let (file, rank) = square(transform, from);
    let is_on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    if says_nothing {
        return Some(());
    }
    if !is_on_board {
        return None;
    }
    let swap = |sign: char| if sign.is_uppercase() { sign.to_ascii_lowercase() } else { sign.to_ascii_uppercase() };
    let colours = |sign: char| if colours(transform).0 { swap(sign) } else { sign };
    let pieces = letters.chars().map(colours).filter(|sign| !matches!((sign, rank), ('P' | 'p', 0 | 7)));
    let pieces: String = pieces.collect();
    squares[rank as usize][file as usize] = pieces.clone();
    (!pieces.is_empty()).then_some(())
}

/// All images of `word "text"`: combinations of one transform of each family in order, without repeating an effect on squares
/// and colours.
pub fn images(word: &str, text: &str, families: &[TransformFamily]) -> Vec<(Vec<Transform>, String)> {
    let mut rows: Vec<Vec<Transform>> = vec![Vec::new()];
    for family in families {
        let singles: Vec<Transform> = family
            .members()
            .into_iter()
            .map(|image| image.transforms().first().copied().unwrap_or(Transform::named("identity").expect("a name")))
            .collect();
        rows = rows.iter().flat_map(|row| singles.iter().map(|one| [&row[..], &[*one]].concat())).collect();
    }
    let mut effects = Vec::new();
    let mut found = Vec::new();
    for row in rows {
        let at = |from| row.iter().fold(from, |at, transform| square(*transform, at));
        let changed = row.iter().fold((false, false), |(pieces, turn), transform| {
            let (too, other) = colours(*transform);
            (pieces ^ too, turn ^ other)
        });
        let effect = ([at((0, 0)), at((1, 0)), at((0, 1))], changed);
        if effects.contains(&effect) {
            continue;
        }
        effects.push(effect);
        let last = row.iter().try_fold(text.to_owned(), |text, transform| turned(word, &text, *transform));
        found.extend(last.map(|text| (row, text)));
    }
    found
}
