//! Mangled SQL. A statement reads the library and what is named beside it, or is refused: whatever it says, every file has its bytes
//! afterwards, and no file is new but the one of `--out`.

use std::ffi::OsString;

use rand::Rng;
use rand::rngs::StdRng;

use crate::attack::{AttackOutcome, AttackSeries, Tried};
use crate::mangle::mangled;
use crate::programs::{Program, told};
use crate::random::pick;
use crate::scene::{self, Files};

/// Statements that are answered, and statements that are refused.
const STATEMENTS: [&str; 24] = [
    "SELECT * FROM games",
    "SELECT white, count(*) FROM games WHERE matches('check') GROUP BY white ORDER BY 2 DESC LIMIT 3",
    "SELECT g.game, p.fen FROM games g JOIN positions('queens_off') p ON g.game = p.game WHERE p.ply < 40",
    "SELECT san, games FROM next_moves('ply = 1')",
    "SELECT key, games FROM counts('plies >= 0', 'result')",
    "SELECT * FROM search('other', 'checkmate')",
    "SELECT tb(fen) FROM positions('ply = 1')",
    "WITH a AS (SELECT game FROM games WHERE plies > 20) SELECT * FROM a EXCEPT SELECT game FROM search('check')",
    "SELECT name FROM players JOIN games ON players.name = games.white",
    "CREATE VIEW v AS SELECT game FROM games; SELECT * FROM v",
    "CREATE TABLE t AS SELECT 1 AS one; DROP TABLE t; SELECT 2",
    "EXPLAIN ANALYZE SELECT game FROM games WHERE matches('white pawn on e4')",
    "COPY (SELECT game FROM games) TO 'c.plyfold' STORED AS CSV",
    "COPY games TO 'new.parquet'",
    "INSERT INTO players SELECT white, black FROM games",
    "INSERT OVERWRITE players SELECT white, black FROM games",
    "PREPARE p AS COPY games TO 'c.plyfold' STORED AS JSON; EXECUTE p",
    "CREATE EXTERNAL TABLE p STORED AS CSV LOCATION 'players.csv'; INSERT INTO p VALUES ('a', 'b')",
    "CREATE OR REPLACE VIEW games AS SELECT 1",
    "UPDATE games SET white = 'a'",
    "DELETE FROM players",
    "SET datafusion.runtime.temp_directory = 'new'",
    "SELECT * FROM 'players.csv'",
    "DROP TABLE games",
];

const WORDS: [&str; 24] = [
    "COPY",
    "INTO",
    "TO",
    "STORED AS CSV",
    "EXPLAIN",
    "EXECUTE p",
    ";",
    "'c.plyfold'",
    "'players.csv'",
    "games",
    "players",
    "UNION ALL",
    "SELECT",
    "FROM",
    "(",
    ")",
    "''",
    "NULL",
    "matches('check')",
    "fen(game, ply)",
    "--",
    "/*",
    "OVER ()",
    "CAST(game AS VARCHAR)",
];

/// Attacks on `plyfold-sql`.
pub struct Statements {
    scene: Files,
}

impl Statements {
    /// Makes the scene.
    pub fn new() -> Result<Statements, String> {
        if !Program::Sql.path().is_file() {
            return Err("plyfold-sql is not built".into());
        }
        let mut scene = scene::files();
        scene.insert("players.csv".into(), b"name,country\nAnna,NOR\n".to_vec());
        Ok(Statements { scene })
    }
}

impl AttackSeries for Statements {
    fn attack(&mut self, random: &mut StdRng, tried: &Tried) -> AttackOutcome {
        let mut statement = String::from(pick(random, &STATEMENTS));
        for _ in 0..random.random_range(0..2) {
            statement += pick(random, &["; ", "; ", " UNION "]);
            statement += pick(random, &STATEMENTS);
        }
        // Two of three are mangled; the others show that statements are answered.
        let mut text = match random.random_range(0..3) {
            0 => statement.into_bytes(),
            _ => mangled(random, statement.as_bytes(), &WORDS),
        };
        // An argument holds no NUL.
        text.retain(|&byte| byte != 0);
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut line: Vec<OsString> =
            ["c.plyfold", &text, "--file", "players=players.csv", "--file", "other=c.plyfold", "--tables", "t"]
                .map(Into::into)
                .into();
        let out = match random.random_range(0..8) {
            0 | 2 => "rows.csv",
            // It is there, and is not replaced without `--force`.
            1 => pick(random, &["players.csv", "c.plyfold", "games.pgn"]),
            _ => "",
        };
        if !out.is_empty() {
            line.extend(["--out", out].map(OsString::from));
        }
        told(Program::Sql, &line, tried);
        let sandbox = scene::sandbox(&self.scene);
        let ran = sandbox.run(Program::Sql, &line);
        if let Some(fault) = ran.fault(Program::Sql) {
            return fault;
        }
        let mut after = sandbox.files();
        let rows = after.remove(std::path::Path::new("rows.csv"));
        if after != self.scene {
            let lost = scene::lost(&self.scene, &after, &[""; 0]);
            return AttackOutcome::Lost(lost.unwrap_or_else(|| "a file is new that nobody named".into()));
        }
        match ran.code() {
            Some(0) if out == "rows.csv" && rows.is_none() => AttackOutcome::Wrong("the rows are in no file".into()),
            Some(0) => AttackOutcome::Answered,
            _ if rows.is_some() => AttackOutcome::Wrong("a file of rows stays after a failure".into()),
            _ => AttackOutcome::Refused,
        }
    }
}
