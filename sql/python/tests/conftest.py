"""A small library of PGN games, imported by the program that PLYFOLD_CLI names, or by the one on the PATH."""

import os
import pathlib
import subprocess

import chess
import chess.pgn
import pytest

import plyfold

GAMES = """\
[White "Carlsen, Magnus"]
[Black "Anna"]
[WhiteElo "2850"]
[Date "2019.02.28"]
[ECO "C20"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[White "Boris"]
[Black "Clara"]
[Date "2019.??.??"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[White "Dora"]
[Black "Carlsen, Magnus"]
[BlackElo "2851"]
[Date "1999.12.31"]
[ECO "C42"]
[Result "1/2-1/2"]

1. d4 d5 2. c4 dxc4 3. Nf3 b5 4. a4 c6 5. Qd3 cxd3 1/2-1/2
"""


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder with ``games.pgn`` and ``games.plyfold``."""
    folder = tmp_path_factory.mktemp("games")
    pgn = folder / "games.pgn"
    pgn.write_text(GAMES)
    program = os.environ.get("PLYFOLD_CLI", "plyfold")
    subprocess.run([program, "import", str(pgn), "-o", str(folder / "games.plyfold")], check=True, capture_output=True)
    return folder


@pytest.fixture
def games(folder: pathlib.Path) -> plyfold.Library:
    return plyfold.open(folder / "*.plyfold")


@pytest.fixture
def boards(folder: pathlib.Path) -> list[list[chess.Board]]:
    """The positions after each ply of each game, by python-chess."""
    with (folder / "games.pgn").open() as pgn:
        read = list(iter(lambda: chess.pgn.read_game(pgn), None))
    return [[node.board() for node in game.mainline()] for game in read]
