"""Reads where games begin: opening lines and set-up positions."""

import dataclasses
import sys

import chess


@dataclasses.dataclass(frozen=True)
class Opening:
    eco: str
    name: str
    moves: tuple


def table_rows(path):
    """The fields of each line of a `|`-separated table, without comments and blank lines."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, [field.strip() for field in line.split("|")]


def read_openings(path):
    openings = []
    for number, (eco, name, text) in table_rows(path):
        board, moves = chess.Board(), []
        for san in text.split():
            try:
                moves.append(board.push_san(san))
            except ValueError as error:
                sys.exit(f"{path.name} line {number}: {san} cannot be played ({error}); correct the line")
        openings.append(Opening(eco, name, tuple(moves)))
    return openings


def read_positions(path):
    positions = []
    for number, (name, fen) in table_rows(path):
        board = chess.Board(fen)
        if not board.is_valid() or board.is_game_over():
            sys.exit(f"{path.name} line {number}: {name} is not a position to play from; correct the FEN")
        positions.append((name, fen))
    return positions
