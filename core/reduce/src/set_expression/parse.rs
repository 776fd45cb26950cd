//! Compiles the text of an expression to steps on a stack.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{BinaryOperator, Instruction, SetError, SetExpression, SetReference};

/// The most levels of parentheses and `not`.
const MAX_DEPTH: usize = 100;
/// Longest text, in bytes.
const MAX_BYTES: usize = 1 << 16;

#[derive(Clone, PartialEq, Eq)]
enum SetTokenKind {
    Name(String),
    Open,
    Close,
    Not,
    Join(BinaryOperator),
    End,
}

#[derive(Clone)]
struct SetToken {
    kind: SetTokenKind,
    from: usize,
    to: usize,
}

pub fn parse(text: &str) -> Result<SetExpression, SetError> {
    if text.len() > MAX_BYTES {
        let message = format!("an expression has at most {MAX_BYTES} bytes");
        return Err(SetError::at(message, text.len(), text.len()));
    }
    let tokens = tokenize(text)?;
    let mut parser = SetParser { tokens: &tokens, at: 0, names: Vec::new(), steps: Vec::new(), depth: 0 };
    parser.binary(0)?;
    let next = parser.peek();
    match next.kind {
        SetTokenKind::End => {}
        SetTokenKind::Close => {
            return Err(SetError::at("this parenthesis has no opening parenthesis".into(), next.from, next.to));
        }
        _ => {
            let hint = if text[..next.from].trim_end().ends_with('-') { " (a space goes before `-`)" } else { "" };
            let message = format!("`&`, `|`, `^` or `-` is missing before this{hint}");
            return Err(SetError::at(message, next.from, next.to));
        }
    }
    let SetParser { names, steps, .. } = parser;
    let (mut height, mut depth) = (0, 0);
    for step in &steps {
        match step {
            Instruction::Push(_) | Instruction::BinaryOf(..) => height += 1,
            Instruction::Binary(_) => height -= 1,
            Instruction::Not | Instruction::BinaryWith(..) => {}
        }
        depth = height.max(depth);
    }
    Ok(SetExpression { names, instructions: steps, depth })
}

fn tokenize(text: &str) -> Result<Vec<SetToken>, SetError> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || "_./@-".contains(c);
    let (mut tokens_read, mut at) = (Vec::new(), 0);
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = match next {
            _ if next.is_whitespace() => {
                at += next.len_utf8();
                continue;
            }
            '(' => (SetTokenKind::Open, 1),
            ')' => (SetTokenKind::Close, 1),
            '~' => (SetTokenKind::Not, 1),
            '&' => (SetTokenKind::Join(BinaryOperator::And), 1),
            '-' => (SetTokenKind::Join(BinaryOperator::Sub), 1),
            '^' => (SetTokenKind::Join(BinaryOperator::Xor), 1),
            '|' => (SetTokenKind::Join(BinaryOperator::Or), 1),
            '"' => {
                let never = || SetError::at("this quote is never closed: `\"` is missing".into(), at, at + 1);
                let (name, _) = rest[1..].split_once('"').ok_or_else(never)?;
                if name.is_empty() {
                    return Err(SetError::at("there is no name between these quotes".into(), at, at + 2));
                }
                (SetTokenKind::Name(name.to_owned()), name.len() + 2)
            }
            _ if in_name(next) => {
                let length = rest.find(|c| !in_name(c)).unwrap_or(rest.len());
                let kind = match &*rest[..length].to_ascii_lowercase() {
                    "not" => SetTokenKind::Not,
                    "and" => SetTokenKind::Join(BinaryOperator::And),
                    "sub" => SetTokenKind::Join(BinaryOperator::Sub),
                    "xor" => SetTokenKind::Join(BinaryOperator::Xor),
                    "or" => SetTokenKind::Join(BinaryOperator::Or),
                    _ => SetTokenKind::Name(rest[..length].to_owned()),
                };
                (kind, length)
            }
            _ => {
                let message =
                    format!("`{}` has no meaning here: put a name with it in double quotes", next.escape_debug());
                return Err(SetError::at(message, at, at + next.len_utf8()));
            }
        };
        tokens_read.push(SetToken { kind, from: at, to: at + length });
        at += length;
    }
    tokens_read.push(SetToken { kind: SetTokenKind::End, from: at, to: at });
    Ok(tokens_read)
}

impl BinaryOperator {
    /// The precedence of the operator; a higher one binds more tightly.
    fn precedence(self) -> u8 {
        match self {
            BinaryOperator::And | BinaryOperator::Sub => 3,
            BinaryOperator::Xor => 2,
            BinaryOperator::Or => 1,
        }
    }
}

struct SetParser<'t> {
    /// The tokens; the last one marks the end.
    tokens: &'t [SetToken],
    at: usize,
    names: Vec<SetReference>,
    steps: Vec<Instruction>,
    depth: usize,
}

impl<'t> SetParser<'t> {
    fn peek(&self) -> &'t SetToken {
        &self.tokens[self.at]
    }

    /// Parses operands joined by operators that bind more tightly than `min_precedence`.
    fn binary(&mut self, min_precedence: u8) -> Result<(), SetError> {
        self.operand()?;
        while let SetTokenKind::Join(join) = self.peek().kind
            && join.precedence() > min_precedence
        {
            self.at += 1;
            let begin = self.steps.len();
            self.binary(join.precedence())?;
            match self.steps[begin..] {
                // A set that is not complemented is combined directly, without a copy on the stack.
                [Instruction::Push(set)] => match self.steps[begin - 1] {
                    Instruction::Push(first) => {
                        self.steps.pop();
                        self.steps[begin - 1] = Instruction::BinaryOf(join, first, set);
                    }
                    _ => self.steps[begin] = Instruction::BinaryWith(join, set),
                },
                _ => self.steps.push(Instruction::Binary(join)),
            }
        }
        Ok(())
    }

    /// Parses a name, a complement or a parenthesis.
    fn operand(&mut self) -> Result<(), SetError> {
        let SetToken { kind, from, to } = self.peek();
        let fail = |message: &str| Err(SetError::at(message.into(), *from, *to));
        if matches!(kind, SetTokenKind::Open | SetTokenKind::Not) {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return fail(&format!("at most {MAX_DEPTH} levels of parentheses and `not` are allowed"));
            }
        }
        match kind {
            SetTokenKind::Name(text) => {
                let known = self.names.iter().position(|name| name.text == *text);
                let set = known.unwrap_or_else(|| {
                    self.names.push(SetReference { text: text.clone(), from: *from, to: *to });
                    self.names.len() - 1
                });
                self.steps.push(Instruction::Push(set));
                self.at += 1;
            }
            SetTokenKind::Not => {
                self.at += 1;
                self.operand()?;
                self.steps.push(Instruction::Not);
                self.depth -= 1;
            }
            SetTokenKind::Open => {
                self.at += 1;
                self.binary(0)?;
                if self.peek().kind != SetTokenKind::Close {
                    return fail("this parenthesis is never closed");
                }
                self.at += 1;
                self.depth -= 1;
            }
            SetTokenKind::End if self.at == 0 => return fail("write an expression, such as `(@a & @b) - @c`"),
            SetTokenKind::End => return fail("a set is missing at the end"),
            SetTokenKind::Close | SetTokenKind::Join(_) => return fail("a set is missing before this"),
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
            ("", "^", "write an expression"),
            ("  ", "  ^", "write an expression"),
            ("@a &", "    ^", "a set is missing at the end"),
            ("@a & | @b", "     ^", "a set is missing before this"),
            ("@a @b", "   ^^", "is missing before this"),
            ("@a- @b", "    ^^", "a space goes before `-`"),
            ("(@a | @b", "^", "never closed"),
            ("@a)", "  ^", "no opening parenthesis"),
            ("@a & \"b", "     ^", "never closed"),
            ("@a & \"\"", "     ^^", "there is no name"),
            ("ä", "^", "has no meaning here"),
            ("\u{1b}", "^", "`\\u{1b}` has no meaning here"),
            ("a + b", "  ^", "has no meaning here"),
            ("()", " ^", "a set is missing"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.message.contains(says), "{text}: {error}");
            assert_eq!(error.with_carets(text).lines().last(), Some(carets), "{text}");
        }
    }

    #[test]
    fn what_is_too_deep_or_too_long_is_refused() {
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse(&nested(MAX_DEPTH)).is_ok());
        assert!(parse(&nested(MAX_DEPTH + 1)).is_err());
        assert!(parse(&format!("{}a", "~".repeat(MAX_DEPTH))).is_ok());
        assert!(parse(&format!("{}a", "~".repeat(MAX_DEPTH + 1))).is_err());
        assert!(parse(&format!("{}a", "a &".repeat(MAX_BYTES / 3 - 1))).is_ok());
        assert!(parse(&" ".repeat(MAX_BYTES + 1)).is_err());
        // The limit is on nesting; any number of parentheses may follow each other.
        assert!(parse(&format!("{}a", "(~a) | ".repeat(1000))).is_ok());
    }

    #[test]
    fn a_set_is_combined_where_it_lies() {
        let steps = |text| parse(text).map(|expression| (expression.instructions, expression.depth));
        assert_eq!(steps("a & b"), Ok(([Instruction::BinaryOf(BinaryOperator::And, 0, 1)].into(), 1)));
        assert_eq!(steps("a - (b)"), Ok(([Instruction::BinaryOf(BinaryOperator::Sub, 0, 1)].into(), 1)));
        let three = [Instruction::BinaryOf(BinaryOperator::And, 0, 1), Instruction::BinaryWith(BinaryOperator::Sub, 2)];
        assert_eq!(steps("a & b - c"), Ok((three.into(), 1)));
        let turned =
            [Instruction::Push(0), Instruction::Push(1), Instruction::Not, Instruction::Binary(BinaryOperator::Or)];
        assert_eq!(steps("a | ~b"), Ok((turned.into(), 2)));
    }
}
