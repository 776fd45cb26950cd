"""What queries mean, computed again with python-chess: games and positions per query, against those of `plyfold query`.

    python tests/peers/meaning.py PLYFOLD [GAMES.pgn[.zst]] [--games 2000] [--every 1]

PLYFOLD is the program, built in release mode. Without GAMES, master-30k of the shared data is read where it stands beside the
project, else the demo games. Positions come from the first `--games` of every so many; headers are asked of all. Every condition is written from
`core/query/src/GRAMMAR.md` with the means of python-chess, none from the engine. Prints a row for each query, and where the two
differ the first games and plies at which they do; exits with 1 if any does.

Needs python-chess (`pip install chess==1.11.2`) and, for packed files, `zstd`.
"""


import argparse
import io
import pathlib
import re
import sys
import tempfile
import time

import chess
import chess.pgn

import followed
from comparison import DEMO, HEADINGS, ROOT, SHARED, Engine, read_text, row, some_games
from headers import HEADERS
from plies import ever
from queries import EVIDENCE, QUERIES


def asked(query):
    """A query's text, its positions, and its games: those with such a position, unless it says otherwise."""
    text, position, *game = query
    return text, position, game[0] if game else ever


def predicates():
    """The names of predicates in the grammar's table."""
    page = (ROOT / "core/query/src/GRAMMAR.md").read_text()
    table = page[page.index("## Predicates") : page.index("`A attacks B`")]
    return [name for row in re.findall(r"^\| ((?:`[a-z_]+` ?)+)\|", table, re.M) for name in re.findall("[a-z_]+", row)]


def all_headers(text):
    source, tags = io.StringIO(text), []
    while (headers := chess.pgn.read_headers(source)) is not None:
        tags.append(headers)
    return tags


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("plyfold", type=pathlib.Path)
    arguments.add_argument("games", type=pathlib.Path, nargs="?", default=SHARED if SHARED.exists() else DEMO)
    arguments.add_argument("--games", type=int, default=2000, dest="wanted", help="whose positions are compared")
    arguments.add_argument("--every", type=int, default=1, help="take one game of so many")
    given = arguments.parse_args()
    text = read_text(given.games).decode()
    start = time.monotonic()
    games, part = some_games(text, given.wanted, given.every)
    plies = sum(len(game.positions) for game in games)
    taken = f"one of {given.every}" if given.every > 1 else "the first"
    print(f"{len(games)} games, {taken} of {given.games.name}, {plies} plies; python-chess {chess.__version__}")
    print(f"{'':<74}{'games':>20}{'positions':>20}\n{'query':<74}{HEADINGS}")
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pgn = folder / "first.pgn"
        pgn.write_text(part)
        engine = Engine(given.plyfold, pgn, folder / "first.plyfold")
        for query in QUERIES:
            query, position, judged = asked(query)
            matching, places = set(), set()
            for nth, game in enumerate(games, 1):
                holds = [bool(position(p)) for p in game.positions]
                places.update((nth, ply) for ply, held in enumerate(holds, 1) if held)
                if judged(game, holds):
                    matching.add(nth)
            ours = engine.ask(query, positions=True)
            different += not row(query, (matching, places), ours, ("games", "positions"))
        print("positions that are evidence")
        for query, found in EVIDENCE:
            places = {(nth, ply) for nth, game in enumerate(games, 1) for ply in found(game)}
            _, ours = engine.ask(query, positions=True, evidence=True)
            different += not row(query, (places,), (ours,), ("positions",))
        print("one piece through the game, with its evidence")
        for query in followed.FOLLOWED:
            matching, places = set(), set()
            for nth, game in enumerate(games, 1):
                matches, plies = followed.found(game, query)
                matching.update([nth] if matches else [])
                places.update((nth, ply) for ply in plies)
            ours = engine.ask(query[0], positions=True, evidence=True)
            different += not row(query[0], (matching, places), ours, ("games", "positions"))
        pgn.write_text(text)
        engine = Engine(given.plyfold, pgn, folder / "all.plyfold")
        tags = all_headers(text)
        print(f"headers, of {len(tags)} games")
        for query, holds in HEADERS:
            matching = {nth for nth, of in enumerate(tags, 1) if holds(of)}
            ours, _ = engine.ask(query, positions=False)
            different += not row(query, (matching,), (ours,), ("games",))
    queries = len(QUERIES) + len(EVIDENCE) + len(followed.FOLLOWED) + len(HEADERS)
    asked_for = set(re.findall("[a-z_]+", " ".join(query[0] for query in QUERIES)))
    for name in predicates():
        if name not in asked_for:
            print(f"no query speaks of {name}")
    print(f"{queries} queries, {different} of them different; {time.monotonic() - start:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
