//! What happens when a machine ends, or is not like the others.

use plyfold_datafusion::cluster::{FORMAT, ProgramVersion};

use crate::library::{TestLibrary, ask_alone, ask_cluster, cluster_at, sentence};
use crate::nodes::Nodes;

/// It takes each executor some seconds in this build: every position is written and compared.
const LONG: &str = "SELECT count(*), count(DISTINCT fen) FROM positions('ply > 90')";

/// Kills an executor as soon as it has reported a line with this text, while others still work for the statement.
async fn ends_right_without_executor(text: &str) {
    let (library, mut nodes) = (TestLibrary::new(), Nodes::start(3));
    let (cluster, address) = (cluster_at(&nodes.address), library.address());
    let expected = ask_alone(&address, LONG).await.unwrap();
    let asked = tokio::spawn({
        let address = address.clone();
        async move { ask_cluster(&cluster, &address, LONG).await }
    });
    let mut victim = nodes.executors.remove(0);
    let text = text.to_owned();
    tokio::task::spawn_blocking(move || {
        victim.wait_for(&text);
        victim.kill();
    })
    .await
    .unwrap();
    assert!(!asked.is_finished(), "the statement was done before the executor ended");
    let answer = asked.await.unwrap();
    assert_eq!(answer.unwrap_or_else(|error| panic!("{}", sentence(&error).0)), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executor_is_killed_at_its_first_task() {
    ends_right_without_executor("Execute task").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executor_is_killed_with_rows_that_others_need() {
    ends_right_without_executor("Finished task").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scheduler_ends_while_a_statement_runs() {
    let (library, mut nodes) = (TestLibrary::new(), Nodes::start(1));
    let (cluster, address) = (cluster_at(&nodes.address), library.address());
    let asked = tokio::spawn(async move { ask_cluster(&cluster, &address, LONG).await });
    tokio::task::block_in_place(|| {
        nodes.executors[0].wait_for("Execute task");
        nodes.scheduler.kill();
    });
    let (text, is_mistake) = sentence(&asked.await.unwrap().unwrap_err());
    assert!(text.starts_with(&format!("the scheduler at {} is gone: ", nodes.address)), "{text}");
    assert!(!is_mistake && !text.contains('\n'), "{text}");
    let gone = ask_cluster(&cluster_at(&nodes.address), &library.address(), LONG).await.unwrap_err();
    let text = sentence(&gone).0;
    assert!(text.starts_with(&format!("the scheduler at {} cannot be reached: ", nodes.address)), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_differs_is_refused_by_name() {
    let (library, nodes) = (TestLibrary::new(), Nodes::start(1));
    let (cluster, address) = (cluster_at(&nodes.address), library.address());
    let statement = "SELECT count(*) FROM games WHERE matches('checkmate')";

    let older = ProgramVersion { version: "0.0.9".into(), format: FORMAT - 1 };
    let refused = ask_cluster(&cluster.clone().with_version(older), &address, statement).await.unwrap_err();
    let (own, (text, is_mistake)) = (env!("CARGO_PKG_VERSION"), sentence(&refused));
    assert_eq!(
        text,
        format!(
            "scheduler {} runs plyfold {own} (plan format {FORMAT}), and the plan is from plyfold 0.0.9 (plan format {}): \
             run the same version on all machines",
            nodes.address,
            FORMAT - 1
        )
    );
    assert!(!is_mistake);

    // The files are other ones when the executor opens them than when the statement was planned.
    let planned = {
        let (context, _) = cluster.open_session(&address).unwrap();
        let plan = context.sql(statement).await.unwrap().create_physical_plan().await.unwrap();
        (context, plan)
    };
    let second = library.path("lib/b.plyfold");
    std::fs::rename(&second, library.path("aside")).unwrap();
    let text = sentence(&cluster.execute(&planned.0, planned.1.clone()).await.err().unwrap()).0;
    assert!(text.starts_with("executor 127.0.0.1:"), "{text}");
    assert!(text.contains(&format!(": {address}: is another library than where the statement was planned")), "{text}");
    assert!(text.ends_with("copy the same files to all machines") && !text.contains('\n'), "{text}");

    std::fs::remove_dir_all(library.path("lib")).unwrap();
    let text = sentence(&cluster.execute(&planned.0, planned.1).await.err().unwrap()).0;
    assert!(text.starts_with("executor 127.0.0.1:") && text.contains(&address) && !text.contains('\n'), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_that_an_executor_finds_is_one_of_the_statement() {
    let (library, nodes) = (TestLibrary::new(), Nodes::start(1));
    let statement = "SELECT tb(fen) FROM positions('checkmate')";
    let alone = sentence(&ask_alone(&library.address(), statement).await.unwrap_err());
    let together = ask_cluster(&cluster_at(&nodes.address), &library.address(), statement).await.unwrap_err();
    assert_eq!(sentence(&together), alone);
    assert!(alone.1);
}
