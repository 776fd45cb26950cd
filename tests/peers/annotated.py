"""What the text of games says of the moves, read by python-chess, against the results of `plyfold query`: evaluations, clocks, marks
and the words of comments.

    python tests/peers/annotated.py PLYFOLD [GAMES.pgn[.zst]]

Without a file it reads the demo games, of which a quarter has evaluations and clocks. The rule of blunders, mistakes and inaccuracies
is written here from that of Lichess. Prints the differences, and exits with 1 if there are any.
"""

import io
import math
import pathlib
import re
import sys
import tempfile

import chess
import chess.engine
import chess.pgn

from comparison import DEMO, Engine, read_text, row

COMMAND = re.compile(r"\[%[^\]]*\]")
# By the first word of a time control: seconds.
BASE = re.compile(r"^(?:\d+/)?(\d+)")


class Said:
    """A ply, and what the text says of it: centipawns and mates from White's side, seconds, glyphs and words."""

    def __init__(self, node, before):
        self.ply, self.side = node.ply(), not node.turn()
        self.before = before
        self.score = None
        if (score := node.eval()) is not None:
            self.score = score.white()
        self.clock = node.clock()
        self.nags = node.nags
        # python-chess joins the comments on a move.
        self.words = COMMAND.sub(" ", node.comment).strip()

    def own(self, score):
        """A score as the side that moved sees it."""
        return score if self.side == chess.WHITE else -score


def chance(centipawns):
    return 2 / (1 + math.exp(-0.00368208 * centipawns)) - 1


def judgement(p):
    """0.1, 0.2 or 0.3 of the chance to win is lost; mates have rules of their own."""
    if p.before is None or p.score is None:
        return None
    before, after = p.own(p.before), p.own(p.score)
    if not before.is_mate() and not after.is_mate():
        lost = chance(before.score()) - chance(after.score())
        return next((name for least, name in ((0.3, "blunder"), (0.2, "mistake"), (0.1, "inaccuracy")) if lost >= least), None)
    mates, mated = (lambda score: score > chess.engine.Cp(0)), (lambda score: score < chess.engine.Cp(0))
    size = lambda number: "inaccuracy" if number > 999 else "mistake" if number > 700 else "blunder"
    if not before.is_mate():
        return size(-before.score()) if mated(after) else None
    if not after.is_mate():
        return size(after.score()) if mates(before) else None
    return "blunder" if mates(before) and mated(after) else None


def plain(words):
    """Letters and digits in lower case, all else as single spaces; the games here have no accents in what is searched."""
    return re.sub(r"[\W_]+", " ", words.lower()).strip()


def says(pattern):
    return lambda p: bool(re.search(pattern, plain(p.words)))


def is_short_of_time(p):
    limit = min(p.base / 10, 300) if p.base else 30
    return p.clock is not None and p.clock < limit


def centipawns(p):
    return None if p.score is None else 100000 * (1 if p.score > chess.engine.Cp(0) else -1) if p.score.is_mate() else p.score.score()


def number(of, holds):
    return lambda p: (value := of(p)) is not None and holds(value)


QUERIES = [
    ("eval >= 3", number(centipawns, lambda n: n >= 300)),
    ("eval < 0", number(centipawns, lambda n: n < 0)),
    ("eval > 10", number(centipawns, lambda n: n > 1000)),
    ("mate_in >= 1", lambda p: p.score is not None and p.score.is_mate() and p.score.mate() >= 1),
    ("mate_in = -2", lambda p: p.score is not None and p.score.is_mate() and p.score.mate() == -2),
    ("blunder", lambda p: judgement(p) == "blunder"),
    ("white mistake", lambda p: p.side == chess.WHITE and judgement(p) == "mistake"),
    ("inaccuracy", lambda p: judgement(p) == "inaccuracy"),
    ("black blunder", lambda p: p.side == chess.BLACK and judgement(p) == "blunder"),
    ("time_trouble", is_short_of_time),
    ("commented", lambda p: bool(p.words)),
    ('nag "??"', lambda p: 4 in p.nags),
    ("nag 6", lambda p: 6 in p.nags),
    ('comment "*the*"', says("the")),
    ('comment "the only move"', says("^the only move$")),
    ('comment "*resigns"', says("resigns$")),
    ('comment "the book*"', says("^the book")),
    ('white comment "*"', lambda p: p.side == chess.WHITE and bool(plain(p.words))),
]


def plies(game):
    """The plies of the main line in order."""
    said, node = [], game
    is_initial = game.board().fen() == chess.STARTING_FEN
    before = chess.engine.Cp(15) if is_initial else None
    base = BASE.match(game.headers.get("TimeControl", ""))
    for nth, node in enumerate(game.mainline(), 1):
        p = Said(node, before)
        p.ply, before = nth, p.score
        p.base = int(base[1]) if base else 0
        said.append(p)
    return said


def main():
    plyfold = pathlib.Path(sys.argv[1])
    path = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else DEMO
    text, games = read_text(path).decode(), []
    source = io.StringIO(text)
    while (game := chess.pgn.read_game(source)) is not None:
        games.append(plies(game))
    print(f"{len(games)} games of {path.name}; python-chess {chess.__version__}")
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        pgn = pathlib.Path(folder) / "games.pgn"
        pgn.write_text(text)
        engine = Engine(plyfold, pgn, pathlib.Path(folder) / "games.plyfold")
        for query, holds in QUERIES:
            places = {(nth, p.ply) for nth, said in enumerate(games, 1) for p in said if holds(p)}
            theirs = ({game for game, _ in places}, places)
            different += not row(query, theirs, engine.ask(query, True), ("games", "positions"))
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
