//! Errors in a query written as JSON, with their places.

use std::fmt;

use thiserror::Error;

/// An error in a query written as JSON.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct JsonError {
    /// The place as a JSON pointer, such as `/then/second/feature/name`; empty for the whole query.
    pub path: String,
    /// One clause that the writer of the query can act on.
    pub message: String,
    /// The known name nearest to an unknown one.
    pub nearest: Option<String>,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.nearest {
            Some(nearest) => write!(f, ": did you mean `{nearest}`?"),
            None => Ok(()),
        }
    }
}

impl JsonError {
    /// An error at this place.
    pub(crate) fn new(message: impl Into<String>) -> JsonError {
        JsonError { path: String::new(), message: message.into(), nearest: None }
    }

    /// A name that is not in `known`.
    pub(crate) fn unknown<'k>(what: &str, name: &str, known: impl Iterator<Item = &'k str>) -> JsonError {
        JsonError { nearest: nearest(name, known), ..JsonError::new(format!("unknown {what} `{name}`")) }
    }

    /// The same error, seen from one step further out.
    pub(crate) fn within(self, step: impl fmt::Display) -> JsonError {
        JsonError { path: format!("/{step}{}", self.path), ..self }
    }
}

/// A result whose error is seen from one step further out.
pub(crate) trait Within {
    fn within(self, step: impl fmt::Display) -> Self;
}

impl<T> Within for Result<T, JsonError> {
    fn within(self, step: impl fmt::Display) -> Self {
        self.map_err(|error| error.within(step))
    }
}

/// The name with the fewest edits from `name`, if it was probably meant.
pub(crate) fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    let letters = name.chars().count();
    let most = (letters / 3).max(1);
    // The difference in length alone takes this many edits; a name may be a megabyte long.
    let known = known.filter(|known| known.chars().count().abs_diff(letters) <= most);
    let ranked = known.map(|known| (strsim::osa_distance(name, known), known));
    let best = ranked.filter(|&(edits, _)| edits <= most).min_by_key(|&(edits, _)| edits);
    best.map(|(_, known)| known.to_owned())
}
