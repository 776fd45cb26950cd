"""Checks values of endgame tables by the moves of python-chess: a value must follow from the values after all legal moves.

usage: python tests/peers/minimax.py --tables DIR [--egtgen PROGRAM] [--positions N] [--seed N] MATERIAL...

Draws N random positions of each material, half of them with White to move. Where both sides have pawns, half of the positions
follow a double step, so that en passant is tried: by one taker or two, pinned or not. `egtgen probe` gives the value of each
position and of each position after a legal move by python-chess, whose moves, checkmates and stalemates decide what the value must
be. Prints a line for each material, and the first positions that differ; exits with 1 if any does.
"""

import argparse
import collections
import json
import random
import subprocess
import sys

import chess

PIECES = {letter: chess.PIECE_SYMBOLS.index(letter.lower()) for letter in "KQRBNP"}


def random_position(material: str, rng: random.Random, wants_double_step: bool) -> chess.Board | None:
    """A legal position of a material, if the first attempt is one."""
    white, black = material.split("v")
    board = chess.Board(None)
    squares = rng.sample(chess.SQUARES, len(white) + len(black))
    for color, letters in ((chess.WHITE, white), (chess.BLACK, black)):
        for letter in letters:
            square = squares.pop()
            if letter == "P" and chess.square_rank(square) in (0, 7):
                return None
            board.set_piece_at(square, chess.Piece(PIECES[letter], color))
    board.turn = rng.random() < 0.5
    if wants_double_step:
        rank, behind, start = (4, 5, 6) if board.turn else (3, 2, 1)
        stepped = [square for square in board.pieces(chess.PAWN, not board.turn) if chess.square_rank(square) == rank]
        if not stepped:
            return None
        file = chess.square_file(rng.choice(stepped))
        if any(board.piece_at(chess.square(file, empty)) for empty in (behind, start)):
            return None
        board.ep_square = chess.square(file, behind)
        if not board.has_pseudo_legal_en_passant():
            return None
    return board if board.is_valid() else None


def probe(program: str, tables: str, fens: list[str]) -> dict[str, tuple[str, int | None]]:
    """The result of each position for the side to move, and its plies to mate."""
    asked = sorted(set(fens))
    command = [program, "probe", "--tables", tables, "--no-line", "--format", "json", "-"]
    found = subprocess.run(command, input="\n".join(asked), capture_output=True, text=True)
    values = {}
    for line in found.stdout.splitlines():
        row = json.loads(line)
        if "error" in row:
            sys.exit(f"egtgen: {row['error']}")
        values[row["fen"]] = (row["result"], row.get("dtm_plies"))
    missing = [fen for fen in asked if fen not in values]
    if missing:
        sys.exit(f"no value of {missing[0]}: {found.stderr.strip()}")
    return values


def is_bare(board: chess.Board) -> bool:
    return board.occupied.bit_count() == 2


def value_by_moves(board: chess.Board, values: dict[str, tuple[str, int | None]]) -> tuple[str, int | None]:
    """What the position must be worth by the values after its moves."""
    if board.is_checkmate():
        return ("loss", 0)
    after = []
    for move in board.legal_moves:
        board.push(move)
        after.append(("draw", None) if is_bare(board) else values[board.fen()])
        board.pop()
    lost = [plies for result, plies in after if result == "loss"]
    if lost:
        return ("win", 1 + min(lost))
    if after and all(result == "win" for result, _ in after):
        return ("loss", 1 + max(plies for _, plies in after))
    return ("draw", None)


def check(material: str, arguments: argparse.Namespace) -> int:
    rng = random.Random(f"{arguments.seed} {material}")
    has_double_steps = all("P" in side for side in material.split("v"))
    boards: list[chess.Board] = []
    while len(boards) < arguments.positions:
        board = random_position(material, rng, has_double_steps and len(boards) % 2 == 0)
        if board is not None:
            boards.append(board)
    fens = [board.fen() for board in boards]
    for board in boards:
        for move in board.legal_moves:
            board.push(move)
            if not is_bare(board):
                fens.append(board.fen())
            board.pop()
    values = probe(arguments.egtgen, arguments.tables, fens)
    counts, wrong = collections.Counter(), 0
    for board in boards:
        own, expected = values[board.fen()], value_by_moves(board, values)
        counts[own[0]] += 1
        takers = [move for move in board.generate_pseudo_legal_ep()]
        counts["two takers"] += len(takers) == 2
        counts["pinned takers"] += any(not board.is_legal(move) for move in takers)
        if own != expected:
            wrong += 1
            if wrong <= 5:
                print(f"{material}: {board.fen(en_passant='fen')}: egtgen {own}, by python-chess's moves {expected}")
    print(f"{material}: {len(boards)} positions, {len(set(fens))} probed, {dict(counts)}, {wrong} wrong", flush=True)
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", required=True)
    parser.add_argument("--egtgen", default="egtgen")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("materials", nargs="+")
    arguments = parser.parse_args()
    sys.exit(1 if sum(check(material, arguments) for material in arguments.materials) else 0)


if __name__ == "__main__":
    main()
