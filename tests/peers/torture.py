"""What python-chess makes of the torture files of a folder.

    python tests/peers/torture.py [FOLDER]

Reads every PGN in FOLDER (tests/torture without it) and writes python-chess.json beside them, which
tests/tests/pgn/nasty.rs compares with the project's own reader: for each game the number of plies of its main line,
the errors, and the last position as FEN. Needs python-chess (`pip install chess==1.11.2`).
"""

import io
import json
import logging
import pathlib
import sys

import chess.pgn


def outcome(game):
    board = game.end().board()
    return {
        "plies": sum(1 for _ in game.mainline()),
        "errors": [str(error) for error in game.errors],
        "final_fen": board.fen(en_passant="legal"),
    }


def games(path):
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252")
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        yield outcome(game)


def main():
    logging.disable(logging.ERROR)  # The errors are in the games as well.
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "torture")
    found = {path.name: {"games": list(games(path))} for path in sorted(folder.glob("*.pgn"))}
    text = ",\n".join(f" {json.dumps(name)}: {json.dumps(file)}" for name, file in found.items())
    (folder / "python-chess.json").write_text("{\n" + text + "\n}\n")


main()
