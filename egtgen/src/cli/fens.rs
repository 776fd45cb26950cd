//! Reads positions from the command line.

/// Joins FENs that were typed without quotes. Only the first field of a FEN has slashes.
pub fn join_fens(arguments: &[String]) -> Vec<String> {
    let mut fens: Vec<String> = Vec::new();
    for argument in arguments {
        match fens.last_mut() {
            Some(fen) if fen.contains('/') && !argument.contains('/') => *fen = format!("{fen} {argument}"),
            _ => fens.push(argument.clone()),
        }
    }
    fens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fens_without_quotes_are_put_together() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<String>>();
        let pieces = ["8/8/8/8/8/2k5/1R6/K7", "w", "-", "-", "0", "1", "8/8/8/8/8/2k5/1R6/K7 b - -", "-"];
        let whole = ["8/8/8/8/8/2k5/1R6/K7 w - - 0 1", "8/8/8/8/8/2k5/1R6/K7 b - - -"];
        assert_eq!(join_fens(&texts(&pieces)), texts(&whole));
        assert_eq!(join_fens(&texts(&["-"])), texts(&["-"]));
    }
}
