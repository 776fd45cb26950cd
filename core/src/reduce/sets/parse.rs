//! The text of an expression to steps on a stack.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Expression, Join, Name, SetError, Step};

/// Parentheses and `not` in each other at most.
const DEEPEST: usize = 100;
/// Longest text, in bytes.
const LONGEST: usize = 1 << 16;

#[derive(Clone, PartialEq, Eq)]
enum Kind {
    Name(String),
    Open,
    Close,
    Not,
    Join(Join),
    End,
}

#[derive(Clone)]
struct Token {
    kind: Kind,
    from: usize,
    to: usize,
}

pub fn parse(text: &str) -> Result<Expression, SetError> {
    if text.len() > LONGEST {
        let message = format!("an expression has at most {LONGEST} bytes");
        return Err(SetError::at(message, text.len(), text.len()));
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, names: Vec::new(), steps: Vec::new(), deep: 0 };
    parser.joined(0)?;
    let next = parser.next();
    match next.kind {
        Kind::End => {}
        Kind::Close => return Err(SetError::at("this parenthesis closes none".into(), next.from, next.to)),
        _ => {
            let hint = if text[..next.from].trim_end().ends_with('-') { " (a space goes before `-`)" } else { "" };
            let message = format!("`&`, `|`, `^` or `-` is missing before this{hint}");
            return Err(SetError::at(message, next.from, next.to));
        }
    }
    let Parser { names, steps, .. } = parser;
    let (mut height, mut depth) = (0, 0);
    for step in &steps {
        match step {
            Step::Push(_) | Step::Pair(..) => height += 1,
            Step::Join(_) => height -= 1,
            Step::Not | Step::With(..) => {}
        }
        depth = height.max(depth);
    }
    Ok(Expression { names, steps, depth })
}

fn tokens(text: &str) -> Result<Vec<Token>, SetError> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_./@-".contains(c);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = match next {
            _ if next.is_whitespace() => {
                at += next.len_utf8();
                continue;
            }
            '(' => (Kind::Open, 1),
            ')' => (Kind::Close, 1),
            '~' => (Kind::Not, 1),
            '&' => (Kind::Join(Join::And), 1),
            '-' => (Kind::Join(Join::Sub), 1),
            '^' => (Kind::Join(Join::Xor), 1),
            '|' => (Kind::Join(Join::Or), 1),
            '"' => {
                let never = || SetError::at("this quote is never closed: `\"` is missing".into(), at, at + 1);
                let (name, _) = rest[1..].split_once('"').ok_or_else(never)?;
                if name.is_empty() {
                    return Err(SetError::at("a name is missing between these quotes".into(), at, at + 2));
                }
                (Kind::Name(name.to_owned()), name.len() + 2)
            }
            _ if in_name(next) => {
                let length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
                let kind = match &*rest[..length].to_ascii_lowercase() {
                    "not" => Kind::Not,
                    "and" => Kind::Join(Join::And),
                    "sub" => Kind::Join(Join::Sub),
                    "xor" => Kind::Join(Join::Xor),
                    "or" => Kind::Join(Join::Or),
                    _ => Kind::Name(rest[..length].to_owned()),
                };
                (kind, length)
            }
            _ => {
                let message =
                    format!("`{}` means nothing here: a name with it stands in double quotes", next.escape_debug());
                return Err(SetError::at(message, at, at + next.len_utf8()));
            }
        };
        found.push(Token { kind, from: at, to: at + length });
        at += length;
    }
    found.push(Token { kind: Kind::End, from: at, to: at });
    Ok(found)
}

impl Join {
    /// How tightly it binds.
    fn binds(self) -> u8 {
        match self {
            Join::And | Join::Sub => 3,
            Join::Xor => 2,
            Join::Or => 1,
        }
    }
}

struct Parser<'t> {
    /// The last is the end.
    tokens: &'t [Token],
    at: usize,
    names: Vec<Name>,
    steps: Vec<Step>,
    deep: usize,
}

impl<'t> Parser<'t> {
    fn next(&self) -> &'t Token {
        &self.tokens[self.at]
    }

    /// Sets joined by signs that bind more tightly than `least`.
    fn joined(&mut self, least: u8) -> Result<(), SetError> {
        self.one()?;
        while let Kind::Join(join) = self.next().kind
            && join.binds() > least
        {
            self.at += 1;
            let begin = self.steps.len();
            self.joined(join.binds())?;
            match self.steps[begin..] {
                // A set that is not turned round is combined where it lies.
                [Step::Push(set)] => match self.steps[begin - 1] {
                    Step::Push(first) => {
                        self.steps.pop();
                        self.steps[begin - 1] = Step::Pair(join, first, set);
                    }
                    _ => self.steps[begin] = Step::With(join, set),
                },
                _ => self.steps.push(Step::Join(join)),
            }
        }
        Ok(())
    }

    /// A name, the contrary of one, or a parenthesis.
    fn one(&mut self) -> Result<(), SetError> {
        let Token { kind, from, to } = self.next();
        let wrong = |message: &str| Err(SetError::at(message.into(), *from, *to));
        if matches!(kind, Kind::Open | Kind::Not) {
            self.deep += 1;
            if self.deep > DEEPEST {
                return wrong(&format!("at most {DEEPEST} parentheses and `not` stand in each other"));
            }
        }
        match kind {
            Kind::Name(text) => {
                let known = self.names.iter().position(|name| name.text == *text);
                let set = known.unwrap_or_else(|| {
                    self.names.push(Name { text: text.clone(), from: *from, to: *to });
                    self.names.len() - 1
                });
                self.steps.push(Step::Push(set));
                self.at += 1;
            }
            Kind::Not => {
                self.at += 1;
                self.one()?;
                self.steps.push(Step::Not);
                self.deep -= 1;
            }
            Kind::Open => {
                self.at += 1;
                self.joined(0)?;
                if self.next().kind != Kind::Close {
                    return wrong("this parenthesis is never closed");
                }
                self.at += 1;
                self.deep -= 1;
            }
            Kind::End if self.at == 0 => return wrong("an expression is missing, such as `(@a & @b) - @c`"),
            Kind::End => return wrong("a set is missing at the end"),
            Kind::Close | Kind::Join(_) => return wrong("a set is missing before this"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_pointed_at() {
        for (text, carets, says) in [
            ("", "^", "an expression is missing"),
            ("  ", "  ^", "an expression is missing"),
            ("@a &", "    ^", "a set is missing at the end"),
            ("@a & | @b", "     ^", "a set is missing before this"),
            ("@a @b", "   ^^", "is missing before this"),
            ("@a- @b", "    ^^", "a space goes before `-`"),
            ("(@a | @b", "^", "never closed"),
            ("@a)", "  ^", "closes none"),
            ("@a & \"b", "     ^", "never closed"),
            ("@a & \"\"", "     ^^", "a name is missing"),
            ("ä", "^", "means nothing here"),
            ("\u{1b}", "^", "`\\u{1b}` means nothing here"),
            ("a + b", "  ^", "means nothing here"),
            ("()", " ^", "a set is missing"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.message.contains(says), "{text}: {error}");
            assert_eq!(error.pointed(text).lines().last(), Some(carets), "{text}");
        }
    }

    #[test]
    fn what_is_too_deep_or_too_long_is_refused() {
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse(&nested(DEEPEST)).is_ok());
        assert!(parse(&nested(DEEPEST + 1)).is_err());
        assert!(parse(&format!("{}a", "~".repeat(DEEPEST))).is_ok());
        assert!(parse(&format!("{}a", "~".repeat(DEEPEST + 1))).is_err());
        assert!(parse(&format!("{}a", "a &".repeat(LONGEST / 3 - 1))).is_ok());
        assert!(parse(&" ".repeat(LONGEST + 1)).is_err());
        // Beside each other there may be as many as one likes.
        assert!(parse(&format!("{}a", "(~a) | ".repeat(1000))).is_ok());
    }

    #[test]
    fn a_set_is_combined_where_it_lies() {
        let steps = |text| parse(text).map(|expression| (expression.steps, expression.depth));
        assert_eq!(steps("a & b"), Ok(([Step::Pair(Join::And, 0, 1)].into(), 1)));
        assert_eq!(steps("a - (b)"), Ok(([Step::Pair(Join::Sub, 0, 1)].into(), 1)));
        let three = [Step::Pair(Join::And, 0, 1), Step::With(Join::Sub, 2)];
        assert_eq!(steps("a & b - c"), Ok((three.into(), 1)));
        let turned = [Step::Push(0), Step::Push(1), Step::Not, Step::Join(Join::Or)];
        assert_eq!(steps("a | ~b"), Ok((turned.into(), 2)));
    }
}
