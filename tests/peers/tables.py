"""What endgame tables say of games, probed by python-chess in Syzygy tables, against the results of `plyfold query`.

    python tests/peers/tables.py PLYFOLD SYZYGY [GAMES.pgn[.zst]] [--number N] [--tables DIR]

It takes the first N games (300) that come to as few pieces as the tables have. With --tables it also asks the tables of egtgen in that
folder, which must know the same positions. Prints the differences, and exits with 1 if there are any.
"""

import argparse
import io
import pathlib
import sys
import tempfile

import chess
import chess.pgn
import chess.syzygy

from comparison import DEMO, SHARED, Engine, read_text, row

BOTH = (chess.WHITE, chess.BLACK)


class Ply:
    """A ply: who moved, and the half points of White by best play before it and after it, if tables know them."""

    def __init__(self, mover, before, after, board):
        self.mover, self.before, self.after, self.board = mover, before, after, board

    def points(self, side):
        return side_points(self.after, side)

    def lost(self, side):
        """What the move of a side gave away; unknown unless both verdicts are known or one of them settles it."""
        if self.mover != side:
            return 0
        before, after = side_points(self.before, side), side_points(self.after, side)
        if before == 0 or after == 2:
            return 0
        return None if before is None or after is None else before - after


def side_points(of_white, side):
    return of_white if of_white is None or side == chess.WHITE else 2 - of_white


def probe(tables, board):
    """The half points of White, whatever the fifty-move rule says; none if no table knows the position."""
    try:
        wdl = tables.probe_wdl(board)
    except (KeyError, chess.syzygy.MissingTableError):
        return None
    own = (wdl > 0) + (wdl >= 0)
    return side_points(own, board.turn)


def plies_of(tables, game, most):
    board, plies = game.board(), []
    before = probe(tables, board) if few(board, most) else None
    for move in game.mainline_moves():
        mover = board.turn if move else None
        board.push(move)
        after = probe(tables, board) if few(board, most) else None
        plies.append(Ply(mover, before, after, board.copy(stack=False)))
        before = after
    return plies


def few(board, most):
    return chess.popcount(board.occupied) <= most


# Kleene's logic: None is unknown.
def no(truth):
    return None if truth is None else not truth


def all_of(*truths):
    return False if False in truths else None if None in truths else True


def some_of(*truths):
    return no(all_of(*map(no, truths)))


def has(side, points):
    return lambda p: None if p.points(side) is None else p.points(side) == points


def threw(side, had, keeps):
    def holds(p):
        if p.mover != side:
            return False
        points = side_points(p.before, side), p.points(side)
        lost = None if points[1] is None else points[1] < 2 if keeps == 2 else points[1] == 0
        return all_of(None if points[0] is None else points[0] == had, lost)

    return holds


def loses(side, number):
    return lambda p: None if p.lost(side) is None else p.lost(side) == number


def mover(points):
    return lambda p: has(p.board.turn, points)(p)


def negated(holds):
    return lambda p: no(holds(p))


def joined(join, *parts):
    return lambda p: join(*(part(p) for part in parts))


def has_rook(p):
    return bool(p.board.pieces(chess.ROOK, chess.BLACK))


WHITE_WINS, DRAW = has(chess.WHITE, 2), has(chess.WHITE, 1)
THREW_ANY = joined(some_of, *(threw(side, had, had) for side in BOTH for had in (2, 1)))
# A query, what holds at a position, and whether the query is about changes.
QUERIES = [
    ("white tb win", WHITE_WINS),
    ("black tb win", has(chess.BLACK, 2)),
    ("black tb loss", WHITE_WINS),
    ("tb draw", DRAW),
    ("tb win", negated(DRAW)),
    ("mover tb loss", mover(0)),
    ("{ not white tb win }", negated(WHITE_WINS)),
    ("{ not waiter tb win }", negated(mover(0))),
    ("{ black rook and not tb draw }", joined(all_of, has_rook, negated(DRAW))),
    ("{ no black rook or white tb win }", joined(some_of, lambda p: not has_rook(p), WHITE_WINS)),
    ("white threw_away win", threw(chess.WHITE, 2, 2)),
    ("black threw_away draw", threw(chess.BLACK, 1, 1)),
    ("threw_away", THREW_ANY),
    ("half_points_lost(white) = 2", loses(chess.WHITE, 2)),
    ("{ half_points_lost(black) = 1 and not white tb win }", joined(all_of, loses(chess.BLACK, 1), negated(WHITE_WINS))),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plyfold", type=pathlib.Path)
    parser.add_argument("syzygy", type=pathlib.Path)
    parser.add_argument("games", type=pathlib.Path, nargs="?", default=SHARED if SHARED.exists() else DEMO)
    parser.add_argument("--number", type=int, default=300, help="games that come to few pieces")
    parser.add_argument("--tables", type=pathlib.Path, help="tables of egtgen with the same materials")
    arguments = parser.parse_args()
    most = max(len(path.stem) - 1 for path in arguments.syzygy.glob("*.rtbw"))
    equal = True
    with chess.syzygy.open_tablebase(str(arguments.syzygy)) as tables, tempfile.TemporaryDirectory() as folder:
        text = read_text(arguments.games).decode(errors="replace")
        games, parts = few_piece_games(tables, text, arguments.number, most)
        pgn = pathlib.Path(folder) / "games.pgn"
        pgn.write_text("".join(parts))
        engine = Engine(arguments.plyfold, pgn, pathlib.Path(folder) / "games.plyfold")
        known = sum(p.after is not None for plies in games for p in plies)
        print(f"{len(games)} games, {known} positions of at most {most} pieces that tables know")
        sources = [("--syzygy", arguments.syzygy)] + ([("--tables", arguments.tables)] if arguments.tables else [])
        for option, path in sources:
            for query, holds in QUERIES:
                theirs = matches(games, holds)
                ours = engine.ask(query, True, options=(option, path))
                equal &= row(f"{option[2:]:<8}{query}", theirs, ours, ("games", "positions"))
            for word, first, second in (("became", False, True), ("ceased", True, False)):
                theirs = changes(games, WHITE_WINS, first, second)
                ours = engine.ask(f"{word} white tb win", True, evidence=True, options=(option, path))
                equal &= row(f"{option[2:]:<8}{word} white tb win", theirs, ours, ("games", "positions"))
    sys.exit(0 if equal else 1)


def few_piece_games(tables, text, wanted, most):
    """The plies of the first games that come to so few pieces, and their text."""
    source, games, parts = io.StringIO(text), [], []
    while len(games) < wanted:
        begin = source.tell()
        game = chess.pgn.read_game(source)
        if game is None:
            break
        if few(game.end().board(), most):
            games.append(plies_of(tables, game, most))
            parts.append(text[begin : source.tell()])
    return games, parts


def matches(games, holds):
    places = {
        (number, ply)
        for number, plies in enumerate(games, 1)
        for ply, p in enumerate(plies, 1)
        if holds(p) is True
    }
    return {game for game, _ in places}, places


def changes(games, holds, first, second):
    places = set()
    for number, plies in enumerate(games, 1):
        for ply in range(2, len(plies) + 1):
            if holds(plies[ply - 2]) is first and holds(plies[ply - 1]) is second:
                places.add((number, ply))
    return {game for game, _ in places}, places


if __name__ == "__main__":
    main()
