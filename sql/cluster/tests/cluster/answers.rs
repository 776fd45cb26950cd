//! A cluster gives the answers of one process.

use plyfold_core::reduce::output::{OUTPUTS, OutputArgument};

use crate::file_server::FileServer;
use crate::library::{TestLibrary, ask_alone, ask_cluster, cluster_at, sentence};
use crate::nodes::Nodes;

/// Statements, of which those that do not say the order of their rows are compared without it.
const STATEMENTS: &[&str] = &[
    // Counts.
    "SELECT count(*) FROM games WHERE matches('checkmate')",
    "SELECT count(*), sum(plies), min(white_elo), max(date) FROM games WHERE plies > 20 AND result = '1-0'",
    // Groups, partial and final.
    "SELECT eco, count(*) AS games, count(*) FILTER (WHERE result = '1-0') AS white_wins, avg(plies) AS plies
     FROM games WHERE matches('queens_off') GROUP BY eco ORDER BY games DESC, eco",
    "SELECT white, count(DISTINCT black) AS opponents FROM games GROUP BY white ORDER BY opponents DESC, white",
    // Heatmaps: where the king stands that is checkmated.
    "SELECT * FROM counts('checkmate', 'kings')",
    "SELECT split_part(fen, ' ', 1) AS board, count(*) AS times FROM positions('checkmate') GROUP BY 1 HAVING count(*) > 1",
    // Distinct positions, by an exchange between the executors.
    "SELECT count(DISTINCT fen), count(*) FROM positions('queens_off and white rook attacks king')",
    // Top N.
    "SELECT game, white, black, white_elo, file_game FROM games ORDER BY white_elo DESC NULLS LAST, game LIMIT 25",
    "SELECT game FROM search('white castled then within 20 checkmate') ORDER BY game DESC LIMIT 3",
    "SELECT * FROM positions('checkmate') ORDER BY game, ply LIMIT 40",
    // Tables of results, in their own order.
    "SELECT * FROM next_moves('ply < 6')",
    "SELECT san, average_elo, performance FROM next_moves('ply = 2 and white pawn on e4') LIMIT 5",
    "SELECT * FROM counts('checkmate', 'castling')",
    "SELECT * FROM counts('queens_off', 'white')",
    "SELECT * FROM counts('checkmate', 'count(white pawn)')",
    "SELECT key, positions FROM counts('checkmate', 'ply') WHERE positions > 3",
    // Joins, windows, subqueries, unions.
    "SELECT p.game, g.white, p.ply, p.san FROM positions('checkmate') p JOIN games g ON g.game = p.game WHERE g.white_elo > 1500",
    "SELECT eco, game, row_number() OVER (PARTITION BY eco ORDER BY plies DESC, game) AS nth FROM games WHERE matches('checkmate')",
    "SELECT count(*) FROM games WHERE plies > (SELECT avg(plies) FROM games)",
    "SELECT count(*) FROM games WHERE game NOT IN (SELECT game FROM positions('checkmate'))",
    "SELECT 'mate' AS kind, count(*) AS games FROM search('checkmate')
     UNION ALL SELECT 'all', count(*) FROM games WHERE plies >= 0",
    // Functions of the library, computed where the rows are.
    "SELECT game, fen(game, 4) AS fen, signature(fen(game, 30)) AS signature FROM games WHERE matches('checkmate')",
    "SELECT count(*) FROM positions('checkmate') p WHERE matches('queens_off', p.game)",
    // What texts alone say.
    "SELECT game FROM search('tag \"Termination\" * or comment \"*a*\"') ORDER BY game",
    "SELECT * FROM counts('tag \"Event\" \"*Open*\" and result 1-0', 'year')",
    // What scans no game is computed by the client.
    "SELECT count(*) FROM games",
    "SELECT fen(1, 2) AS fen",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_answers_as_one_process() {
    let (library, nodes) = (TestLibrary::new(), Nodes::start(3));
    let (cluster, address) = (cluster_at(&nodes.address), library.address());
    let of_outputs = OUTPUTS.iter().filter(|output| !output.asks_tables).map(|output| match output.argument {
        OutputArgument::Nothing | OutputArgument::Maximum(_) => format!("SELECT * FROM {}('check')", output.name),
        _ => format!("SELECT * FROM {}('check', 'player')", output.name),
    });
    for statement in STATEMENTS.iter().map(|&statement| statement.to_owned()).chain(of_outputs) {
        let statement = statement.as_str();
        let mut alone = ask_alone(&address, statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
        let mut together = ask_cluster(&cluster, &address, statement)
            .await
            .unwrap_or_else(|error| panic!("{statement}: {}", sentence(&error).0));
        let is_ordered = statement.contains("ORDER BY game")
            || statement.contains("ORDER BY white")
            || statement.contains("ORDER BY games")
            || statement.contains("ORDER BY opponents")
            || OUTPUTS.iter().any(|output| statement.contains(&format!("FROM {}(", output.name)));
        if !is_ordered {
            alone.sort();
            together.sort();
        }
        assert!(!alone.is_empty(), "{statement}");
        assert_eq!(alone, together, "{statement}");
    }
    // All executors have scanned.
    nodes.executors.iter().for_each(|executor| executor.wait_for("Finished task"));
}

#[tokio::test(flavor = "multi_thread")]
async fn executors_fetch_what_they_scan() {
    let (library, nodes) = (TestLibrary::new(), Nodes::start(2));
    let server = FileServer::new(library.address());
    let address = ["a.plyfold", "b.plyfold"].map(|name| server.address(name)).join(" ");
    let cluster = cluster_at(&nodes.address);
    for statement in [
        "SELECT count(*) FROM games WHERE matches('queens_off')",
        "SELECT * FROM next_moves('ply < 6')",
        "SELECT count(*) FROM positions('checkmate') p WHERE matches('queens_off', p.game)",
    ] {
        let alone = ask_alone(&library.address(), statement).await.unwrap();
        let together = ask_cluster(&cluster, &address, statement).await;
        assert_eq!(
            alone,
            together.unwrap_or_else(|error| panic!("{statement}: {}", sentence(&error).0)),
            "{statement}"
        );
    }
    nodes.executors.iter().for_each(|executor| executor.wait_for("Finished task"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_has_no_named_lines() {
    let (library, nodes) = (TestLibrary::new(), Nodes::start(1));
    let (cluster, address) = (cluster_at(&nodes.address), library.address());
    std::fs::create_dir(library.path("lib/.sets")).unwrap();
    std::fs::write(library.path("lib/.sets/open.pgn"), "1. e4 e5 *\n").unwrap();
    let statement = "SELECT game FROM search('left @open')";
    assert!(!ask_alone(&address, statement).await.unwrap().is_empty());
    let (message, _) = sentence(&ask_cluster(&cluster, &address, statement).await.unwrap_err());
    assert!(message.contains("a cluster has no named sets and lines"), "{message}");
}
