//! The native module of the Python package `plyfold`: opens libraries and hands rows over as Arrow streams.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use arrow::array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ffi::FFI_ArrowSchema;
use arrow::ffi_stream::FFI_ArrowArrayStream;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::{StreamExt, TryStreamExt};
use plyfold_datafusion::{
    Library, NamedFile, SessionOptions, SqlFailure, open_session, plain_rows, plain_schema, register_files,
    run_statements,
};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tokio::runtime::{Builder, Runtime};
use tokio::task::block_in_place;

pyo3::create_exception!(plyfold, QueryError, pyo3::exceptions::PyValueError, "A query or a statement has a mistake.");

/// How often a call that waits looks for Ctrl-C.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

/// The threads of all libraries.
static RUNTIME: LazyLock<Result<Runtime, String>> =
    LazyLock::new(|| Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string()));

fn runtime() -> PyResult<&'static Runtime> {
    RUNTIME.as_ref().map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))
}

fn python_error(error: &DataFusionError) -> PyErr {
    let message = SqlFailure::message(error);
    if SqlFailure::is_mistake(error) { QueryError::new_err(message) } else { PyOSError::new_err(message) }
}

/// Runs a future on the threads of the libraries and waits for it without the interpreter's lock. Ctrl-C ends the wait at once, and
/// the work as soon as it can be interrupted. The wait needs no timer of the runtime, whose threads may all be busy.
fn wait<T: Send + 'static>(
    py: Python<'_>,
    work: impl Future<Output = Result<T, DataFusionError>> + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    // A receiver is used by one thread at a time, but a closure without the interpreter's lock asks for one that could be shared.
    let receiver = Mutex::new(receiver);
    // If nobody waits any more, the result is not needed.
    let task = runtime()?.spawn(async move { drop(sender.send(work.await)) });
    loop {
        let next = py.detach(|| receiver.lock().ok().map(|receiver| receiver.recv_timeout(SIGNAL_CHECK)));
        match next {
            Some(Ok(result)) => return result.map_err(|error| python_error(&error)),
            Some(Err(RecvTimeoutError::Timeout)) => py.check_signals().inspect_err(|_| task.abort())?,
            _ => return Err(PyRuntimeError::new_err("a thread of the library failed")),
        }
    }
}

/// Opens a library: a corpus, a folder, or a pattern of files, or addresses of object storage. Ctrl-C ends the wait for them.
#[pyfunction]
#[pyo3(name = "open", signature = (library, *, tables = Vec::new(), syzygy = Vec::new(), files = Vec::new(), threads = None))]
#[expect(clippy::too_many_arguments, reason = "they are the keywords of the function in Python")]
fn open_library(
    py: Python<'_>,
    library: PathBuf,
    tables: Vec<PathBuf>,
    syzygy: Vec<PathBuf>,
    files: Vec<(String, PathBuf)>,
    threads: Option<usize>,
) -> PyResult<NativeLibrary> {
    let files: Result<Vec<NamedFile>, _> = files.into_iter().map(|(name, path)| NamedFile::new(&name, path)).collect();
    let files = files.map_err(|error| python_error(&error))?;
    let options = SessionOptions { tables, syzygy, partitions: threads, files, skip_damaged: false };
    let address = library.to_string_lossy().into_owned();
    let (context, library) = wait(py, async move {
        let (context, library) = block_in_place(|| open_session(&address, &options))?;
        register_files(&context, &options.files).await?;
        Ok((context, library))
    })?;
    Ok(NativeLibrary { context, library })
}

/// An open library.
#[pyclass(frozen, module = "plyfold._native")]
struct NativeLibrary {
    context: SessionContext,
    library: Arc<Library>,
}

#[pymethods]
impl NativeLibrary {
    /// The number of games.
    #[getter]
    fn games(&self) -> u32 {
        self.library.games()
    }

    /// The address by which it was opened.
    #[getter]
    fn address(&self) -> &str {
        self.library.address()
    }

    /// Runs the statements of a text but the last, and plans the last.
    fn sql(&self, py: Python<'_>, statement: &str) -> PyResult<NativeRows> {
        let (context, statement) = (self.context.clone(), statement.to_owned());
        let frame = wait(py, async move { run_statements(&context, &statement).await })?;
        Ok(NativeRows { frame })
    }
}

/// The rows of a statement, which is run whenever they are read.
#[pyclass(frozen, module = "plyfold._native")]
struct NativeRows {
    frame: DataFrame,
}

#[pymethods]
impl NativeRows {
    /// The rows as a stream of record batches, by the Arrow C stream interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to give its own types.
        drop(requested_schema);
        let stream = wait(py, self.frame.clone().execute_stream())?;
        stream_capsule(py, Box::new(StreamReader::new(plain_rows(stream), runtime()?)))
    }

    /// The types of the columns, by the Arrow C schema interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(plain_schema(self.frame.schema().as_arrow()).as_ref());
        let schema = schema.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Runs the statement and keeps its rows. Ctrl-C ends it.
    fn collect(&self, py: Python<'_>) -> PyResult<NativeTable> {
        let frame = self.frame.clone();
        let collected = async move {
            let rows = plain_rows(frame.execute_stream().await?);
            Ok(NativeTable { schema: rows.schema(), batches: rows.try_collect().await? })
        };
        wait(py, collected)
    }

    /// Runs the statement and counts its rows.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        wait(py, self.frame.clone().count())
    }
}

/// The rows of a statement that has been run.
#[pyclass(frozen, module = "plyfold._native")]
struct NativeTable {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

#[pymethods]
impl NativeTable {
    /// The rows as a stream of record batches, by the Arrow C stream interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let batches = self.batches.clone().into_iter().map(Ok);
        stream_capsule(py, Box::new(RecordBatchIterator::new(batches, self.schema.clone())))
    }
}

fn stream_capsule(py: Python<'_>, reader: Box<dyn RecordBatchReader + Send>) -> PyResult<Bound<'_, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

/// Reads batches that a task makes, one ahead; the consumer may hold the interpreter's lock, so Ctrl-C is looked for there.
struct StreamReader {
    schema: SchemaRef,
    batches: Receiver<Result<RecordBatch, DataFusionError>>,
}

impl StreamReader {
    fn new(mut stream: SendableRecordBatchStream, runtime: &Runtime) -> StreamReader {
        let schema = stream.schema();
        let (sender, batches) = sync_channel(1);
        // The task ends when the reader is dropped.
        runtime.spawn(async move {
            while let Some(batch) = stream.next().await {
                if block_in_place(|| sender.send(batch)).is_err() {
                    break;
                }
            }
        });
        StreamReader { schema, batches }
    }
}

impl Iterator for StreamReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let failed = |what: String| Some(Err(ArrowError::ExternalError(what.into())));
        loop {
            match self.batches.recv_timeout(SIGNAL_CHECK) {
                Ok(Ok(batch)) => return Some(Ok(batch)),
                Ok(Err(error)) => return failed(SqlFailure::message(&error)),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(interrupt) = Python::attach(|py| py.check_signals().err()) {
                        return failed(interrupt.to_string());
                    }
                }
            }
        }
    }
}

impl RecordBatchReader for StreamReader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}

/// The native module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("QueryError", module.py().get_type::<QueryError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<NativeLibrary>()?;
    module.add_class::<NativeRows>()?;
    module.add_class::<NativeTable>()?;
    module.add_function(wrap_pyfunction!(open_library, module)?)
}
