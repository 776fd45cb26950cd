//! Writes the text of a tree, which means the same as the query that was read.

use core::fmt;

use super::tree::QueryTree;

impl QueryTree {
    /// A list of parts, in brackets where they would be read differently without.
    fn fmt_list(f: &mut fmt::Formatter<'_>, parts: &[QueryTree], between: &str) -> fmt::Result {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(between)?;
            }
            part.fmt_nested(f)?;
        }
        Ok(())
    }

    /// Writes the tree as a part of another.
    fn fmt_nested(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryTree::And(_) | QueryTree::Or(_) | QueryTree::Then { .. } => write!(f, "({self})"),
            _ => write!(f, "{self}"),
        }
    }
}

impl fmt::Display for QueryTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryTree::Everything => Ok(()),
            QueryTree::And(parts) => QueryTree::fmt_list(f, parts, " and "),
            QueryTree::Or(parts) => QueryTree::fmt_list(f, parts, " or "),
            QueryTree::SomeOf { number, parts } => {
                write!(f, "{number} of (")?;
                QueryTree::fmt_list(f, parts, ", ")?;
                f.write_str(")")
            }
            QueryTree::Not(inner) => {
                f.write_str("not ")?;
                inner.fmt_nested(f)
            }
            QueryTree::Together(inner) => write!(f, "{{ {inner} }}"),
            QueryTree::Leaf(leaf) => write!(f, "{leaf}"),
            QueryTree::Header(header) => write!(f, "{header}"),
            QueryTree::Condition { inner: what, window } => write!(f, "{}{what}{}", window.prefix(), window.suffix()),
            QueryTree::Then { first, within, second } => {
                match **first {
                    // `then` is read from left to right.
                    QueryTree::Then { .. } => write!(f, "{first}")?,
                    _ => first.fmt_nested(f)?,
                }
                f.write_str(" then ")?;
                if let Some(plies) = within {
                    write!(f, "within {plies} plies ")?;
                }
                second.fmt_nested(f)
            }
        }
    }
}
