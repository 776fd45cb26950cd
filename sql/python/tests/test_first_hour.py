"""What a user does first with rows, in each library that reads Arrow."""

import datetime

import duckdb
import matplotlib
import pandas
import polars
import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest

TABLES = [
    "games",
    "search('')",
    "positions('check')",
    "next_moves('ply = 1 or ply = 2')",
    "counts('ply > 0', 'result')",
]


@pytest.mark.parametrize("table", TABLES)
def test_every_column_prints(games, table):
    rows = games.sql(f"SELECT * FROM {table}")
    frame = rows.to_pandas()
    assert len(frame) > 0
    for name in frame.columns:
        print(frame[[name]])
        frame.sort_values(name).groupby(name).size()
    assert "view" not in str(rows.to_arrow().schema)
    assert rows.to_batches().schema == rows.to_arrow().schema == pyarrow.schema(rows)


def test_nested_types_are_plain(games):
    rows = games.sql("SELECT array_agg(white) AS names, max(date) AS day FROM games").to_arrow()
    assert rows.schema.types == [pyarrow.list_(pyarrow.string()), pyarrow.date32()]
    print(games.sql("SELECT array_agg(white) AS names FROM games").to_pandas())


def test_dates_are_dates(games):
    moves = games.next_moves("ply = 1").to_arrow()
    assert moves.schema.field("last_played").type == pyarrow.date32()
    assert datetime.date(2019, 2, 28) in moves.column("last_played").to_pylist()


def test_pandas(games, folder):
    frame = games.games().to_pandas()
    assert "Carlsen, Magnus" in str(frame[["white", "result"]])
    assert frame[frame.result == "1-0"].white.tolist() == ["Carlsen, Magnus"]
    assert frame.groupby("result").size().to_dict() == {"1-0": 1, "0-1": 1, "1/2-1/2": 1}
    assert frame.sort_values("white").white.tolist() == ["Boris", "Carlsen, Magnus", "Dora"]
    countries = pandas.DataFrame({"white": ["Carlsen, Magnus"], "country": ["NOR"]})
    assert frame.merge(countries, on="white").country.tolist() == ["NOR"]
    assert frame.pivot_table(index="white", columns="result", values="plies", aggfunc="sum").shape == (3, 3)
    assert frame.date.dt.year.dropna().tolist() == [2019, 1999]
    frame.to_csv(folder / "games.csv")
    assert len(pandas.read_csv(folder / "games.csv")) == 3
    frame.to_parquet(folder / "games.parquet")
    assert pandas.read_parquet(folder / "games.parquet").white.tolist() == frame.white.tolist()
    matplotlib.use("Agg")
    assert [bar.get_height() for bar in frame.plot.bar(x="white", y="plies").patches] == frame.plies.tolist()


def test_pyarrow(games, folder):
    table = games.games().to_arrow()
    assert table.filter(pyarrow.compute.field("result") == "1-0").column("white").to_pylist() == ["Carlsen, Magnus"]
    assert table.sort_by("white").column("game").to_pylist() == [2, 1, 3]
    assert table.group_by("result").aggregate([("plies", "max")]).num_rows == 3
    countries = pyarrow.table({"white": ["Dora"], "country": ["GER"]})
    assert table.join(countries, "white", join_type="inner").column("country").to_pylist() == ["GER"]
    pyarrow.parquet.write_table(table, folder / "table.parquet")
    assert pyarrow.parquet.read_table(folder / "table.parquet").equals(table)


def test_polars(games):
    frame = games.games().to_polars()
    assert "Carlsen, Magnus" in str(frame[["white", "result"]])
    assert frame.filter(polars.col("result") == "1-0")["white"].to_list() == ["Carlsen, Magnus"]
    assert frame.group_by("result").len().height == frame.pivot("result", index="white", values="plies").height == 3
    assert frame.join(polars.DataFrame({"white": ["Dora"]}), on="white").sort("white").height == 1


def test_duckdb(games):
    table = games.games().to_arrow()
    found = duckdb.sql("""SELECT max(white), min(date) FROM "table" WHERE result <> '1-0'""").fetchall()
    assert found == [("Dora", datetime.date(1999, 12, 31))]
    assert table.num_rows == 3
