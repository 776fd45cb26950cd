"""What `egtgen transform` makes of boards, beside python-chess.

    python tests/peers/transforms.py EGTGEN [--positions N] [--seed S]

EGTGEN is the program, built in release mode. N random positions (100,000 without it), some reached by play, some strewn over the board, are
turned by every transform that python-chess has:

- the four flips, and the three rotations as pairs of them (`chess.flip_vertical` and so on, of `Board.transform`);
- `Board.mirror`, which is `flipcolor`, with castling and en passant;
- the twelve shifts by `chess.shift_up` and so on, a set of squares at a time;
- rows of these: a flip and a shift, two shifts.

Each FEN is compared as a text. Castling and en passant after a transform of python-chess are what its rules leave of them; ours are as decided
(kept under the identity and `flipcolor`; en passant also under `flipH` and a shift along the ranks), so that is written here once more.
Exits with 1 at the first that differs. Needs python-chess (`pip install chess==1.11.2`).
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import chess

FLIPS = {
    "flipH": chess.flip_horizontal,
    "flipV": chess.flip_vertical,
    "flipD": chess.flip_diagonal,
    "flipAD": chess.flip_anti_diagonal,
}
ROTATIONS = {
    "rot90": (chess.flip_vertical, chess.flip_diagonal),
    "rot180": (chess.flip_vertical, chess.flip_horizontal),
    "rot270": (chess.flip_vertical, chess.flip_anti_diagonal),
}
SHIFTS = {
    "shift:0,1": chess.shift_up,
    "shift:0,2": chess.shift_2_up,
    "shift:0,-1": chess.shift_down,
    "shift:0,-2": chess.shift_2_down,
    "shift:1,0": chess.shift_right,
    "shift:2,0": chess.shift_2_right,
    "shift:-1,0": chess.shift_left,
    "shift:-2,0": chess.shift_2_left,
    "shift:-1,1": chess.shift_up_left,
    "shift:1,1": chess.shift_up_right,
    "shift:-1,-1": chess.shift_down_left,
    "shift:1,-1": chess.shift_down_right,
}
PIECES = [chess.Piece(kind, colour) for colour in chess.COLORS for kind in chess.PIECE_TYPES]


def positions(number, draw):
    """Half of them as games go, half of them any men anywhere."""
    board = chess.Board()
    for nth in range(number):
        if nth % 2:
            strewn = chess.Board(None)
            for square in draw.sample(chess.SQUARES, draw.randrange(33)):
                strewn.set_piece_at(square, draw.choice(PIECES))
            strewn.turn = draw.choice(chess.COLORS)
            strewn.halfmove_clock, strewn.fullmove_number = draw.randrange(100), draw.randrange(1, 400)
            yield strewn
            continue
        moves = list(board.legal_moves)
        if not moves or board.ply() > 120:
            board = chess.Board()
            moves = list(board.legal_moves)
        board.push(draw.choice(moves))
        yield board.copy(stack=False)


def flipped(board, steps):
    turned = board
    for step in steps:
        turned = turned.transform(step)
    return turned


def shifted(board, step):
    turned = board.copy(stack=False)
    # What leaves the board has no bit there any more.
    for name in ("pawns", "knights", "bishops", "rooks", "queens", "kings", "occupied", "promoted"):
        setattr(turned, name, step(getattr(board, name)))
    turned.occupied_co = [step(side) for side in board.occupied_co]
    return turned


def fen(turned, board, ep_square):
    """The men as python-chess has turned them, and the rest as decided."""
    ep = chess.square_name(ep_square) if ep_square is not None else "-"
    side = "w" if board.turn else "b"
    return f"{turned.board_fen()} {side} - {ep} {board.halfmove_clock} {board.fullmove_number}"


def expected(op, board):
    ep = board.ep_square
    if op == "identity":
        return board.fen(en_passant="fen")
    if op == "flipcolor":
        return board.mirror().fen(en_passant="fen")
    if op in FLIPS:
        return fen(flipped(board, [FLIPS[op]]), board, ep ^ 7 if op == "flipH" and ep is not None else None)
    if op in ROTATIONS:
        return fen(flipped(board, ROTATIONS[op]), board, None)
    if op in SHIFTS:
        goes = SHIFTS[op](chess.BB_SQUARES[ep]) if ep is not None and op.endswith(",0") else 0
        return fen(shifted(board, SHIFTS[op]), board, chess.lsb(goes) if goes else None)
    first, second = op.split()
    between = chess.Board(None)
    between.set_fen(expected(first, board))
    between.castling_rights = chess.BB_EMPTY
    return expected(second, between)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("egtgen", type=pathlib.Path)
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    boards = list(positions(arguments.positions, random.Random(arguments.seed)))
    rights = sum(bool(board.castling_rights) for board in boards)
    ep = sum(board.ep_square is not None for board in boards)
    print(f"{len(boards)} positions, {rights} with castling rights, {ep} with an en passant square")
    rows = ["flipD shift:1,-1", "rot90 flipAD", "shift:2,0 shift:-2,0", "rot270 shift:0,2"]
    compared = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "positions.fen"
        path.write_text("".join(board.fen(en_passant="fen") + "\n" for board in boards))
        for op in ["identity", "flipcolor", *FLIPS, *ROTATIONS, *SHIFTS, *rows]:
            command = [arguments.egtgen.resolve(), "transform", op, "--file", path]
            lines = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()
            if len(lines) != len(boards):
                sys.exit(f"{op}: {len(lines)} lines")
            for board, line in zip(boards, lines):
                if line != expected(op, board):
                    sys.exit(f"{op} of {board.fen(en_passant='fen')}: {line}, and python-chess has {expected(op, board)}")
            compared += len(lines)
            print(f"  {op}: equal")
    print(f"{compared} images, all equal")


if __name__ == "__main__":
    main()
