//! An interrupted client ends its job on the cluster. The job is the one of the whole process, so this test has a process to itself.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "cluster/library.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod library;
#[path = "cluster/nodes.rs"]
#[allow(dead_code, reason = "the other tests use the rest")]
mod nodes;

use library::{TestLibrary, ask_cluster, cluster_at, sentence};
use nodes::Nodes;
use plyfold_datafusion::cluster::cancel_running_job;

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_cancelled_with_its_client() {
    let (library, nodes) = (TestLibrary::new(), Nodes::start(1));
    let (cluster, address) = (cluster_at(&nodes.address), library.address());
    let asked = tokio::spawn(async move {
        ask_cluster(&cluster, &address, "SELECT count(*), count(DISTINCT fen) FROM positions('ply > 0')").await
    });
    // The executor works on the first of eight parts.
    tokio::task::block_in_place(|| {
        nodes.executors[0].wait_for("Execute task");
        cancel_running_job();
    });
    let text = sentence(&asked.await.unwrap().unwrap_err()).0;
    assert!(text.starts_with("the cluster could not finish: ") && text.to_lowercase().contains("cancel"), "{text}");
}
