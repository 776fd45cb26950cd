"""One piece through the game, followed move by move with python-chess; `meaning.py` compares it."""

import itertools

import chess


class Piece:
    """A piece of a game by the square on which it began, with its square after each ply from 0; none once it is captured."""

    def __init__(self, game, origin):
        self.game, self.origin = game, origin
        self.squares = [origin]
        # The plies in which it moves, and the one in which it is captured.
        self.moves, self.captured = set(), set()
        for p in game.positions:
            self.squares.append(self.after(p, self.squares[-1]))

    def after(self, p, square):
        before, move = p.played.before, p.played.move
        if square is None or not move:
            return square
        if move.from_square == square:
            self.moves.add(p.ply)
            return p.played.arrival
        if before.is_castling(move):
            short = before.is_kingside_castling(move)
            rooks = before.pieces(chess.ROOK, before.turn) & chess.BB_RANKS[chess.square_rank(move.from_square)]
            corner = max(rooks) if short else min(rooks)
            return chess.square(5 if short else 3, chess.square_rank(square)) if square == corner else square
        beside = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        if square == (beside if before.is_en_passant(move) else move.to_square):
            self.captured.add(p.ply)
            return None
        return square

    def plies(self, condition):
        """The plies after which the piece is on the board and a condition holds of its square and the board."""
        places = zip(self.game.positions, self.squares[1:])
        return {p.ply for p, square in places if square is not None and condition(square, p.board)}

    def gone(self):
        return {p.ply for p, square in zip(self.game.positions, self.squares[1:]) if square is None}

    def moving(self, condition):
        """The plies in which it moves as described."""
        return {p.ply for p in self.game.positions if p.ply in self.moves and condition(p)}

    def steps(self, ply):
        """The squares that the piece has left by moving up to a ply, in order."""
        path = self.squares[: ply + 1]
        return [one for one, other in itertools.pairwise(path) if other is not None and one != other]

    def trail(self, ply):
        return set(self.steps(ply))

    def came_from(self, ply):
        return self.steps(ply)[-1] if self.steps(ply) else None

    def back(self):
        """The plies after which it stands on a square that it had left."""
        return self.on_squares(self, lambda piece, square, ply: square in piece.trail(ply))

    def on_squares(self, other, condition):
        """The plies after which a condition holds of another piece and the square of this one."""
        places = zip(self.game.positions, self.squares[1:])
        return {p.ply for p, square in places if square is not None and condition(other, square, p.ply)}

    def was(self, condition):
        """Whether a condition holds of it at some position, the start position included."""
        boards = [self.game.start.board] + [p.board for p in self.game.positions]
        return any(square is not None and condition(square, board) for square, board in zip(self.squares, boards))


def kind(side, role, squares=None):
    """A condition: the piece is of this side and kind, and stands on one of these squares."""
    return lambda square, board: board.piece_at(square) == chess.Piece(role, side) and (squares is None or square in squares)


def on(*names):
    squares = {chess.parse_square(name) for name in names}
    return lambda square, board: square in squares


def attacked_by(role):
    """A condition: an enemy piece of this kind attacks it."""
    return lambda square, board: bool(board.attackers(not board.color_at(square), square) & board.pieces_mask(role, not board.color_at(square)))


def attacks(role):
    return lambda square, board: bool(board.attacks(square) & board.pieces_mask(role, not board.color_at(square)))


def together(*parts):
    """The evidence of all parts, if each has some."""
    return set().union(*parts) if all(parts) else None


def then(first, second):
    """The evidence of one set of plies after another."""
    later = {ply for ply in second if any(one < ply for one in first)}
    return later | {one for one in first if any(one < ply for ply in later)} if later else None


def unless(first, second):
    return first if first and not second else None


def rows(plies, least):
    """The plies of rows of so many or more."""
    found = set()
    for ply in plies:
        row = set(itertools.takewhile(lambda one: one in plies, itertools.count(ply)))
        found |= row if len(row) >= least else set()
    return found


WHITE, BLACK = chess.WHITE, chess.BLACK
KNIGHT, QUEEN = kind(WHITE, chess.KNIGHT), kind(WHITE, chess.QUEEN)
B1 = kind(WHITE, chess.KNIGHT, {chess.B1})
G1 = kind(WHITE, chess.KNIGHT, {chess.G1})
SECOND = kind(WHITE, chess.PAWN, set(range(chess.A2, chess.H2 + 1)))
SEVENTH = kind(BLACK, chess.PAWN, set(range(chess.A7, chess.H7 + 1)))
C8 = kind(BLACK, chess.BISHOP, {chess.C8})
E1 = kind(WHITE, chess.KING, {chess.E1})
E8 = kind(BLACK, chess.KING, {chess.E8})
H1 = kind(WHITE, chess.ROOK, {chess.H1})
A8 = kind(BLACK, chess.ROOK, {chess.A8})
F3 = kind(WHITE, chess.KNIGHT, {chess.F3})
BISHOP = kind(WHITE, chess.BISHOP)


def takes(role):
    return lambda p: p.played.captured == role


def checks(p):
    return p.board.is_check()


def captures_each_other(n, m):
    """The plies in which the second piece captures the first."""
    return n.captured & m.moves


# A query, what its names stand for, and the evidence for a choice of pieces; none if the game does not match for the choice.
FOLLOWED = [
    ("white knight as N on b1 then N on d5", [B1], lambda n: then(n.plies(B1), n.plies(on("d5")))),
    ("white knight as N on g1 and N captures queen", [G1], lambda n: together(n.plies(G1), n.moving(takes(chess.QUEEN)))),
    ("white knight as N on b1 then N gives_check", [B1], lambda n: then(n.plies(B1), n.moving(checks))),
    ("white bishop as N and queen attacks N", [BISHOP], lambda n: together(n.plies(BISHOP), n.plies(attacked_by(chess.QUEEN)))),
    ("white knight as N for 30 then N attacks queen", [KNIGHT], lambda n: then_rows(n.plies(KNIGHT), 30, n.plies(attacks(chess.QUEEN)))),
    ("white queen as N and captures N", [QUEEN], lambda n: together(n.plies(QUEEN), n.captured)),
    ("black rook as N on a8 and N & pinned", [A8], lambda n: together(n.plies(A8), n.plies(lambda s, b: b.is_pinned(b.color_at(s), s)))),
    ("white knight as N on g1 and no N", [G1], lambda n: together(n.plies(G1), n.gone())),
    ("black pawn as N on own 2 then N on own 7", [SEVENTH], lambda n: then(n.plies(SEVENTH), n.plies(lambda s, b: s in range(chess.A2, chess.H2 + 1)))),
    ("white rook as N on h1 and plays N to e1", [H1], lambda n: together(n.plies(H1), n.moving(lambda p: p.played.arrival == chess.E1))),
    ("white pawn as N on own 2 then N & queen", [SECOND], lambda n: then(n.plies(SECOND), n.plies(QUEEN))),
    ("black king as N on e8 and never N plays", [E8], lambda n: unless(n.plies(E8), n.moves)),
    ("white knight as N on f3 for 8 and N on e5", [F3], lambda n: together(rows(n.plies(F3), 8), n.plies(on("e5")))),
    (
        "white knight as N on g1 and black bishop as M on c8 and M captures N",
        [G1, C8],
        lambda n, m: together(n.plies(G1), m.plies(C8), captures_each_other(n, m)),
    ),
    ("white rook as N on h1 and { N & trail of N }", [H1], lambda n: together(n.plies(H1), n.back())),
    (
        "white rook as N on h1 and white king as M on e1 and { M on f1 & trail of N or M & origin of N }",
        [H1, E1],
        lambda n, m: together(n.plies(H1), m.plies(E1), m.on_squares(n, lambda n, s, p: s == n.came_from(p) or s == chess.F1 and s in n.trail(p))),
    ),
]


def then_rows(plies, least, second):
    """The evidence of so many plies in a row, and of what follows a ply at which they have been that many."""
    ends = {ply for ply in plies if all(ply - back in plies for back in range(least))}
    later = {ply for ply in second if any(end < ply for end in ends)}
    used = {end for end in ends if any(end < ply for ply in later)}
    return later | {end - back for end in used for back in range(least)} if later else None


def found(game, query):
    """Whether the game matches for some choice of pieces, and the evidence of all these choices."""
    _, places, evidence = query
    if not hasattr(game, "pieces"):
        game.pieces = [Piece(game, origin) for origin in chess.SquareSet(game.start.board.occupied)]
    candidates = [[piece for piece in game.pieces if piece.was(place)] for place in places]
    each = [evidence(*choice) for choice in itertools.product(*candidates)]
    each = [plies for plies in each if plies is not None]
    return bool(each), set().union(*each)
