"""Reads what `plyfold tree` writes with python-chess: the Polyglot book and the PGN, and compares the counts with its own.

    python tests/peers/trees.py PROGRAM CORPUS [DEPTH [LEAST]]
"""

import collections
import io
import subprocess
import sys
import tempfile

import chess.pgn
import chess.polyglot


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def counted(text, depth):
    """Games by position and move, and the points of those who moved."""
    counts = collections.defaultdict(lambda: [0, 0])
    file = io.StringIO(text)
    while (game := chess.pgn.read_game(file)) is not None:
        board = game.board()
        if board.fen() != chess.STARTING_FEN:
            continue
        points = {"1-0": (2, 0), "0-1": (0, 2), "1/2-1/2": (1, 1)}.get(game.headers["Result"], (0, 0))
        seen = set()
        for move in list(game.mainline_moves())[:depth]:
            if not move:
                break
            key = (chess.polyglot.zobrist_hash(board), move)
            if key not in seen:
                seen.add(key)
                counts[key][0] += 1
                counts[key][1] += points[not board.turn]
            board.push(move)
    return counts


def main(program, corpus, depth="12", least="20"):
    options = ["--depth", depth, "--least", least]
    counts = counted(run(program, "export", corpus).decode("utf-8", "replace"), int(depth))
    with tempfile.TemporaryDirectory() as folder:
        book = f"{folder}/book.bin"
        run(program, "tree", corpus, *options, "--format", "polyglot", "-o", book)
        with chess.polyglot.open_reader(book) as reader:
            # Castling is read as a king's step of two squares where the board is known, so every position is walked.
            board, entries, waiting, known = chess.Board(), 0, [chess.Board()], set()
            while waiting:
                board = waiting.pop()
                key = chess.polyglot.zobrist_hash(board)
                if key in known:
                    continue
                known.add(key)
                for entry in reader.find_all(board):
                    games, points = counts[key, entry.move]
                    assert games >= int(least) and entry.weight == max(points, 1), (board.fen(), entry, games, points)
                    entries += 1
                    after = board.copy(stack=False)
                    after.push(entry.move)
                    waiting.append(after)
            assert entries == len(reader), (entries, len(reader))
    file = io.StringIO(run(program, "tree", corpus, *options).decode())
    game = chess.pgn.read_game(file)
    assert not game.errors and chess.pgn.read_game(file) is None, game.errors
    moves, nodes = 0, [game]
    while nodes:
        node = nodes.pop()
        nodes.extend(node.variations)
        for child in node.variations:
            games = int(child.comment.split()[0])
            assert games == counts[chess.polyglot.zobrist_hash(node.board()), child.move][0], child
            moves += 1
    print(f"{entries} moves of the book and {moves} moves of the PGN are as python-chess counts them")


main(*sys.argv[1:])
