"""Conditions on a position, written from `core/query/src/GRAMMAR.md` with the means of python-chess; `queries.py` asks for them."""

import functools

import chess

SIDES = [chess.WHITE, chess.BLACK]
POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
CASTLED = {"short": 1, "long": 2}


class Position:
    """The position after a ply, and what of the game's course belongs to it. Nothing that was asked is asked twice."""

    def __init__(self, board, ply, move, castled, repetition, headers, played=None):
        self.board, self.ply, self.move, self.played = board, ply, move, played
        self.castled, self.repetition, self.headers = castled, repetition, headers
        self.known = {}

    def men(self, side, *kinds):
        return [square for kind in kinds for square in self.board.pieces(kind, side)]

    def count(self, side, kind):
        return len(self.board.pieces(kind, side))


def known(condition):
    """A condition of a position and further arguments that is worked out once for each position."""

    @functools.wraps(condition)
    def once(position, *arguments):
        key = (condition.__name__, *arguments)
        if key not in position.known:
            position.known[key] = condition(position, *arguments)
        return position.known[key]

    return once


def file_of(square):
    return chess.square_file(square)


def own_rank(square, side):
    """1 to 8 as the side counts."""
    rank = chess.square_rank(square)
    return rank + 1 if side == chess.WHITE else 8 - rank


# What a side has, as lists of squares.


@known
def attacked(p, side):
    men = [square for square in chess.SQUARES if p.board.color_at(square) == side]
    return [square for square in men if p.board.is_attacked_by(not side, square)]


@known
def hanging(p, side):
    pieces = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    return [
        square
        for square in attacked(p, side)
        if p.board.piece_type_at(square) in pieces and not p.board.is_attacked_by(side, square)
    ]


@known
def pinned(p, side):
    return [square for square in chess.SQUARES if p.board.color_at(square) == side and p.board.is_pinned(side, square)]


@known
def passed(p, side):
    enemy = p.men(not side, chess.PAWN)

    def stops(other, pawn):
        return abs(file_of(other) - file_of(pawn)) <= 1 and own_rank(other, side) > own_rank(pawn, side)

    return [pawn for pawn in p.men(side, chess.PAWN) if not any(stops(other, pawn) for other in enemy)]


@known
def files(p, side):
    """The files of the side's pawns, a pawn each."""
    return [file_of(pawn) for pawn in p.men(side, chess.PAWN)]


@known
def isolated(p, side):
    lone = [file for file in files(p, side) if file - 1 not in files(p, side) and file + 1 not in files(p, side)]
    return [pawn for pawn in p.men(side, chess.PAWN) if file_of(pawn) in lone]


@known
def d_pawn(p, side):
    of = files(p, side)
    return of.count(3) == 1 and 2 not in of and 4 not in of


def queens_pawn(p, side):
    return d_pawn(p, side) and any(square in (chess.D4, chess.D5) for square in p.men(side, chess.PAWN))


@known
def backward(p, side):
    pawns, enemy = p.men(side, chess.PAWN), p.men(not side, chess.PAWN)
    found = []
    for pawn in pawns:
        beside = [other for other in pawns if abs(file_of(other) - file_of(pawn)) == 1]
        level_or_behind = any(own_rank(other, side) <= own_rank(pawn, side) for other in beside)
        ahead = pawn + (8 if side == chess.WHITE else -8)
        if not level_or_behind and any(ahead in p.board.attacks(other) for other in enemy):
            found.append(pawn)
    return found


@known
def outposts(p, side):
    found = []
    for square in p.men(side, chess.KNIGHT, chess.BISHOP):
        held = any(square in p.board.attacks(pawn) for pawn in p.men(side, chess.PAWN))
        # An enemy pawn can come to attack it from a neighbouring file, as long as it is still ahead.
        chased = any(
            abs(file_of(pawn) - file_of(square)) == 1 and own_rank(pawn, side) > own_rank(square, side)
            for pawn in p.men(not side, chess.PAWN)
        )
        if own_rank(square, side) in (4, 5, 6) and held and not chased:
            found.append(square)
    return found


@known
def batteries(p, side):
    def level(one, other):
        return file_of(one) == file_of(other) or chess.square_rank(one) == chess.square_rank(other)

    straight, diagonal = p.men(side, chess.ROOK, chess.QUEEN), p.men(side, chess.BISHOP, chess.QUEEN)
    # Who attacks along a line sees the first man on it.
    on_lines = [one for one in straight for other in p.board.attacks(one) if other in straight and level(one, other)]
    on_diagonals = [
        one for one in diagonal for other in p.board.attacks(one) if other in diagonal and not level(one, other)
    ]
    return on_lines + on_diagonals


@known
def forks(p, side):
    """Men that attack two enemy men, each the king, worth more, or a piece that is not defended."""
    found = []
    for square in chess.SquareSet(p.board.occupied_co[side]):
        # A king that attacks is worth more than all but a king.
        worth = POINTS.get(p.board.piece_type_at(square), 100)
        hit = 0
        for victim in p.board.attacks(square):
            if p.board.color_at(victim) != (not side):
                continue
            kind = p.board.piece_type_at(victim)
            loose = kind != chess.PAWN and not p.board.is_attacked_by(not side, victim)
            hit += kind == chess.KING or POINTS[kind] > worth or loose
        if hit >= 2:
            found.append(square)
    return found


def pawns(p, side):
    return p.men(side, chess.PAWN)


def rank_of(square):
    return chess.square_rank(square) + 1


def doubled(p, side):
    return [pawn for pawn in pawns(p, side) if files(p, side).count(file_of(pawn)) >= 2]


@known
def held(p, side):
    """Pawns that a pawn of their side defends."""
    return [pawn for pawn in pawns(p, side) if any(pawn in p.board.attacks(other) for other in pawns(p, side))]


def protected_passed(p, side):
    return [pawn for pawn in passed(p, side) if pawn in held(p, side)]


def chains(p, side):
    def defends(pawn):
        return any(other in p.board.attacks(pawn) for other in pawns(p, side))

    return [pawn for pawn in pawns(p, side) if pawn in held(p, side) or defends(pawn)]


def connected(p, side):
    def side_by_side(pawn):
        return any(rank_of(other) == rank_of(pawn) and abs(other - pawn) == 1 for other in pawns(p, side))

    return [pawn for pawn in pawns(p, side) if pawn in chains(p, side) or side_by_side(pawn)]


def islands(p, side):
    """A file each: the leftmost of each group of neighbouring files."""
    return [file for file in set(files(p, side)) if file - 1 not in files(p, side)]


def majority(p, side):
    def more(wing):
        mine, theirs = ([file for file in files(p, who) if file // 4 == wing] for who in (side, not side))
        return len(mine) > len(theirs)

    return [pawn for pawn in pawns(p, side) if more(file_of(pawn) // 4)]


def hanging_pawns(p, side):
    mine, theirs = files(p, side), files(p, not side)
    found = [mine.count(file) for file in range(1, 5)] == [0, 1, 1, 0] and 2 not in theirs and 3 not in theirs
    return [pawn for pawn in pawns(p, side) if found and file_of(pawn) in (2, 3)]


def blocked(p, side):
    step = 8 if side == chess.WHITE else -8
    return [pawn for pawn in pawns(p, side) if pawn + step in pawns(p, not side)]


def open_files(p, side=None):
    return [file for file in range(8) if not any(file in files(p, who) for who in SIDES)]


def half_open_files(p, side):
    return [file for file in range(8) if file in files(p, not side) and file not in files(p, side)]


def rooks_on(of_files):
    return lambda p, side: [rook for rook in p.men(side, chess.ROOK) if file_of(rook) in of_files(p, side)]


def locked_centre(p):
    def locked(file):
        mine, theirs = pawns(p, chess.WHITE), pawns(p, chess.BLACK)
        return any(file_of(pawn) == file and 3 <= rank_of(pawn) <= 5 and pawn + 8 in theirs for pawn in mine)

    return locked(3) and locked(4)


def fianchetto(p, side):
    step = 8 if side == chess.WHITE else -8
    return [
        bishop
        for bishop in p.men(side, chess.BISHOP)
        if file_of(bishop) in (1, 6)
        and own_rank(bishop, side) == 2
        and any(pawn in (bishop + step, bishop + 2 * step) for pawn in pawns(p, side))
    ]


def in_centre(p, side):
    return [king for king in p.men(side, chess.KING) if file_of(king) in (3, 4) and own_rank(king, side) <= 2]


def two_bishops(p, side):
    return len({(file_of(square) + rank_of(square)) % 2 for square in p.men(side, chess.BISHOP)}) == 2


def bishop_pair(p, side):
    return two_bishops(p, side) and not two_bishops(p, not side)


@known
def defended(p, side):
    men = chess.SquareSet(p.board.occupied_co[side])
    return [square for square in men if p.board.is_attacked_by(side, square)]


def some(condition, least):
    """Both sides' squares together are so many or more."""
    return lambda p: sum(len(condition(p, side)) for side in SIDES) >= least


def few(condition, side, least):
    return lambda p: len(condition(p, side)) >= least


# What a position is.


@known
def check(p):
    return p.board.is_check()


@known
def checkmate(p):
    return p.board.is_checkmate()


def queens_off(p):
    return not any(p.men(side, chess.QUEEN) for side in SIDES)


@known
def opposite_bishops(p):
    bishops = [p.men(side, chess.BISHOP) for side in SIDES]
    colour = [[(file_of(square) + chess.square_rank(square)) % 2 for square in of] for of in bishops]
    return all(len(of) == 1 for of in colour) and colour[0] != colour[1]


@known
def endgame(p):
    pieces = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    return sum(p.count(side, kind) for side in SIDES for kind in pieces) <= 6


@known
def opening(p):
    pieces = (chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN)
    home = [
        sum(own_rank(square, side) == 1 for square in chess.SquareSet(p.board.occupied_co[side])) for side in SIDES
    ]
    return sum(p.count(side, kind) for side in SIDES for kind in pieces) > 10 and min(home) >= 4


def seventh(p, side):
    return any(own_rank(square, side) == 7 for square in p.men(side, chess.ROOK))


def castled(p, side, wing=None):
    return any(p.castled[side] & bit for name, bit in CASTLED.items() if wing in (None, name))


@known
def letters(p, side):
    """The side's men in the order of the alphabet: `KPR`."""
    men = chess.SquareSet(p.board.occupied_co[side])
    return "".join(sorted(p.board.piece_at(square).symbol().upper() for square in men))


@known
def more(p):
    """What White has more of each kind of man than Black."""
    return {kind: p.count(chess.WHITE, kind) - p.count(chess.BLACK, kind) for kind in POINTS}


def imbalance(p, **wanted):
    asked = {kind: wanted.get(chess.piece_symbol(kind).upper(), 0) for kind in POINTS}
    return more(p) in (asked, {kind: -number for kind, number in asked.items()})


def points(p, side):
    return sum(POINTS[kind] * p.count(side, kind) for kind in POINTS)


@known
def lines(p):
    return str(p.board).replace(" ", "").split("\n")


def structure(p, ranks):
    pawns = ["".join(letter if letter in "Pp" else "." for letter in line) for line in lines(p)]
    return pawns == ranks


def rooks(p):
    return all(letters(p, side).replace("P", "") == "KR" for side in SIDES)


def winner(p):
    return {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(p.headers.get("Result"))


PAWNS = ["........", "pp...ppp", "....p...", "........", "........", "....P...", "PP...PPP", "........"]


def either(condition):
    return lambda p: any(condition(p, side) for side in SIDES)


def white(condition):
    return lambda p: bool(condition(p, chess.WHITE))


def on(condition, wanted):
    """Some of the squares that a condition finds are wanted, as a side sees them: `wanted(square, side)`."""
    return lambda p, side: any(wanted(square, side) for square in condition(p, side))


def of_kind(condition, *kinds):
    """Those squares of a condition that have pieces of these kinds."""
    return lambda p, side: [square for square in condition(p, side) if p.board.piece_type_at(square) in kinds]


def controlled(p, side):
    return [square for square in chess.SQUARES if p.board.is_attacked_by(side, square)]


def attacks(side, kind, victim):
    def holds(p):
        aims = p.men(not side, victim)
        return any(aim in p.board.attacks(man) for man in p.men(side, kind) for aim in aims)

    return holds


def far_king(p):
    return any(file_of(square) >= 5 for square in p.men(chess.BLACK, chess.KING))


def rook_on_g(p):
    return any(file_of(square) == 6 for square in p.men(chess.WHITE, chess.ROOK))


def any_castled(p):
    return any(castled(p, side) for side in SIDES)


def distance(p):
    return chess.square_distance(p.board.king(chess.WHITE), p.board.king(chess.BLACK))


def winner_on_seventh(p):
    side = winner(p)
    return side is not None and on(passed, lambda square, side: own_rank(square, side) == 7)(p, side)


def player_castled_long(name):
    def holds(p):
        called = zip(SIDES, (p.headers.get("White", ""), p.headers.get("Black", "")))
        return any(player.startswith(name) and castled(p, side, "long") for side, player in called)

    return holds


def early(p):
    return p.move < 10
