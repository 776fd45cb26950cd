//! The libraries that a machine of a cluster has opened.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::error::Result;

use super::message::LibraryAddress;
use super::sentence;
use crate::session::SessionLibraries;

/// How many libraries stay open.
const MOST_LIBRARIES: usize = 8;

/// The libraries of a machine, each opened once.
#[derive(Debug)]
pub struct NodeLibraries {
    node: String,
    opened: Mutex<VecDeque<(LibraryAddress, Arc<SessionLibraries>)>>,
}

impl NodeLibraries {
    /// No libraries yet, on the machine with this name: `executor 10.0.0.7:50051`.
    #[must_use]
    pub fn new(node: impl Into<String>) -> NodeLibraries {
        NodeLibraries { node: node.into(), opened: Mutex::default() }
    }

    /// The name of the machine.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The library at an address. Opening one takes a pass over its bytes, and others wait meanwhile.
    ///
    /// # Errors
    ///
    /// It cannot be opened here, or has other games here than where the statement was planned.
    pub(crate) fn at(&self, wanted: &LibraryAddress) -> Result<Arc<SessionLibraries>> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, libraries)) = opened.iter().find(|(address, _)| address == wanted) {
            return Ok(libraries.clone());
        }
        let libraries = SessionLibraries::open(&wanted.address, &wanted.options())
            .map_err(|error| sentence::from_node(&error, &self.node))?;
        let (here, there) = (libraries.main.identity(), &wanted.identity);
        if here != *there {
            let (node, address) = (&self.node, &wanted.address);
            return Err(sentence::failure(format!(
                "{node}: {address}: is another library than where the statement was planned ({} games in {} corpora \
                 here, {} games in {} corpora there): copy the same files to all machines",
                here.games, here.corpora, there.games, there.corpora
            )));
        }
        libraries.main.refuse_saved_names();
        if opened.len() == MOST_LIBRARIES {
            opened.pop_front();
        }
        let libraries = Arc::new(libraries);
        opened.push_back((wanted.clone(), libraries.clone()));
        Ok(libraries)
    }
}
