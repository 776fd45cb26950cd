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

    def places(self, condition):
        """The same for a place, which counts at the start position, too: as ply 0."""
        at_start = condition(self.squares[0], self.game.start.board)
        return self.plies(condition) | ({0} if at_start else set())

    def gone(self):
        return {p.ply for p, square in zip(self.game.positions, self.squares[1:]) if square is None}

    def moving(self, condition):
        """The plies in which it moves as described."""
        return {p.ply for p in self.game.positions if p.ply in self.moves and condition(p)}

    def captures(self):
        """The plies in which anything captures."""
        return {p.ply for p in self.game.positions if p.played.captured}

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


def so_often(plies, times):
    return plies if len(plies) >= times else None


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
E2 = kind(WHITE, chess.PAWN, {chess.E2})
D2 = kind(WHITE, chess.PAWN, {chess.D2})
D7 = kind(BLACK, chess.PAWN, {chess.D7})
G8 = kind(BLACK, chess.KNIGHT, {chess.G8})
H1 = kind(WHITE, chess.ROOK, {chess.H1})
A8 = kind(BLACK, chess.ROOK, {chess.A8})
F3 = kind(WHITE, chess.KNIGHT, {chess.F3})
BISHOP = kind(WHITE, chess.BISHOP)


def takes(role):
    return lambda p: p.played.captured == role


def promotes(p):
    return bool(p.played.move.promotion)


def checks(p):
    return p.board.is_check()


def captures_each_other(n, m):
    """The plies in which the second piece captures the first."""
    return n.captured & m.moves


# A query, what its names stand for, and the evidence for a choice of pieces, with ply 0 for the start position; none if the game does
# not match for the choice.
FOLLOWED = [
    ("white knight as N on b1 then N on d5", [B1], lambda n: then(n.places(B1), n.places(on("d5")))),
    ("white knight as N on g1 and N captures queen", [G1], lambda n: together(n.places(G1), n.moving(takes(chess.QUEEN)))),
    ("white knight as N on b1 then N gives_check", [B1], lambda n: then(n.places(B1), n.moving(checks))),
    ("white bishop as N and queen attacks N", [BISHOP], lambda n: together(n.places(BISHOP), n.plies(attacked_by(chess.QUEEN)))),
    ("white knight as N for 30 then N attacks queen", [KNIGHT], lambda n: then_rows(n.places(KNIGHT), 30, n.plies(attacks(chess.QUEEN)))),
    ("white queen as N and captures N", [QUEEN], lambda n: together(n.places(QUEEN), n.captured)),
    ("black rook as N on a8 and N & pinned", [A8], lambda n: together(n.places(A8), n.plies(lambda s, b: b.is_pinned(b.color_at(s), s)))),
    ("white knight as N on g1 and no N", [G1], lambda n: together(n.places(G1), n.gone())),
    ("black pawn as N on own 2 then N on own 7", [SEVENTH], lambda n: then(n.places(SEVENTH), n.places(lambda s, b: s in range(chess.A2, chess.H2 + 1)))),
    ("white rook as N on h1 and plays N to e1", [H1], lambda n: together(n.places(H1), n.moving(lambda p: p.played.arrival == chess.E1))),
    ("white pawn as N on own 2 then N & queen", [SECOND], lambda n: then(n.places(SECOND), n.places(QUEEN))),
    ("black king as N on e8 and never N plays", [E8], lambda n: unless(n.places(E8), n.moves)),
    ("white knight as N on f3 for 8 and N on e5", [F3], lambda n: together(rows(n.places(F3), 8), n.places(on("e5")))),
    (
        "white knight as N on g1 and black bishop as M on c8 and M captures N",
        [G1, C8],
        lambda n, m: together(n.places(G1), m.places(C8), captures_each_other(n, m)),
    ),
    ("white rook as N on h1 and { N & trail of N }", [H1], lambda n: together(n.places(H1), n.back())),
    ("white pawn as N on own 2 and N promotes", [SECOND], lambda n: together(n.places(SECOND), n.moving(promotes))),
    ("white pawn as N on e2 then N captures queen", [E2], lambda n: then(n.places(E2), n.moving(takes(chess.QUEEN)))),
    ("white knight as N on f3 and never N on g1", [F3], lambda n: unless(n.places(F3), n.places(on("g1")))),
    ("white king as N on e1 and always N on e1", [E1], lambda n: so_often(n.places(E1), len(n.squares))),
    ("black knight as N on g8 for 5 then N captures", [G8], lambda n: then_rows(n.places(G8), 5, n.moves & n.captures())),
    ("white pawn as N on d2 until move 1 and N captures", [D2], lambda n: together(n.places(D2) & {0, 1, 2}, n.moves & n.captures())),
    ("black pawn as N on d7 at least 2 times and N captures", [D7], lambda n: together(so_often(n.places(D7), 2), n.moves & n.captures())),
    (
        "white rook as N on h1 and white king as M on e1 and { M on f1 & trail of N or M & origin of N }",
        [H1, E1],
        lambda n, m: together(n.places(H1), m.places(E1), m.on_squares(n, lambda n, s, p: s == n.came_from(p) or s == chess.F1 and s in n.trail(p))),
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
    # The start position is never evidence.
    return bool(each), set().union(*each) - {0}
