"""Plays the demo games: Stockfish against itself, from many openings and at many strengths.

The page and the tests need a few thousand games without an owner, so this script generates them.
It invents a calendar of tournaments (`calendar`), gives every pairing a start (an opening line, a set-up
position or a Chess960 position), lets two engine processes play it (`Table`), has some of the games
annotated (`Annotator`), and writes everything as one PGN, packed by zstd when the name ends in `.zst`.

Game n depends only on the seed, on n and on the engine's version: each side searches a fixed number of
nodes on one thread, the hash table is emptied before the game, and every choice comes from a random
generator seeded with (seed, n). The script reads no clock, so `--only n` plays game n again, move for move.

Needs python-chess (`pip install chess==1.11.2`), `stockfish` and `zstd`.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys

import chess
import chess.pgn

from engine import Engine
from game import Table, draw_manner
from notes import Annotator
from starts import read_openings, read_positions
from tournaments import calendar

HERE = pathlib.Path(__file__).resolve().parent


def write_game(number, pairing, seed, engines, openings, positions):
    """Plays game `number` and returns it as a `chess.pgn.Game`."""
    rng = random.Random(f"{seed}/game/{number}")
    event = pairing.event
    board, book, named = chess.Board(), (), None
    if event.start == "chess960":
        standard = 518
        index = rng.randrange(959)
        board = chess.Board.from_chess960_pos(index + (index >= standard))
    elif event.start == "position":
        board = chess.Board(positions[rng.randrange(len(positions))][1])
    else:
        named = openings[rng.randrange(len(openings))]
        book = named.moves
    start = board.copy()
    manner = draw_manner(rng, event.start)
    table = Table(engines[:2], rng, board, manner, (pairing.white, pairing.black))
    result, termination, words = table.play(book)

    game = chess.pgn.Game()
    # python-chess writes SetUp, FEN and Variant itself if the start position is not the usual one.
    game.setup(start)
    game.headers["Event"] = f"{event.name} {pairing.date[:4]}"
    game.headers["Site"] = "plyfold demo"
    game.headers["Date"] = pairing.date
    game.headers["Round"] = str(pairing.round)
    game.headers["White"] = pairing.white.name
    game.headers["Black"] = pairing.black.name
    game.headers["Result"] = result
    if pairing.white.rated:
        game.headers["WhiteElo"] = str(pairing.white_elo)
    if pairing.black.rated:
        game.headers["BlackElo"] = str(pairing.black_elo)
    if named:
        game.headers["ECO"] = named.eco
        game.headers["Opening"] = named.name
    game.headers["TimeControl"] = event.time_control
    game.headers["Termination"] = termination
    game.add_line(table.board.move_stack)

    annotator = Annotator(engines[2], rng)
    if manner.notes == "evals":
        annotator.evals(game, table.scores)
    elif manner.notes == "clocks":
        annotator.clocks(game, event.time_control)
    elif manner.notes == "prose":
        annotator.prose(game, len(book), words)
    return game


def save(path, text):
    """Writes `text` to `path`, compressed if its name ends in `.zst`. The file appears when it is complete."""
    data = text.encode("utf-8")
    if path.suffix == ".zst":
        data = subprocess.run(["zstd", "-19", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(data)
    os.replace(partial, path)


def main():
    parser = argparse.ArgumentParser(description="Plays the demo games and writes them as one PGN.")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "demo/demo.pgn.zst")
    parser.add_argument("--seed", default="plyfold")
    parser.add_argument("--engine", default="/usr/games/stockfish")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="number of the first game to play")
    parser.add_argument("--count", type=int, metavar="N", help="how many games to play, all by default")
    parser.add_argument("--only", type=int, metavar="N", help="play game N and print it")
    options = parser.parse_args()

    openings = read_openings(HERE / "openings.txt")
    positions = read_positions(HERE / "positions.txt")
    pairings = list(enumerate(calendar(options.seed), 1))
    if options.only:
        chosen = pairings[options.only - 1 : options.only]
    else:
        chosen = pairings[options.first - 1 :][: options.count]

    # Three processes, for White, Black and the annotator. Only one of them searches at a time.
    engines = [Engine(options.engine) for _ in range(3)]
    texts, plies = [], 0
    for done, (number, pairing) in enumerate(chosen, 1):
        game = write_game(number, pairing, options.seed, engines, openings, positions)
        texts.append(game.accept(chess.pgn.StringExporter(columns=80)) + "\n\n")
        plies += game.end().ply() - game.ply()
        if done % 50 == 0 or done == len(chosen):
            print(f"{done} of {len(chosen)} games, {plies} plies", file=sys.stderr, flush=True)
    for engine in engines:
        engine.close()

    if options.only:
        print("".join(texts), end="")
    else:
        save(options.out, "".join(texts))


if __name__ == "__main__":
    main()
