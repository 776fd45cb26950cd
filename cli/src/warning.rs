//! Writes notes beside a result that prevent misunderstandings.

use plyfold_core::query::tree::QueryTree;
use plyfold_core::query::window::{WindowClause, WindowQuantifier};

use crate::query_argument::CommandQuery;

/// The note that windows select games, for queries whose positions are counted or listed; `None` if the query has no windows, or
/// if its positions are its evidence.
pub fn window_warning(command_query: &CommandQuery) -> Option<String> {
    if command_query.query.evidence.is_some() { None } else { window_words(&command_query.tree) }
}

/// The same for any query of this tree.
pub fn window_words(tree: &QueryTree) -> Option<String> {
    let mut said = WindowWords::default();
    said.collect(tree);
    let WindowWords { mut words, never } = said;
    let Some(last) = words.pop() else {
        return never.then(|| "`never` applies to games; for positions it means `not`".to_owned());
    };
    let (words, select) = match words.is_empty() {
        true => (last, "selects"),
        false => (format!("{} and {last}", words.join(", ")), "select"),
    };
    let never = if never { "; `never` means `not` there" } else { "" };
    Some(format!(
        "{words} {select} games, not positions: a position matches by what holds there, whatever the rest of the game\
         {never}; `--evidence` finds where they were fulfilled"
    ))
}

/// The windows of a query, each once.
#[derive(Default)]
struct WindowWords {
    words: Vec<String>,
    /// `never`, which does change which positions match.
    never: bool,
}

impl WindowWords {
    fn add(&mut self, word: &str) {
        let word = format!("`{}`", word.trim());
        if word != "``" && !self.words.contains(&word) {
            self.words.push(word);
        }
    }

    fn collect(&mut self, tree: &QueryTree) {
        match tree {
            QueryTree::Everything | QueryTree::Leaf(_) | QueryTree::Header(_) | QueryTree::Together(_) => {}
            QueryTree::And(parts) | QueryTree::Or(parts) | QueryTree::SomeOf { parts, .. } => {
                parts.iter().for_each(|part| self.collect(part));
            }
            QueryTree::Not(inner) => self.collect(inner),
            QueryTree::Condition { window, .. } => {
                let quantifier = match window.quantifier {
                    WindowQuantifier::Never => {
                        self.never = true;
                        WindowQuantifier::Ever
                    }
                    quantifier => quantifier,
                };
                let window = WindowClause { quantifier, ..*window };
                self.add(&window.prefix());
                self.add(&window.suffix());
            }
            QueryTree::Then { first, within, second } => {
                self.collect(first);
                match within {
                    None => self.add("then"),
                    Some(plies) => self.add(&format!("then within {plies}")),
                }
                self.collect(second);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use plyfold_core::query::parse::parse;

    use super::*;

    #[test]
    fn words_about_plies_are_named() {
        let said = |text: &str| window_words(&parse(text).expect(text));
        assert_eq!(said("{ check and queens_off } or not move < 20"), None);
        let one = said("check for 8").expect("a notice");
        assert!(one.starts_with("`for 8` selects games, not positions: "), "{one}");
        let many = said("check before move 20 then within 6 (became queens_off or became rook)").expect("a notice");
        assert_eq!(said("never check").as_deref(), Some("`never` applies to games; for positions it means `not`"));
        let both = said("never check in endgame").expect("a notice");
        assert!(both.starts_with("`in endgame` selects") && both.contains("; `never` means `not` there; "), "{both}");
        assert!(
            many.starts_with("`until move 19`, `then within 6` and `became` select games, not positions: "),
            "{many}"
        );
    }
}
