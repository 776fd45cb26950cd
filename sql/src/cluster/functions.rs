//! The functions of a session, such as `fen(game, ply)`, on the machines of a cluster: they read the library when they are called.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use datafusion::arrow::datatypes::DataType;
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};

use super::libraries::NodeLibraries;
use super::message::LibraryAddress;
use super::sentence;
use crate::functions;

/// A function that arrived in a plan.
#[derive(Debug)]
pub(crate) struct ClusterFunction {
    name: String,
    pub library: LibraryAddress,
    libraries: Arc<NodeLibraries>,
    signature: Signature,
    /// The function of the library, once it is open.
    opened: OnceLock<Arc<ScalarUDF>>,
}

impl ClusterFunction {
    /// The function of this name, of a library on this machine.
    pub fn new(name: &str, library: LibraryAddress, libraries: Arc<NodeLibraries>) -> ClusterFunction {
        // The types of the arguments have been checked when the statement was planned.
        let signature = Signature::variadic_any(Volatility::Immutable);
        ClusterFunction { name: name.into(), library, libraries, signature, opened: OnceLock::new() }
    }

    fn function(&self) -> Result<&Arc<ScalarUDF>> {
        if let Some(function) = self.opened.get() {
            return Ok(function);
        }
        let libraries = self.libraries.at(&self.library)?;
        let Some(function) = functions::scalars(&libraries).into_iter().find(|one| one.name() == self.name) else {
            return internal_err!("there is no function {}", self.name);
        };
        Ok(self.opened.get_or_init(|| Arc::new(function)))
    }
}

impl PartialEq for ClusterFunction {
    fn eq(&self, other: &ClusterFunction) -> bool {
        (&self.name, &self.library) == (&other.name, &other.library)
    }
}

impl Eq for ClusterFunction {}

impl Hash for ClusterFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.name, &self.library).hash(state);
    }
}

impl ScalarUDFImpl for ClusterFunction {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(functions::return_type(&self.name))
    }

    fn invoke_with_args(&self, call: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let invoked = self.function().and_then(|function| function.invoke_with_args(call));
        invoked.map_err(|error| sentence::from_node(&error, self.libraries.node()))
    }
}
