"""Annotates games of a PGN with Stockfish: `[%eval]` after each move, and `?!`, `?` and `??` by Lichess's rule.

Nothing else is invented: there are no clocks, no words and no better moves. Evaluations, glyphs and comments that a game already
has are removed, and so are its variations. The same games, nodes and engine give the same text.

Needs python-chess (`pip install chess==1.11.2`), `stockfish` and `zstd`.
"""

import argparse
import io
import math
import pathlib
import sys

import chess
import chess.engine
import chess.pgn

import check
from play import save

HERE = pathlib.Path(__file__).resolve().parent
# Lichess counts the initial position as 15 centipawns.
INITIAL = chess.engine.Cp(15)


def chance(centipawns):
    """The chance to win, from -1 to 1, of an evaluation."""
    return 2 / (1 + math.exp(-0.00368208 * centipawns)) - 1


def by_size(centipawns):
    """The glyph of a move that gets or loses a mate, by how decided the game is without it."""
    if centipawns > 999:
        return chess.pgn.NAG_DUBIOUS_MOVE
    return chess.pgn.NAG_MISTAKE if centipawns > 700 else chess.pgn.NAG_BLUNDER


def glyph(before, after):
    """The glyph of a move by the scores before and after it, from the side that moved; none if it is fine."""
    had, has = before.mate(), after.mate()
    if not before.is_mate() and not after.is_mate():
        lost = chance(before.score()) - chance(after.score())
        if lost >= 0.3:
            return chess.pgn.NAG_BLUNDER
        if lost >= 0.2:
            return chess.pgn.NAG_MISTAKE
        return chess.pgn.NAG_DUBIOUS_MOVE if lost >= 0.1 else None
    if not before.is_mate():
        return by_size(-before.score()) if has < 0 else None
    mates = had > 0
    if not after.is_mate():
        return by_size(after.score()) if mates else None
    return chess.pgn.NAG_BLUNDER if mates and has < 0 else None


def evaluation(engine, board, nodes):
    """White's score of a position; None if the game is over there."""
    if board.is_game_over():
        return None
    return engine.analyse(board, chess.engine.Limit(nodes=nodes), game=object())["score"].white()


def annotate(engine, game, nodes):
    """The game with evaluations and glyphs alone."""
    annotated = chess.pgn.Game(game.headers.copy())
    annotated.headers["Annotator"] = engine.id["name"]
    board = game.board()
    # A position that is not the initial one has an evaluation of its own.
    before = INITIAL if board.fen() == chess.STARTING_FEN else evaluation(engine, board, nodes)
    node = annotated
    for move in game.mainline_moves():
        mover = board.turn
        node = node.add_variation(move)
        board.push(move)
        after = evaluation(engine, board, nodes)
        if after is not None:
            node.set_eval(chess.engine.PovScore(after, chess.WHITE))
            mark = None
            if before is not None:
                mark = glyph(*(score if mover == chess.WHITE else -score for score in (before, after)))
            if mark is not None:
                node.nags.add(mark)
        before = after
    return annotated


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pgn", type=pathlib.Path, nargs="?", default=HERE.parent / "demo/demo.pgn.zst")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the PGN to write; packed if it ends in .zst")
    parser.add_argument("--every", type=int, default=50, help="annotate one game of so many")
    parser.add_argument("--nodes", type=int, default=20_000, help="nodes for each position")
    parser.add_argument("--engine", default="/usr/games/stockfish")
    arguments = parser.parse_args()
    stream = io.StringIO(check.read_text(arguments.pgn).decode())
    games = iter(lambda: chess.pgn.read_game(stream), None)
    texts = []
    with chess.engine.SimpleEngine.popen_uci(arguments.engine) as engine:
        engine.configure({"Threads": 1, "Hash": 16})
        for number, game in enumerate(games, 1):
            # Games of Chess960 have castling rules of their own, which the engine would have to be told.
            if number % arguments.every or "Variant" in game.headers:
                continue
            if game.errors:
                sys.exit(f"game {number}: {game.errors[0]}")
            exporter = chess.pgn.StringExporter(headers=True, comments=True, variations=False)
            texts.append(annotate(engine, game, arguments.nodes).accept(exporter) + "\n\n")
            print(f"game {number}", file=sys.stderr)
    save(arguments.out, "".join(texts))


if __name__ == "__main__":
    main()
