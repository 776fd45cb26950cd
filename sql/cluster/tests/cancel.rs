//! An interrupted client ends its job on the cluster. The job is the one of the whole process, so this test has a process to itself.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../tests/sql/file_server.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod file_server;
#[path = "cluster/library.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod library;
#[path = "cluster/nodes.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod nodes;

use std::time::Duration;

use file_server::{Behaviour, FileServer};
use futures::TryStreamExt;
use library::{TestLibrary, cluster_at, sentence};
use nodes::Nodes;
use plyfold_datafusion::cluster::cancel_running_job;

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_cancelled_with_its_client() {
    let (library, nodes) = (TestLibrary::new(), Nodes::start(1));
    let server = FileServer::new(library.path("lib"));
    let cluster = cluster_at(&nodes.address);
    let (context, _) = cluster.open_session(&server.address("a.plyfold")).unwrap();
    let statement = "SELECT count(*), count(DISTINCT fen) FROM positions('ply > 0')";
    let plan = context.sql(statement).await.unwrap().create_physical_plan().await.unwrap();
    // The executor cannot end its first task, so the job is there until it is cancelled, or until the executor gives the file up
    // after about a minute.
    server.behave(Behaviour::Stall);
    let asked =
        tokio::spawn(async move { cluster.execute(&context, plan).await?.try_collect::<Vec<_>>().await.map(drop) });
    tokio::task::block_in_place(|| {
        server.wait_for_stalled_request();
        // The client may not yet have heard which number its job has.
        while !cancel_running_job() {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let text = sentence(&asked.await.unwrap().unwrap_err()).0;
    assert!(text.starts_with("the cluster could not finish: ") && text.to_lowercase().contains("cancel"), "{text}");
}
