//! Names of chess openings as one text: a line each of opening code, tab, and name, sorted, each pair once.
//!
//! The names are those of lichess-org/chess-openings, which are in the public domain (CC0), as the crate esca contains
//! them. The command line compiles them in; the page loads them as a file, which the program of this package writes.

/// All names, such as `B90<tab>Sicilian Defense: Najdorf Variation`.
pub const NAMES: &str = include_str!(concat!(env!("OUT_DIR"), "/openings.tsv"));

#[cfg(test)]
mod tests {
    use super::NAMES;

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
}
