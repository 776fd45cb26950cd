//! The text of a file with a switch around every place that a mutant changes.
//!
//! Mutant 7, which makes `<` of `a + b * 2` and `c` a `<=`, turns `a + b * 2 < c` into `(if mutant_on(7) { (a + b * 2)
//! <= c } else { a + b * 2 < c })`. Only one mutant is on at a time, so the first branch is plain text, and only the
//! last branch has the switches of inner places.

use std::cmp::Reverse;
use std::ops::Range;

use super::list::{ChangeKind, SourceChange};

/// A file with switches, and which bytes belong to which mutants.
#[derive(Debug, Default)]
pub struct SwitchedSource {
    pub text: String,
    /// The bytes of each variant and of each switch, with the numbers of its mutants.
    pub regions: Vec<(Range<usize>, Vec<u32>)>,
}

/// What replaces one place of the original text.
struct Switch<'a> {
    range: Range<usize>,
    kind: SwitchKind<'a>,
}

enum SwitchKind<'a> {
    /// Mutants by number, each with its expression.
    Values(Vec<(u32, &'a str)>),
    Returns(Vec<(u32, &'a str)>),
    NoArm(u32),
}

/// Puts the mutants, by number, into `text`; `path` is the function that says whether a mutant is on.
pub fn insert_switches(text: &str, mutants: &[(u32, &SourceChange)], path: &str) -> SwitchedSource {
    let mut switches = switches(mutants);
    // An insertion before an expression precedes the switch of the expression itself; outer places precede inner ones.
    switches.sort_by_key(|switch| (switch.range.start, !switch.range.is_empty(), Reverse(switch.range.end)));
    let mut weaver = SwitchWriter { text, path, output: SwitchedSource::default() };
    weaver.range(0..text.len(), &switches);
    weaver.output
}

fn switches<'a>(mutants: &[(u32, &'a SourceChange)]) -> Vec<Switch<'a>> {
    let mut switches: Vec<Switch<'a>> = Vec::new();
    for (number, change) in mutants {
        let there = switches.iter_mut().find(|switch| switch.range == change.range);
        let kind = match (&change.kind, there.map(|switch| &mut switch.kind)) {
            (ChangeKind::Value(value), Some(SwitchKind::Values(values)))
            | (ChangeKind::Return(value), Some(SwitchKind::Returns(values))) => {
                values.push((*number, value));
                continue;
            }
            (ChangeKind::Value(value), _) => SwitchKind::Values(vec![(*number, value)]),
            (ChangeKind::Return(value), _) => SwitchKind::Returns(vec![(*number, value)]),
            (ChangeKind::NoArm, _) => SwitchKind::NoArm(*number),
        };
        switches.push(Switch { range: change.range.clone(), kind });
    }
    switches
}

struct SwitchWriter<'a> {
    text: &'a str,
    path: &'a str,
    output: SwitchedSource,
}

impl SwitchWriter<'_> {
    fn push_text(&mut self, words: &str) {
        self.output.text.push_str(words);
    }

    /// The text of `range`, with the switches in it.
    fn range(&mut self, range: Range<usize>, switches: &[Switch<'_>]) {
        let mut at = range.start;
        let mut left = switches;
        while let Some((switch, after)) = left.split_first() {
            self.push_text(&self.text[at..switch.range.start]);
            let inner = after.iter().take_while(|inner| inner.range.start < switch.range.end).count();
            let (inner, outer) = after.split_at(inner);
            self.switch(switch, inner);
            at = switch.range.end;
            left = outer;
        }
        self.push_text(&self.text[at..range.end]);
    }

    fn switch(&mut self, switch: &Switch<'_>, inner: &[Switch<'_>]) {
        let start = self.output.text.len();
        match &switch.kind {
            SwitchKind::NoArm(number) => {
                self.push_text(&format!(" if !{}({number})", self.path));
                self.region(start, vec![*number]);
            }
            SwitchKind::Returns(values) => {
                for (number, value) in values {
                    let start = self.output.text.len();
                    self.push_text(&format!("if {}({number}) {{ return {value}; }} ", self.path));
                    self.region(start, vec![*number]);
                }
            }
            SwitchKind::Values(values) => {
                self.push_text("(");
                for (number, value) in values {
                    let start = self.output.text.len();
                    self.push_text(&format!("if {}({number}) {{ {value} }} else ", self.path));
                    self.region(start, vec![*number]);
                }
                self.push_text("{ ");
                self.range(switch.range.clone(), inner);
                self.push_text(" })");
                self.region(start, values.iter().map(|(number, _)| *number).collect());
            }
        }
    }

    fn region(&mut self, start: usize, numbers: Vec<u32>) {
        self.output.regions.push((start..self.output.text.len(), numbers));
    }
}

impl SwitchedSource {
    /// The mutants of the innermost switch or variant around a byte.
    pub fn around(&self, byte: usize) -> Option<&[u32]> {
        self.regions
            .iter()
            .filter(|(range, _)| range.contains(&byte))
            .min_by_key(|(range, _)| range.len())
            .map(|(_, numbers)| &numbers[..])
    }

    /// The mutants of the switch or variant that is nearest to a byte.
    pub fn nearest(&self, byte: usize) -> Option<&[u32]> {
        self.regions
            .iter()
            .min_by_key(|(range, _)| (byte.abs_diff(range.start).min(byte.abs_diff(range.end)), range.len()))
            .map(|(_, numbers)| &numbers[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(place: Range<usize>, text: &str) -> SourceChange {
        SourceChange { range: place, kind: ChangeKind::Value(text.to_owned()) }
    }

    #[test]
    fn inner_switches_stand_in_the_last_branch() {
        let text = "fn f() { a + b < c }";
        let less = value(9..18, "(a + b) <= c");
        let plus = value(9..14, "a - b");
        let whole = SourceChange { range: 9..9, kind: ChangeKind::Return("true".to_owned()) };
        let woven = insert_switches(text, &[(1, &less), (2, &plus), (3, &whole)], "on");
        assert_eq!(
            woven.text,
            "fn f() { if on(3) { return true; } \
             (if on(1) { (a + b) <= c } else { (if on(2) { a - b } else { a + b }) < c }) }"
        );
        let at = |words: &str| woven.text.find(words).expect("it is there");
        assert_eq!(woven.around(at("a - b")), Some(&[2][..]));
        assert_eq!(woven.around(at("<= c")), Some(&[1][..]));
        assert_eq!(woven.around(at("true")), Some(&[3][..]));
        assert_eq!(woven.around(0), None);
        assert_eq!(woven.nearest(0), Some(&[3][..]));
    }

    #[test]
    fn an_arm_that_does_not_apply() {
        let text = "fn f(x: u8) -> u8 { match x { 1 => 2, _ => 3 } }";
        let one = SourceChange { range: 31..31, kind: ChangeKind::NoArm };
        let woven = insert_switches(text, &[(7, &one)], "on");
        assert_eq!(woven.text, "fn f(x: u8) -> u8 { match x { 1 if !on(7) => 2, _ => 3 } }");
    }
}
