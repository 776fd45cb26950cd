"""Scoutfish's public tests: the games of each by Scoutfish's rules, found with python-chess, against those of `plyfold query`.

    python tests/peers/scoutfish.py PLYFOLD [GAMES.pgn[.zst]] [--games 2000] [--every 1]

The queries are those of the table in `docs/PEERS.md`, by their numbers. A test of Scoutfish is a list of conditions, each of which
must hold at a later ply than the one before; conditions of a streak hold at plies that follow each other directly. Prints a row for
each test, and exits with 1 if the games differ. The position before the first ply is left out, as plyfold never counts it.

Needs python-chess (`pip install chess==1.11.2`) and, for packed files, `zstd`.
"""

import argparse
import pathlib
import re
import sys
import tempfile

import chess

from comparison import DEMO, ROOT, SHARED, Engine, read_text, row, some_games

WHITE, BLACK = chess.WHITE, chess.BLACK
# Any position.
ANY = lambda p: True


def pieces(fen):
    """These pieces stand on these squares; others may stand elsewhere."""
    wanted = chess.BaseBoard(fen).piece_map()
    return lambda p: all(p.board.piece_at(square) == piece for square, piece in wanted.items())


def material(white, black):
    def letters(board, side):
        return sorted(board.piece_at(square).symbol().upper() for square in chess.SquareSet(board.occupied_co[side]))

    return lambda p: [letters(p.board, side) for side in (WHITE, BLACK)] == [sorted(white), sorted(black)]


def ahead(white, black):
    """White has so many pieces more of each kind."""
    kinds = [chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]
    wanted = [white.count(letter) - black.count(letter) for letter in "PNBRQ"]
    return lambda p: [len(p.board.pieces(k, WHITE)) - len(p.board.pieces(k, BLACK)) for k in kinds] == wanted


def move(side, kind, to, file=None):
    """The last move brought such a piece of a side to a square, capturing or not, from such a file."""

    def holds(p):
        m = p.played
        return (
            (m.side, m.kind, chess.square_name(m.arrival)) == (side, kind, to)
            and not m.castles
            and file in (None, chess.square_name(m.move.from_square)[0])
        )

    return holds


def castles(side, *files):
    return lambda p: p.played.castles and p.played.side == side and chess.square_name(p.played.arrival)[0] in files


def takes_queen(*kinds):
    return lambda p: p.played.kind in kinds and p.played.captured == chess.QUEEN


def result(*results):
    return lambda p: p.headers.get("Result") in results


def both(*conditions):
    return lambda p: all(condition(p) for condition in conditions)


def one_of(*conditions):
    return lambda p: any(condition(p) for condition in conditions)


def to_move(side):
    return lambda p: p.board.turn == side


E4 = pieces("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")
BISHOP = pieces("r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R")
BENONI = pieces("rnbqkb1r/pp1p1ppp/4pn2/2pP4/2P5/2N5/PP2PPPP/R1BQKBNR")
E5, TAKES, F5 = move(WHITE, chess.PAWN, "e5"), move(BLACK, chess.PAWN, "e5", "d"), move(WHITE, chess.PAWN, "f5")
NE4 = move(WHITE, chess.KNIGHT, "e4")

# By the number of the test, its streaks, each a list of conditions; a condition alone is a streak of one.
TESTS = {
    2: [[E4]],
    3: [[pieces("8/8/p7/8/8/1B3N2/8/8")]],
    4: [[both(pieces("8/8/8/8/1k6/8/8/8"), result("1/2-1/2"))]],
    5: [[one_of(pieces("8/8/8/q7/8/8/8/8"), pieces("8/8/8/r7/8/8/8/8"))]],
    6: [[both(material("KQRRBNPPPP", "KQRRNNPPPP"), to_move(BLACK))]],
    7: [[both(material("KQRRBNNPPPP", "KQRRBNNPPPP"), result("0-1"))]],
    8: [[one_of(material("KRBPPP", "KRPPP"), material("KRPPP", "KRPPP"))]],
    9: [[move(WHITE, chess.KNIGHT, "b7")]],
    10: [[move(BLACK, chess.PAWN, "c3")]],
    11: [[move(BLACK, chess.PAWN, "e1")]],
    12: [[castles(BLACK, "g")]],
    14: [[castles(BLACK, "c")]],
    15: [[castles(BLACK, "c", "g")]],
    16: [[one_of(*(move(WHITE, chess.PAWN, to) for to in ("a7", "b7")), move(WHITE, chess.ROOK, "c1", "a"))]],
    17: [[ahead("", "PP")]],
    18: [[one_of(ahead("B", "N"), ahead("NN", "B"))]],
    19: [[both(takes_queen(chess.KING, chess.PAWN), result("1-0", "0-1"))]],
    20: [[both(lambda p: p.board.is_checkmate(), result("0-1"))]],
    21: [
        [
            one_of(
                pieces("rnbqkbnr/pp1p1ppp/2p5/4p3/3PP3/8/PPP2PPP/RNBQKBNR"),
                pieces("rnbqkbnr/pp1ppppp/8/2p5/4P3/5N2/PPPP1PPP/RNBQKB1R"),
            )
        ]
    ],
    22: [[both(pieces("8/3p4/8/8/8/8/8/8"), result("1-0"))], [pieces("8/2q5/8/8/8/8/8/R6R")]],
    23: [[BISHOP], [pieces("8/8/8/8/2B5/8/8/8")], [pieces("8/8/8/8/8/5B2/8/8")]],
    24: [[BISHOP, result("0-1"), result("0-1")]],
    25: [[BENONI], [E5, TAKES, F5], [NE4]],
    26: [[BENONI], [E5, TAKES, F5, NE4]],
    27: [[BENONI], [E5, ANY, F5], [NE4]],
    28: [[ahead("NN", "B")] * 3],
    29: [[takes_queen(chess.PAWN), lambda p: not p.played.captured]],
    30: [[both(E4, move(WHITE, chess.PAWN, "e4"), to_move(BLACK))]],
}


def finds(streaks, positions):
    """Whether the streaks occur one after the other: each begins at the first place that fits after the one before."""
    at = 0
    for streak in streaks:
        fits = (
            start
            for start in range(at, len(positions) - len(streak) + 1)
            if all(condition(p) for condition, p in zip(streak, positions[start:]))
        )
        start = next(fits, None)
        if start is None:
            return False
        at = start + len(streak)
    return True


def queries():
    """plyfold's query for each test, from the table."""
    page = (ROOT / "docs/PEERS.md").read_text()
    section = page[page.index("## Scoutfish's tests") :]
    section = section[: section.index("\n## ")]
    rows = re.findall(r"^\| (\d+) \| .*? \| `(.*)` \| [^|]*\|$", section, re.M)
    return {int(number): query.replace("\\|", "|") for number, query in rows}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("plyfold", type=pathlib.Path)
    arguments.add_argument("games", type=pathlib.Path, nargs="?", default=SHARED if SHARED.exists() else DEMO)
    arguments.add_argument("--games", type=int, default=2000, dest="wanted", help="how many games are compared")
    arguments.add_argument("--every", type=int, default=1, help="take one game of so many")
    given = arguments.parse_args()
    games, part = some_games(read_text(given.games).decode(), given.wanted, given.every)
    table, different = queries(), 0
    if sorted(table) != sorted(TESTS):
        sys.exit(f"the table has queries for {sorted(table)}, and {sorted(TESTS)} are known here")
    with tempfile.TemporaryDirectory() as folder:
        pgn = pathlib.Path(folder) / "games.pgn"
        pgn.write_text(part)
        engine = Engine(given.plyfold, pgn, pathlib.Path(folder) / "games.plyfold")
        for number, streaks in TESTS.items():
            theirs = {nth for nth, game in enumerate(games, 1) if finds(streaks, game.positions)}
            ours, _ = engine.ask(table[number], positions=False)
            different += not row(f"{number}: {table[number]}"[:74], (theirs,), (ours,), ("games",))
    print(f"{len(games)} games, {len(TESTS)} tests, {different} of them different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
