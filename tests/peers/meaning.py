"""What queries mean, computed again with python-chess: games and positions per query, against those of `plyfold query`.

    python tests/peers/meaning.py PLYFOLD [GAMES.pgn[.zst]] [--games 2000] [--every 1]

PLYFOLD is the program, built in release mode. Without GAMES, master-30k of the shared data is read where it stands beside the
project, else the demo games. Positions come from the first `--games` of every so many; headers are asked of all. Every condition is written from
`core/query/src/GRAMMAR.md` with the means of python-chess, none from the engine. Prints a row for each query, and where the two
differ the first games and plies at which they do; exits with 1 if any does.

Needs python-chess (`pip install chess==1.11.2`) and, for packed files, `zstd`.
"""

import argparse
import functools
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import chess
import chess.pgn

import evidence
import followed
from played import MOVES, Played, of
from relations import RELATIONS

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared/data/master-30k.pgn.zst"
DEMO = ROOT / "www/public/demo/demo.pgn.zst"
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
def queens_pawn(p, side):
    of = files(p, side)
    return of.count(3) == 1 and 2 not in of and 4 not in of


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


def bishop_pair(p, side):
    return len({(file_of(square) + rank_of(square)) % 2 for square in p.men(side, chess.BISHOP)}) == 2


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


# What a game is, of what holds after each of its plies.


def ever(game, holds):
    return any(holds)


def never(game, holds):
    return not any(holds)


def always(game, holds):
    return all(holds)


def at_least(times):
    return lambda game, holds: sum(holds) >= times


def in_a_row(plies):
    return lambda game, holds: any(all(holds[at : at + plies]) for at in range(len(holds) - plies + 1))


def at_end(game, holds):
    return bool(holds) and holds[-1]


def within(condition):
    """Holds after some ply that counts."""
    return lambda game, holds: any(held and condition(p) for held, p in zip(holds, game.positions))


def became(condition, counts):
    def judged(game, holds):
        before = [condition(game.start)] + holds[:-1]
        changes = zip(game.positions, before, holds)
        return any(counts(p) and not was and now for p, was, now in changes)

    return judged


def ceased(condition):
    def judged(game, holds):
        return any(was and not now for was, now in zip([condition(game.start)] + holds[:-1], holds))

    return judged


def then(*conditions, most=None):
    """One condition after another, each at a later ply than the one before, at most `most` plies later."""

    def judged(game, holds):
        plies = [0]
        for nth, condition in enumerate(conditions):
            these = [p.ply for p in game.positions if condition(p)]
            if nth > 0:
                these = [ply for ply in these if any(0 < ply - one <= (most or ply) for one in plies)]
            plies = these
        return bool(plies)

    return judged


def then_never(condition, other):
    """Every ply after the first at which the condition holds counts, and the other holds at none of them."""

    def judged(game, holds):
        first = next((p.ply for p in game.positions if condition(p)), None)
        return first is not None and not any(other(p) for p in game.positions[first:])

    return judged


def each(*conditions):
    """Every condition at some position, not necessarily the same."""
    return lambda game, holds: all(any(condition(p) for p in game.positions) for condition in conditions)


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


SPANISH = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq -"
E5, F6 = (chess.E5, chess.Piece.from_symbol("P")), (chess.F6, chess.Piece.from_symbol("n"))
G1 = ["????????", "?????ppp", "????????", "????????", "????????", "????????", "?????PPP", "??????K?"]


def looks_like(p, ranks):
    return all(w in ("?", letter) for line, row in zip(lines(p), ranks) for letter, w in zip(line, row))


# A query, the positions that match, and the games that do where that is not simply one with such a position.
QUERIES = [
    ("", lambda p: True, lambda game, holds: True),
    ("check", check),
    ("double_check", lambda p: len(p.board.checkers()) == 2),
    ("checkmate", checkmate),
    ("stalemate", lambda p: p.board.is_stalemate()),
    ("white check", lambda p: check(p) and p.board.turn == chess.WHITE),
    ("white pinned", white(pinned)),
    ("white attacked", white(attacked)),
    ("white hanging_piece", white(hanging)),
    ("mover hanging_piece", lambda p: bool(hanging(p, p.board.turn))),
    ("white knight attacks queen", attacks(chess.WHITE, chess.KNIGHT, chess.QUEEN)),
    ("black rook attacks bishop", attacks(chess.BLACK, chess.ROOK, chess.BISHOP)),
    ("white fork", white(forks)),
    ("white battery", white(batteries)),
    ("repetition >= 2", lambda p: p.repetition >= 2),
    ("repetition >= 3", lambda p: p.repetition >= 3),
    ("clock >= 40", lambda p: p.board.halfmove_clock >= 40),
    ("clock >= 100", lambda p: p.board.halfmove_clock >= 100),
    ("white castled_short", lambda p: castled(p, chess.WHITE, "short")),
    ("opposite_castling", lambda p: sorted(p.castled[side] for side in SIDES) == [1, 2]),
    ("never castled", lambda p: not any_castled(p), lambda game, holds: all(holds)),
    ("queens_off", queens_off),
    ("became queens_off before move 20", queens_off, became(queens_off, lambda p: p.move < 20)),
    ("always count(queen) = 2", lambda p: sum(p.count(side, chess.QUEEN) for side in SIDES) == 2, always),
    (
        "ceased white knight on f3",
        lambda p: chess.F3 in p.men(chess.WHITE, chess.KNIGHT),
        ceased(lambda p: chess.F3 in p.men(chess.WHITE, chess.KNIGHT)),
    ),
    (
        "never became queens_off before move 20",
        lambda p: not queens_off(p),
        lambda game, holds: not became(queens_off, lambda p: p.move < 20)(game, [not held for held in holds]),
    ),
    (
        "always count(queen) = 2 until move 20",
        lambda p: sum(p.count(side, chess.QUEEN) for side in SIDES) == 2,
        lambda game, holds: all(held for held, p in zip(holds, game.positions) if p.move <= 20),
    ),
    ("check at move 20", check, within(lambda p: p.move == 20)),
    ("check between 20..40", check, within(lambda p: 20 <= p.ply <= 40)),
    (
        "check at least 3 times from move 10 in endgame",
        check,
        lambda game, holds: sum(held and p.move >= 10 and endgame(p) for held, p in zip(holds, game.positions)) >= 3,
    ),
    ("{ not check } for 60", lambda p: not check(p), in_a_row(60)),
    ("check for 2", check, in_a_row(2)),
    ("check at least 5 times", check, at_least(5)),
    ("check exactly 3 times", check, lambda game, holds: sum(holds) == 3),
    ("white rook_on_seventh for 4", white(seventh), in_a_row(4)),
    ("both rook_on_seventh", lambda p: all(seventh(p, side) for side in SIDES)),
    (
        "black king on f..h then within 20 checkmate",
        lambda p: far_king(p) or checkmate(p),
        then(far_king, checkmate, most=20),
    ),
    (
        "white castled then white rook on g then checkmate",
        lambda p: castled(p, chess.WHITE) or rook_on_g(p) or checkmate(p),
        then(white(castled), rook_on_g, checkmate),
    ),
    (
        "queens_off then never check",
        lambda p: queens_off(p) or not check(p),
        then_never(queens_off, check),
    ),
    ('"Lasker*" castled_long', player_castled_long("Lasker")),
    ("isolated_queens_pawn", either(queens_pawn)),
    ("isolated_queens_pawn in endgame", either(queens_pawn), within(endgame)),
    (
        "isolated_queens_pawn in middlegame",
        either(queens_pawn),
        within(lambda p: not endgame(p) and not opening(p)),
    ),
    ("check in opening", check, within(opening)),
    ("white passed_pawn on own 7", white(on(passed, lambda square, side: own_rank(square, side) == 7))),
    ("winner passed_pawn on own 7", winner_on_seventh),
    ("isolated_pawn on d", either(on(isolated, lambda square, side: file_of(square) == 3))),
    ("black backward_pawn", lambda p: bool(backward(p, chess.BLACK))),
    ("white outpost on e5", white(on(outposts, lambda square, side: square == chess.E5))),
    ("count(white pawn) = 5", lambda p: len(pawns(p, chess.WHITE)) == 5),
    ("count(piece) <= 7", lambda p: len(chess.SquareSet(p.board.occupied)) <= 7),
    ("black doubled_pawn", lambda p: bool(doubled(p, chess.BLACK))),
    ("count(doubled_pawn) >= 4", some(doubled, 4)),
    ("count(black isolated_pawn) >= 2", few(isolated, chess.BLACK, 2)),
    ("count(passed_pawn) >= 3", some(passed, 3)),
    ("count(black protected_passed_pawn) >= 1", few(protected_passed, chess.BLACK, 1)),
    ("count(connected_pawn) <= 6", lambda p: not some(connected, 7)(p)),
    ("count(white pawn_chain) >= 5", few(chains, chess.WHITE, 5)),
    ("count(white pawn_island) >= 4", few(islands, chess.WHITE, 4)),
    ("count(pawn_island) >= 6", some(islands, 6)),
    ("count(black pawn_majority) >= 4", few(majority, chess.BLACK, 4)),
    ("hanging_pawns", some(hanging_pawns, 1)),
    ("count(blocked_pawn) >= 6", some(blocked, 6)),
    ("open_file on e", lambda p: 4 in open_files(p)),
    ("count(open_file) >= 24", lambda p: len(open_files(p)) >= 3),
    ("white half_open_file on g", lambda p: 6 in half_open_files(p, chess.WHITE)),
    ("both rook_on_open_file", lambda p: all(rooks_on(open_files)(p, side) for side in SIDES)),
    ("count(white rook_on_half_open_file) >= 2", few(rooks_on(half_open_files), chess.WHITE, 2)),
    ("locked_centre", locked_centre),
    ("count(fianchetto) >= 3", some(fianchetto, 3)),
    ("neither king_in_centre", lambda p: not some(in_centre, 1)(p)),
    ("white bishop_pair", white(bishop_pair)),
    ("count(defended) >= 22", some(defended, 22)),
    ("count(attacked) >= 12", some(attacked, 12)),
    ("count(hanging_piece) >= 3", some(hanging, 3)),
    ("count(pinned) >= 3", some(pinned, 3)),
    ("count(black backward_pawn) >= 2", few(backward, chess.BLACK, 2)),
    ("count(outpost) >= 2", some(outposts, 2)),
    ("count(black battery) >= 3", lambda p: len(set(batteries(p, chess.BLACK))) >= 3),
    ("count(fork) >= 2", some(forks, 2)),
    ("count(white controlled_square) >= 36", few(controlled, chess.WHITE, 36)),
    ("black controlled_square on f2", lambda p: p.board.is_attacked_by(chess.BLACK, chess.F2)),
    ("rook & hanging", either(of_kind(hanging, chess.ROOK))),
    ("pinned queen", either(of_kind(pinned, chess.QUEEN))),
    ("white knight fork", white(of_kind(forks, chess.KNIGHT))),
    ("white isolated passed pawn", white(lambda p, side: set(isolated(p, side)) & set(passed(p, side)))),
    ("black (knight or bishop) on e4", lambda p: chess.E4 in p.men(chess.BLACK, chess.KNIGHT, chess.BISHOP)),
    ("count(white piece attacks e4) >= 3", lambda p: len(p.board.attackers(chess.WHITE, chess.E4)) >= 3),
    ("rook on own 1 & not defended", either(on(lambda p, side: set(p.men(side, chess.ROOK)) - set(defended(p, side)), lambda square, side: own_rank(square, side) == 1))),
    ("black castled_long", lambda p: castled(p, chess.BLACK, "long")),
    ("white to_move", lambda p: p.board.turn == chess.WHITE),
    ("empty e4 e5", lambda p: not any(p.board.piece_at(square) for square in (chess.E4, chess.E5))),
    ("no pawn on e", lambda p: not any(4 in files(p, side) for side in SIDES)),
    ("white bishop attacks h7", lambda p: any(chess.H7 in p.board.attacks(man) for man in p.men(True, chess.BISHOP))),
    (
        "black queen defends rook",
        lambda p: any(
            rook in p.board.attacks(queen)
            for queen in p.men(chess.BLACK, chess.QUEEN)
            for rook in p.men(chess.BLACK, chess.ROOK)
        ),
    ),
    ("opposite_coloured_bishops", opposite_bishops),
    ("opposite_coloured_bishops at end", opposite_bishops, at_end),
    ("material KRPvKR", lambda p: sorted(letters(p, side) for side in SIDES) == ["KPR", "KR"]),
    ("endgame rook for 8", rooks, in_a_row(8)),
    ("imbalance R v BN", lambda p: imbalance(p, R=1, B=-1, N=-1)),
    ("imbalance 2P v 0", lambda p: imbalance(p, P=2)),
    ("points(white) - points(black) >= 3", lambda p: points(p, chess.WHITE) - points(p, chess.BLACK) >= 3),
    (
        "points(winner) + 3 <= points(loser)",
        lambda p: winner(p) is not None and points(p, winner(p)) + 3 <= points(p, not winner(p)),
    ),
    ("count(mover rook) > count(waiter rook)", lambda p: p.count(p.board.turn, chess.ROOK) > p.count(not p.board.turn, chess.ROOK)),
    ("king_distance <= 2", lambda p: distance(p) <= 2),
    (
        "king_distance <= 2 and clock >= 20",
        lambda p: distance(p) <= 2 and p.board.halfmove_clock >= 20,
        each(lambda p: distance(p) <= 2, lambda p: p.board.halfmove_clock >= 20),
    ),
    ('structure "8/pp3ppp/4p3/8/8/4P3/PP3PPP/8"', lambda p: structure(p, PAWNS)),
    (
        "{ white pawn on e5 and black knight on f6 }",
        lambda p: all(p.board.piece_at(square) == man for square, man in (E5, F6)),
    ),
    (f'board "{"/".join(G1)}"', lambda p: looks_like(p, G1)),
    (f'fen "{SPANISH}"', lambda p: p.board.epd() == SPANISH),
    ("move < 10 and check", lambda p: early(p) and check(p), each(early, check)),
    ("{ move < 10 and check }", lambda p: early(p) and check(p)),
    *MOVES,
    *RELATIONS,
]

gives_check = of(lambda m, b: b.is_check())
promotes = of(lambda m, b: m.move.promotion)
knight_on_e5 = white(lambda p, side: chess.E5 in p.men(side, chess.KNIGHT))

# A query, and the plies of a game that are its evidence.
EVIDENCE = [
    ("check", lambda game: set(evidence.places(game, check))),
    ("check for 2", evidence.rows(check, 2)),
    ("white knight on e5 for 4 moves", evidence.rows(knight_on_e5, 8)),
    ("check at least 5 times", evidence.counted(check, 5)),
    ("check exactly 3 times", evidence.counted(check, 3, 3)),
    ("became queens_off", evidence.change(queens_off)),
    ("black king on f..h then within 20 checkmate", evidence.chain(far_king, checkmate, 20)),
    ("promotes then gives_check", evidence.chain(promotes, gives_check)),
    ("white castled then within 3 check", evidence.chain(white(castled), check, 3)),
    ("queens_off and never check", evidence.unless(lambda game: set(evidence.places(game, queens_off)), check)),
    (
        "white knight on e5 and promotes",
        evidence.every(*(lambda game, one=one: set(evidence.places(game, one)) for one in (knight_on_e5, promotes))),
    ),
    (
        "check for 2 or became queens_off",
        evidence.some(evidence.rows(check, 2), evidence.change(queens_off)),
    ),
    (
        "always count(queen) = 2 until move 20",
        evidence.all_plies(
            lambda p: sum(p.count(side, chess.QUEEN) for side in SIDES) == 2, lambda p: p.move <= 20
        ),
    ),
]


def number(text):
    """A rating; none if it is not known."""
    return int(text) if re.fullmatch("[0-9]+", text or "") and int(text) > 0 else None


def ratings(tags):
    return [number(tags.get(name)) for name in ("WhiteElo", "BlackElo")]


def both_rated(tags, least):
    return all(elo is not None and elo >= least for elo in ratings(tags))


def winner_rated(tags, least):
    elo = {"1-0": ratings(tags)[0], "0-1": ratings(tags)[1]}.get(tags.get("Result"))
    return elo is not None and elo >= least


def year(tags):
    found = re.match("[0-9]{4}", tags.get("Date", ""))
    return int(found[0]) if found else 0


def apart(tags, least):
    one, other = ratings(tags)
    return None not in (one, other) and abs(one - other) >= least


def leads(tags, first, second, margin):
    """Whether the first player's rating is at least the second's plus a margin."""
    of = dict(zip(("white", "black"), ratings(tags)))
    winner, loser = {"1-0": ("white", "black"), "0-1": ("black", "white")}.get(tags.get("Result"), (None, None))
    of.update(winner=of.get(winner), loser=of.get(loser))
    return None not in (of[first], of[second]) and of[first] >= of[second] + margin


def said(tags, name):
    """The value of a tag; empty if it says nothing."""
    value = tags.get(name, "").strip()
    return "" if value in ("?", "-") else value


HEADERS = [
    ("result 1-0", lambda tags: tags.get("Result") == "1-0"),
    ("result draw", lambda tags: tags.get("Result") == "1/2-1/2"),
    ("elo >= 2500", lambda tags: both_rated(tags, 2500)),
    ("white elo 2400..2600", lambda tags: 2400 <= (ratings(tags)[0] or 0) <= 2600),
    ("winner elo >= 2700", lambda tags: winner_rated(tags, 2700)),
    ("elo difference >= 300", lambda tags: apart(tags, 300)),
    ("white elo > black elo", lambda tags: leads(tags, "white", "black", 1)),
    ("black elo >= white elo + 100", lambda tags: leads(tags, "black", "white", 100)),
    ("winner elo - loser elo >= -50", lambda tags: leads(tags, "winner", "loser", -50)),
    ("loser elo >= winner elo + 200", lambda tags: leads(tags, "loser", "winner", 200)),
    # Punctuation is a space, and there is none at the beginning: round `?.3` begins with 3 too.
    ('round "3*"', lambda tags: re.sub("[^0-9a-z]+", " ", said(tags, "Round").lower()).strip().startswith("3")),
    ('annotator "*"', lambda tags: said(tags, "Annotator") != ""),
    ('time_control "*+*"', lambda tags: re.search("[^0-9a-z]", said(tags, "TimeControl").lower()) is not None),
    ("white title GM, IM", lambda tags: said(tags, "WhiteTitle").upper() in ("GM", "IM")),
    ("title GM", lambda tags: said(tags, "WhiteTitle").upper() == said(tags, "BlackTitle").upper() == "GM"),
    ("winner title GM", lambda tags: said(tags, {"1-0": "WhiteTitle", "0-1": "BlackTitle"}.get(tags.get("Result"), "")).upper() == "GM"),
    ("eco B80-B99", lambda tags: "B80" <= tags.get("ECO", "") <= "B99"),
    ("eco C", lambda tags: tags.get("ECO", "").startswith("C")),
    ("year 1985..1995", lambda tags: 1985 <= year(tags) <= 1995),
    ('white "Kasparov*"', lambda tags: tags.get("White", "").lower().startswith("kasparov")),
    (
        'result 1-0 and white "Kasparov*" and eco B80-B99 and year 1985..1995',
        lambda tags: tags.get("Result") == "1-0"
        and tags.get("White", "").startswith("Kasparov")
        and "B80" <= tags.get("ECO", "") <= "B99"
        and 1985 <= year(tags) <= 1995,
    ),
]


class Game:
    """The positions of a game, that before the first ply apart."""

    def __init__(self, game):
        board = game.board()
        wings = {side: 0 for side in SIDES}
        seen, last = {board.epd(): 1}, {board.epd(): 0}
        # For each side, the ply of its last move that gave no check.
        checks_since = {side: 0 for side in SIDES}
        self.start = Position(board.copy(stack=False), 0, 0, dict(wings), 1, game.headers)
        self.positions = []
        taken = None
        for ply, move in enumerate(game.mainline_moves(), 1):
            moved, side = board.fullmove_number, board.turn
            played = Played(board.copy(stack=False), move, taken)
            taken = played.capture_square()
            if board.is_castling(move):
                wings[side] = CASTLED["short" if board.is_kingside_castling(move) else "long"]
            board.push(move)
            # Equal if men, mover, rights and legal captures en passant are.
            same = board.epd()
            seen[same] = seen.get(same, 0) + 1
            if not board.is_check():
                checks_since[side] = ply
            played.perpetual = last.get(same, -1) >= checks_since[side]
            last[same] = ply
            at = board.copy(stack=False)
            self.positions.append(Position(at, ply, moved, dict(wings), seen[same], game.headers, played))


def asked(query):
    """A query's text, its positions, and its games: those with such a position, unless it says otherwise."""
    text, position, *game = query
    return text, position, game[0] if game else ever


def predicates():
    """The names of predicates in the grammar's table."""
    page = (ROOT / "core/query/src/GRAMMAR.md").read_text()
    table = page[page.index("## Predicates") : page.index("`A attacks B`")]
    return [name for row in re.findall(r"^\| ((?:`[a-z_]+` ?)+)\|", table, re.M) for name in re.findall("[a-z_]+", row)]


def read_text(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-d", "-q", "-c", str(path)], stdout=subprocess.PIPE, check=True).stdout
    return path.read_bytes()


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{' '.join(str(word) for word in command)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


class Engine:
    """A corpus made of some games, and what `plyfold query` finds in it."""

    def __init__(self, plyfold, pgn, corpus):
        self.plyfold, self.corpus = plyfold, corpus
        run(plyfold, "import", pgn, "-o", corpus)

    def ask(self, query, positions, evidence=False, options=()):
        """Matching games as numbers from 1, and matching positions as numbers of game and ply if these are wanted."""
        wanted = [*options, *(["--positions", "ref"] if positions else [])]
        wanted += ["--evidence"] if evidence else []
        command = [self.plyfold, "query", self.corpus, query, "--format", "json", "--games", *wanted]
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.stderr.decode(errors="replace").strip()
        if "of this corpus has the name" in said:
            # A name that nobody has is refused rather than not found.
            return set(), set()
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(f"{query}: {said}")
        answer = json.loads(done.stdout)
        games = {game["number"] for game in answer["game_list"]}
        places = {(place["game"], place["ply"]) for place in answer.get("position_list", [])}
        if len(games) != answer["games"] or positions and len(places) != answer["positions"]:
            sys.exit(f"{query}: the lists are not as long as the counts say")
        return games, places


def some_games(text, wanted, every):
    """Every so many games up to `wanted`, read by python-chess, and their text."""
    source, games, parts, nth = io.StringIO(text), [], [], 0
    while len(games) < wanted:
        begin = source.tell()
        if nth % every != 0:
            if not chess.pgn.skip_game(source):
                break
        else:
            game = chess.pgn.read_game(source)
            if game is None:
                break
            if game.errors:
                sys.exit(f"game {nth + 1}: {game.errors[0]}")
            games.append(Game(game))
            parts.append(text[begin : source.tell()])
        nth += 1
    return games, "".join(parts)


def all_headers(text):
    source, tags = io.StringIO(text), []
    while (headers := chess.pgn.read_headers(source)) is not None:
        tags.append(headers)
    return tags


# Over the numbers of a row.
HEADINGS = "".join(f"{word:>10}" for word in ("ours", "theirs", "ours", "theirs"))


def row(query, theirs, ours, what):
    """Prints a row and, where they differ, the first of each side; whether they agree."""
    equal = theirs == ours
    numbers = "".join(f"{len(one):>10}{len(other):>10}" for one, other in zip(ours, theirs))
    print(f"{query or 'everything':<74}{numbers}  {'equal' if equal else 'DIFFERENT'}", flush=True)
    for name, our, their in zip(what, ours, theirs):
        for who, extra in (("plyfold", our - their), ("python-chess", their - our)):
            if extra:
                print(f"    {len(extra)} {name} by {who} alone: {', '.join(map(str, sorted(extra)[:8]))}")
    return equal


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("plyfold", type=pathlib.Path)
    arguments.add_argument("games", type=pathlib.Path, nargs="?", default=SHARED if SHARED.exists() else DEMO)
    arguments.add_argument("--games", type=int, default=2000, dest="wanted", help="whose positions are compared")
    arguments.add_argument("--every", type=int, default=1, help="take one game of so many")
    given = arguments.parse_args()
    text = read_text(given.games).decode()
    start = time.monotonic()
    games, part = some_games(text, given.wanted, given.every)
    plies = sum(len(game.positions) for game in games)
    taken = f"one of {given.every}" if given.every > 1 else "the first"
    print(f"{len(games)} games, {taken} of {given.games.name}, {plies} plies; python-chess {chess.__version__}")
    print(f"{'':<74}{'games':>20}{'positions':>20}\n{'query':<74}{HEADINGS}")
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pgn = folder / "first.pgn"
        pgn.write_text(part)
        engine = Engine(given.plyfold, pgn, folder / "first.plyfold")
        for query in QUERIES:
            query, position, judged = asked(query)
            matching, places = set(), set()
            for nth, game in enumerate(games, 1):
                holds = [bool(position(p)) for p in game.positions]
                places.update((nth, ply) for ply, held in enumerate(holds, 1) if held)
                if judged(game, holds):
                    matching.add(nth)
            ours = engine.ask(query, positions=True)
            different += not row(query, (matching, places), ours, ("games", "positions"))
        print("positions that are evidence")
        for query, found in EVIDENCE:
            places = {(nth, ply) for nth, game in enumerate(games, 1) for ply in found(game)}
            _, ours = engine.ask(query, positions=True, evidence=True)
            different += not row(query, (places,), (ours,), ("positions",))
        print("one piece through the game, with its evidence")
        for query in followed.FOLLOWED:
            matching, places = set(), set()
            for nth, game in enumerate(games, 1):
                matches, plies = followed.found(game, query)
                matching.update([nth] if matches else [])
                places.update((nth, ply) for ply in plies)
            ours = engine.ask(query[0], positions=True, evidence=True)
            different += not row(query[0], (matching, places), ours, ("games", "positions"))
        pgn.write_text(text)
        engine = Engine(given.plyfold, pgn, folder / "all.plyfold")
        tags = all_headers(text)
        print(f"headers, of {len(tags)} games")
        for query, holds in HEADERS:
            matching = {nth for nth, of in enumerate(tags, 1) if holds(of)}
            ours, _ = engine.ask(query, positions=False)
            different += not row(query, (matching,), (ours,), ("games",))
    queries = len(QUERIES) + len(EVIDENCE) + len(followed.FOLLOWED) + len(HEADERS)
    asked_for = set(re.findall("[a-z_]+", " ".join(query[0] for query in QUERIES)))
    for name in predicates():
        if name not in asked_for:
            print(f"no query speaks of {name}")
    print(f"{queries} queries, {different} of them different; {time.monotonic() - start:.0f} s")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
