"""Where squares lie and what lines meet, with the means of python-chess: queries for `meaning.py` and their conditions."""

import chess

SIDES = [chess.WHITE, chess.BLACK]
POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 100}
SLIDERS = (chess.ROOK, chess.BISHOP, chess.QUEEN)


def steps(one, other):
    """How many files and ranks apart two squares are, with the direction."""
    return chess.square_file(one) - chess.square_file(other), chess.square_rank(one) - chess.square_rank(other)


def forward(square, other, side):
    """How many ranks a square lies ahead of another on its file; 0 on another file."""
    files, ranks = steps(square, other)
    return 0 if files else ranks * (1 if side == chess.WHITE else -1)


def passed_pawns(board, side):
    def stops(other, pawn):
        files, ranks = steps(other, pawn)
        return abs(files) <= 1 and ranks * (1 if side == chess.WHITE else -1) > 0

    enemy = board.pieces(chess.PAWN, not side)
    return [pawn for pawn in board.pieces(chess.PAWN, side) if not any(stops(other, pawn) for other in enemy)]


def second_on_line(board, square):
    """Pairs of the first piece on a line of a slider, and each square that it would attack without that piece."""
    if board.piece_type_at(square) not in SLIDERS:
        return
    attacked = board.attacks(square)
    for first in attacked:
        if board.piece_at(first):
            without = board.copy(stack=False)
            without.remove_piece_at(first)
            yield from ((first, behind) for behind in without.attacks(square) - attacked)


def skewers(board, side):
    found = []
    for square in chess.SquareSet(board.occupied_co[side]):
        for front, behind in second_on_line(board, square):
            pieces = [board.piece_at(one) for one in (front, behind)]
            if any(one is None or one.color == side or one.piece_type == chess.PAWN for one in pieces):
                continue
            first, second = (POINTS[one.piece_type] for one in pieces)
            gives_way = first > POINTS[board.piece_type_at(square)] or not board.is_attacked_by(not side, front)
            if second <= first and gives_way:
                found.append(square)
    return found


def xrays(board, side, kind, target, through=lambda piece: True):
    """The pieces of a kind that attack such a piece through such another."""
    return [
        square
        for square in board.pieces(kind, side)
        for first, second in second_on_line(board, square)
        if board.piece_at(second) and target(board.piece_at(second)) and through(board.piece_at(first))
    ]


def either(condition):
    return lambda p: any(condition(p.board, side) for side in SIDES)


def white(condition):
    return lambda p: bool(condition(p.board, chess.WHITE))


def is_between(board, side):
    king = board.king(side)
    queens = board.pieces(chess.QUEEN, side)
    knights = board.pieces(chess.KNIGHT, side)
    return [knight for knight in knights for queen in queens if knight in chess.SquareSet.between(king, queen)]


def rook_behind_enemy_passed_pawn(board, side):
    pawns = passed_pawns(board, not side)
    return [rook for rook in board.pieces(chess.ROOK, side) for pawn in pawns if forward(rook, pawn, not side) < 0]


def queen_ahead_of_pawn(board, side):
    pawns = board.pieces(chess.PAWN, side)
    return [queen for queen in board.pieces(chess.QUEEN, side) for pawn in pawns if forward(queen, pawn, side) > 0]


def queen_next_to_king(board, side):
    return [queen for queen in board.pieces(chess.QUEEN, side) if chess.square_distance(queen, board.king(not side)) == 1]


def kings_face(p):
    kings = [p.board.king(side) for side in SIDES]
    between = chess.SquareSet.between(*kings)
    return not between & p.board.occupied


def on_kings_diagonal(board, side):
    def same(square):
        files, ranks = steps(square, board.king(not side))
        return abs(files) == abs(ranks) != 0

    return [bishop for bishop in board.pieces(chess.BISHOP, side) if same(bishop)]


def touching(board, side, kind):
    """The side's pieces that attack or defend a black piece of this kind."""
    return {attacker for square in board.pieces(kind, chess.BLACK) for attacker in board.attackers(side, square)}


RELATIONS = [
    ("white skewer", white(skewers)),
    ("skewer for 2", either(skewers), lambda game, holds: any(one and next for one, next in zip(holds, holds[1:]))),
    ("knight between king and queen", either(is_between)),
    ("rook behind enemy passed_pawn", either(rook_behind_enemy_passed_pawn)),
    ("white queen in front of pawn", white(queen_ahead_of_pawn)),
    ("queen next to enemy king", either(queen_next_to_king)),
    ("no piece between white king and black king", kings_face),
    ("rook beside king", either(lambda b, side: any(abs(steps(rook, b.king(side))[0]) == 1 and steps(rook, b.king(side))[1] == 0 for rook in b.pieces(chess.ROOK, side)))),
    ("bishop on the same diagonal as enemy king", either(on_kings_diagonal)),
    (
        "rook xrays king",
        either(lambda b, side: xrays(b, side, chess.ROOK, lambda second: second == chess.Piece(chess.KING, not side))),
    ),
    (
        "white bishop xrays queen through own knight",
        white(
            lambda b, side: xrays(
                b,
                side,
                chess.BISHOP,
                lambda second: second == chess.Piece(chess.QUEEN, not side),
                lambda first: first == chess.Piece(chess.KNIGHT, side),
            )
        ),
    ),
    (
        "no empty_square next_to black king",
        lambda p: all(p.board.piece_at(square) for square in chess.SquareSet(chess.BB_KING_ATTACKS[p.board.king(chess.BLACK)])),
    ),
    (
        "white controlled_twice & empty_square next_to enemy king",
        lambda p: any(
            len(p.board.attackers(chess.WHITE, square)) >= 2 and not p.board.piece_at(square)
            for square in chess.SquareSet(chess.BB_KING_ATTACKS[p.board.king(chess.BLACK)])
        ),
    ),
    ("attackers(e4, white) >= 3", lambda p: len(p.board.attackers(chess.WHITE, chess.E4)) >= 3),
    ("attackers(white king) >= 2", lambda p: len(p.board.attackers(chess.BLACK, p.board.king(chess.WHITE))) >= 2),
    (
        "attackers(black queen, both) >= 4",
        lambda p: len(touching(p.board, chess.WHITE, chess.QUEEN)) + len(touching(p.board, chess.BLACK, chess.QUEEN)) >= 4,
    ),
    ("attackers(d5) >= 6", lambda p: sum(len(p.board.attackers(side, chess.D5)) for side in SIDES) >= 6),
]
