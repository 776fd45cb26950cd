//! Names that outputs show in place of others: aliases that their user takes for one name.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;

use plyfold_scan::headers::folded_name;

/// Whom or what a name is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NamedThing {
    /// A player.
    Player,
    /// An event.
    Event,
}

/// The names that stand for others. Without any, each name stands for itself.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ShownNames(Arc<BTreeMap<(NamedThing, String), String>>);

impl ShownNames {
    /// These names, each with what it is of, the other name, and the one that is shown for it. Case, accents and signs of the other name
    /// make no difference.
    pub fn new<'a>(names: impl Iterator<Item = (NamedThing, &'a str, &'a str)>) -> ShownNames {
        ShownNames(Arc::new(names.map(|(of, other, shown)| ((of, folded_name(other)), shown.into())).collect()))
    }

    /// The name that is shown for a name.
    #[must_use]
    pub fn shown(&self, of: NamedThing, name: &str) -> String {
        let shown = if self.0.is_empty() { None } else { self.0.get(&(of, folded_name(name))) };
        shown.map_or(name, String::as_str).into()
    }
}
