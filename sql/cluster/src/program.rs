//! What both programs do alike: the log, the runtime, and one sentence if they fail.

use std::future::Future;
use std::io::Write;
use std::process::ExitCode;

/// Why a program ended, in one sentence.
#[derive(Debug)]
pub struct Failure(pub String);

/// Runs a program to its end. `log` says what it reports on standard error: `warn`, `info` and so on; the variable RUST_LOG says it
/// in more detail.
pub fn run_program(name: &str, log: &str, run: impl Future<Output = Result<(), Failure>>) -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(log)).init();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let outcome = runtime
        .map_err(|error| Failure(format!("cannot start threads: {error}")))
        .and_then(|runtime| runtime.block_on(run));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            // If the message cannot be written, the exit code still tells.
            let _ = writeln!(std::io::stderr(), "{name}: {message}");
            ExitCode::FAILURE
        }
    }
}
