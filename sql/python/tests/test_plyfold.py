"""Results as Arrow tables, the same as python-chess finds, and exceptions for mistakes."""

import datetime
import os
import signal
import subprocess
import sys
import threading
import time

import chess
import pandas
import polars
import pyarrow
import pytest

import plyfold


def test_a_search_is_an_arrow_table(games):
    table = games.search("checkmate").to_arrow()
    assert isinstance(table, pyarrow.Table)
    assert table.column("game").to_pylist() == [1, 2]
    assert table.column("white_elo").to_pylist() == [2850, None]
    assert table.column("date").to_pylist() == [datetime.date(2019, 2, 28), None]
    assert table.schema.field("white").type == pyarrow.string()
    assert (len(games), len(games.games()), repr(games).endswith("3 games>")) == (3, 3, True)


def test_every_reader_of_arrow_gets_the_same_rows(games):
    result = games.search("plies >= 0")
    expected = result.to_arrow().to_pylist()
    assert result.to_polars().to_dicts() == expected
    assert polars.DataFrame(result).to_dicts() == expected
    assert pyarrow.table(result).to_pylist() == expected
    assert result.to_batches().read_all().to_pylist() == expected
    frame = result.to_pandas()
    assert frame["white"].tolist() == [row["white"] for row in expected]
    assert isinstance(frame.dtypes["white_elo"], pandas.ArrowDtype)


def test_sql_groups_and_joins(games):
    rating = polars.DataFrame(games.sql("SELECT result, max(white_elo) AS best FROM games GROUP BY result ORDER BY result"))
    assert rating.rows() == [("0-1", None), ("1-0", 2850), ("1/2-1/2", None)]
    joined = games.sql("SELECT g.white, p.fen FROM games g JOIN positions('checkmate') p ON g.game = p.game ORDER BY g.game")
    assert joined.to_arrow().column("white").to_pylist() == ["Carlsen, Magnus", "Boris"]


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("checkmate", lambda board: board.is_checkmate()),
        ("check", lambda board: board.is_check()),
        ("queens_off", lambda board: not board.queens),
        ("white two_bishops", lambda board: len(board.pieces(chess.BISHOP, chess.WHITE)) == 2),
        ("count(queen) = 1", lambda board: chess.popcount(board.queens) == 1),
    ],
)
def test_positions_are_those_of_python_chess(games, boards, query, holds):
    expected = [
        (game, ply, board.fen(en_passant="legal"))
        for game, plies in enumerate(boards, 1)
        for ply, board in enumerate(plies, 1)
        if holds(board)
    ]
    found = games.sql(f"SELECT game, ply, fen, fen(game, ply) = fen AS same FROM positions('{query}') ORDER BY game, ply")
    rows = found.to_arrow().to_pylist()
    assert [(row["game"], row["ply"]) for row in rows] == [(game, ply) for game, ply, _ in expected]
    assert [chess.Board(row["fen"]).fen(en_passant="legal") for row in rows] == [fen for _, _, fen in expected]
    assert all(row["same"] for row in rows)


def test_summaries(games):
    counts = games.counts("plies >= 0", "result").to_arrow().to_pylist()
    assert {row["key"]: row["games"] for row in counts} == {"1-0": 1, "0-1": 1, "1/2-1/2": 1}
    moves = games.next_moves("ply = 1 and white pawn on e4").to_arrow().to_pylist()
    assert [(row["san"], row["games"]) for row in moves] == [("e5", 1)]


def test_files_are_read_by_the_names_that_they_were_given(folder, tmp_path):
    players = tmp_path / "who.csv"
    players.write_text("name,country\n\"Carlsen, Magnus\",NOR\nDora,ESP\n")
    library = plyfold.open(folder / "games.plyfold", files={"players": players, "same": str(folder / "games.plyfold")})
    found = library.sql("SELECT game, country FROM games JOIN players ON name = white ORDER BY game").to_arrow()
    assert found.to_pylist() == [{"game": 1, "country": "NOR"}, {"game": 3, "country": "ESP"}]
    assert library.sql("SELECT count(*) AS n FROM search('same', 'checkmate')").to_arrow().to_pylist() == [{"n": 2}]
    with pytest.raises(plyfold.QueryError, match="no library is named"):
        library.sql(f"SELECT * FROM search('{folder / 'games.plyfold'}', 'check')").to_arrow()
    with pytest.raises(plyfold.QueryError, match="not found"):
        library.sql(f"SELECT * FROM '{players}'").to_arrow()
    with pytest.raises(plyfold.QueryError, match="is no name for a file"):
        plyfold.open(folder / "games.plyfold", files={"games": players})
    with pytest.raises(OSError, match="missing.csv"):
        plyfold.open(folder / "games.plyfold", files={"players": tmp_path / "missing.csv"})


def test_mistakes_are_exceptions(games, folder):
    with pytest.raises(plyfold.QueryError, match=r"did you mean `queens_off`\?\nqueens_of\n\^{9}"):
        games.search("queens_of")
    with pytest.raises(ValueError, match="SQL: Expected"):
        games.sql("SELECT * FRO games")
    with pytest.raises(plyfold.QueryError, match="No field named foo"):
        games.sql("SELECT foo FROM games")
    with pytest.raises(OSError, match="matches no file"):
        plyfold.open(folder / "none-*.plyfold")
    with pytest.raises(OSError, match="is a PGN file, not a corpus"):
        plyfold.open(folder / "games.pgn")
    with pytest.raises(plyfold.QueryError, match="Divide by zero"):
        games.sql("SELECT 1 / (game - game) FROM games").to_arrow()


def test_quotes_in_a_query_are_data(games):
    assert len(games.search("player \"Carlsen, M*\"")) == 2
    with pytest.raises(plyfold.QueryError):
        games.search("' OR 1 = 1 --")


LONG = "SELECT count(*) FROM range(100000) a, range(100000) b WHERE a.value * b.value % 7 = 3"


def test_other_threads_run_meanwhile(games):
    ticks = []
    done = threading.Event()

    def tick():
        while not done.wait(0.01):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    games.sql("SELECT count(*) FROM range(6000) a, range(6000) b WHERE a.value * b.value % 7 = 3").to_arrow()
    done.set()
    ticker.join()
    assert ticks


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_an_interrupt_ends_a_statement(folder):
    script = f"import plyfold; print('ready', flush=True); plyfold.open({str(folder / 'games.plyfold')!r}).sql({LONG!r}).to_arrow()"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize("statement", ["COPY games TO '{}' STORED AS CSV", "SELECT 1; COPY games TO '{}' STORED AS JSON", "DROP TABLE games"])
def test_statements_only_read(games, folder, statement):
    corpus = folder / "games.plyfold"
    before = corpus.read_bytes()
    with pytest.raises(plyfold.QueryError, match="only read"):
        games.sql(statement.format(corpus)).to_arrow()
    assert corpus.read_bytes() == before
    assert len(games.games()) == 3
