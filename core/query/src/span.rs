//! Places in the text of a query, and names that keep theirs: an unknown name is found only after the text has been read.

use alloc::string::String;
use core::fmt;
use core::ops::Deref;

/// A place in a text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextSpan {
    /// First byte.
    pub from: usize,
    /// Byte after it.
    pub to: usize,
}

/// A name in a query and its place in the text. Names with the same letters are equal wherever they stand.
#[derive(Clone, Debug)]
pub struct SpannedName {
    name: String,
    /// The place, quotes and `@` included; none if the query was not read from a text.
    pub span: Option<TextSpan>,
}

impl SpannedName {
    /// A name that was read at a place.
    pub fn new(name: &str, span: TextSpan) -> SpannedName {
        SpannedName { name: name.into(), span: Some(span) }
    }
}

impl From<String> for SpannedName {
    fn from(name: String) -> SpannedName {
        SpannedName { name, span: None }
    }
}

impl Deref for SpannedName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.name
    }
}

impl PartialEq for SpannedName {
    fn eq(&self, other: &SpannedName) -> bool {
        self.name == other.name
    }
}

impl Eq for SpannedName {}

impl fmt::Display for SpannedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
