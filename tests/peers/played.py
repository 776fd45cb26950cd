"""Conditions on moves, computed with python-chess from the board before the move; `meaning.py` compares them."""

import chess


class Played:
    """A move, the board before it, and the square on which the move before it captured, if it did."""

    def __init__(self, before, move, retaken):
        self.before, self.move, self.retaken = before, move, retaken
        self.side = before.turn
        self.kind = before.piece_type_at(move.from_square)
        self.castles = before.is_castling(move)
        self.arrival = move.to_square
        if self.castles:
            file = 6 if before.is_kingside_castling(move) else 2
            self.arrival = chess.square(file, chess.square_rank(move.from_square))
        # Whether the side has repeated the position by checks alone; the game tells it.
        self.perpetual = False
        # How often the position after it has occurred with the other side to move; the game tells it, too.
        self.other_turn = 0
        self.captured = None
        if before.is_en_passant(move):
            self.captured = chess.PAWN
        elif before.is_capture(move):
            self.captured = before.piece_type_at(move.to_square)

    def capture_square(self):
        """Where this move captured; none if it captured nothing."""
        return self.move.to_square if self.captured else None


def of(condition):
    """A condition of a ply that has a move."""
    return lambda p: p.played is not None and bool(p.played.move) and bool(condition(p.played, p.board))


def steps(m):
    """Files and ranks from the departure to the arrival, as the side that moves sees the ranks."""
    files = chess.square_file(m.arrival) - chess.square_file(m.move.from_square)
    ranks = chess.square_rank(m.arrival) - chess.square_rank(m.move.from_square)
    return files, ranks if m.side == chess.WHITE else -ranks


def is_quiet(m):
    return not m.captured and not m.move.promotion


def discovers(m, after):
    """Gives check by a piece that did not move; in castling, the king and the rook moved."""
    rook = m.arrival + (-1 if chess.square_file(m.arrival) == 6 else 1)
    moved = {m.arrival, rook} if m.castles else {m.arrival}
    return any(checker not in moved for checker in after.checkers())


E5, H7, F3 = chess.E5, chess.H7, chess.F3
WHITE, BLACK = chess.WHITE, chess.BLACK

# A query, and the plies that match.
MOVES = [
    ("white plays knight to e5", of(lambda m, b: m.side == WHITE and m.kind == chess.KNIGHT and m.arrival == E5)),
    (
        "plays pawn from 2 to 4",
        of(lambda m, b: m.kind == chess.PAWN and m.move.from_square // 8 == 1 and m.arrival // 8 == 3),
    ),
    ("black plays king from e8", of(lambda m, b: m.side == BLACK and m.kind == chess.KING and m.move.from_square == chess.E8)),
    ("white plays to own 8", of(lambda m, b: m.side == WHITE and m.arrival // 8 == 7)),
    ("white bishop captures on h7", of(lambda m, b: m.side == WHITE and m.kind == chess.BISHOP and m.captured and m.arrival == H7)),
    ("captures queen", of(lambda m, b: m.captured == chess.QUEEN)),
    ("pawn captures rook", of(lambda m, b: m.kind == chess.PAWN and m.captured == chess.ROOK)),
    ("knight on f3 captures", of(lambda m, b: m.kind == chess.KNIGHT and m.move.from_square == F3 and m.captured)),
    ("recaptures", of(lambda m, b: m.captured and m.move.to_square == m.retaken)),
    ("black recaptures pawn", of(lambda m, b: m.side == BLACK and m.captured == chess.PAWN and m.move.to_square == m.retaken)),
    ("promotes", of(lambda m, b: m.move.promotion)),
    ("promotes to knight", of(lambda m, b: m.move.promotion == chess.KNIGHT)),
    ("underpromotes", of(lambda m, b: m.move.promotion not in (None, chess.QUEEN))),
    ("castles_short", of(lambda m, b: m.castles and chess.square_file(m.arrival) == 6)),
    ("black castles_long", of(lambda m, b: m.side == BLACK and m.castles and chess.square_file(m.arrival) == 2)),
    ("en_passant", of(lambda m, b: m.before.is_en_passant(m.move))),
    ("white quiet", of(lambda m, b: m.side == WHITE and is_quiet(m))),
    ("plays rook backward", of(lambda m, b: m.kind == chess.ROOK and steps(m)[1] < 0)),
    ("plays queen along a diagonal", of(lambda m, b: m.kind == chess.QUEEN and abs(steps(m)[0]) == abs(steps(m)[1]))),
    ("plays queen along a rank quiet", of(lambda m, b: m.kind == chess.QUEEN and steps(m)[1] == 0 and is_quiet(m))),
    ("plays rook along a file forward", of(lambda m, b: m.kind == chess.ROOK and steps(m)[0] == 0 and steps(m)[1] > 0)),
    ("white gives_check", of(lambda m, b: m.side == WHITE and b.is_check())),
    ("gives_double_check", of(lambda m, b: len(b.checkers()) == 2)),
    ("gives_discovered_check", of(discovers)),
    ("black gives_mate", of(lambda m, b: m.side == BLACK and b.is_checkmate())),
    ("white perpetual", of(lambda m, b: m.side == WHITE and m.perpetual)),
    ("queen perpetual", of(lambda m, b: m.kind == chess.QUEEN and m.perpetual)),
    ("stalemates", of(lambda m, b: b.is_stalemate())),
]
