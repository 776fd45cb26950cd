"""Why pgn-extract (19-04) finds fewer games than we do: its rules, as far as they differ, said again with python-chess.

    python tests/peers/pgn_extract.py PLYFOLD [GAMES.pgn[.zst]]

Three rules are enough. A material is looked for before each ply, so never after the last. A promotion is booked to the other side:
that side gets the piece and loses a pawn. And for a repetition a position after a pawn's double step is another one than the same
position later, though no pawn could take en passant. Prints for each question of `counts.py` that this concerns what we find, what
pgn-extract finds, what these rules find, and how many games the first of them explains alone; exits with 1 if the rules do not find
exactly pgn-extract's games. Games of Chess960 are left out.

Needs python-chess (`pip install chess==1.11.2`), pgn-extract and, for packed files, `zstd`.
"""

import argparse
import collections
import io
import pathlib
import sys
import tempfile

import chess
import chess.pgn
import counts

ONE_ROOK = {"Q": 0, "R": 1, "B": 0, "N": 0}


def has(men, wanted):
    return all(men[letter] == number for letter, number in wanted.items())


def exactly(letters):
    wanted = {letter: letters.count(letter) for letter in "PNBRQ"}
    return lambda men: has(men, wanted)


def exchange(one, other):
    return all(one[letter] - other[letter] == more for letter, more in dict(P=0, N=-1, B=-1, R=1, Q=0).items())


def no_queens(one, other):
    return one["Q"] == other["Q"] == 0 and min(*one.values(), *other.values()) >= 0


def rook_endgame(one, other):
    # A side to which a promotion is booked can have less than none.
    return has(one, ONE_ROOK) and has(other, ONE_ROOK) and min(one["P"], other["P"]) >= 0


# By the words of `counts.py`: what the men of both sides must be, and for how many plies in a row.
MATERIAL = {
    "rook and pawn against rook": (lambda one, other: exactly("RP")(one) and exactly("R")(other), 1),
    "bishop and knight against king": (lambda one, other: exactly("BN")(one) and exactly("")(other), 1),
    "rook endgame": (rook_endgame, 1),
    "rook endgame for 8 plies": (rook_endgame, 8),
    "no queens": (no_queens, 1),
    "rook for bishop and knight, all else even": (exchange, 1),
}
CASES = {chess.WHITE: str.upper, chess.BLACK: str.lower}
REPETITION = "threefold repetition"


def changes(game):
    """Of each ply the side that moves, what it takes, and what its pawn becomes."""
    board = game.board()
    for move in game.mainline_moves():
        taken = chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square)
        # In games of Chess960 castling is written as the king taking its rook.
        taken = taken if board.is_capture(move) else None
        yield board.turn, *(kind and chess.piece_symbol(kind).upper() for kind in (taken, move.promotion))
        board.push(move)


def material(start, plies, asked, in_a_row, other_side):
    """Whether the men are so before enough plies in a row; promotions are booked to the other side or to their own."""
    men = {side: {letter: str(start).count(cased(letter)) for letter in "PNBRQ"} for side, cased in CASES.items()}
    runs = {side: 0 for side in men}
    for side, taken, promoted in plies:
        for one in men:
            runs[one] = runs[one] + 1 if asked(men[one], men[not one]) else 0
        if max(runs.values()) >= in_a_row:
            return True
        if taken:
            men[not side][taken] -= 1
        if promoted:
            booked = men[not side if other_side else side]
            booked[promoted] += 1
            booked["P"] -= 1
    return False


def repeated(game):
    board, seen = game.board(), collections.Counter()
    for move in (None, *game.mainline_moves()):
        if move:
            board.push(move)
        # With the square behind every double step.
        seen[board.epd(en_passant="fen")] += 1
    return max(seen.values()) >= 3


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("plyfold", type=pathlib.Path)
    arguments.add_argument("games", type=pathlib.Path, nargs="?", default=counts.games())
    given = arguments.parse_args()
    program = counts.installed("pgn-extract")
    if program is None:
        sys.exit("pgn-extract is not installed")
    text = counts.numbered(counts.read_text(given.games))
    ruled = {what: (set(), set()) for what in (*MATERIAL, REPETITION)}
    source, nth = io.StringIO(text.decode(errors="replace")), 0
    left_out = set()
    while (game := chess.pgn.read_game(source)) is not None:
        nth += 1
        if game.board().chess960:
            # It does not get them right.
            left_out.add(nth)
            continue
        start, plies = game.board(), list(changes(game))
        for what, (asked, in_a_row) in MATERIAL.items():
            for found, other_side in zip(ruled[what], (True, False)):
                if material(start, plies, asked, in_a_row, other_side):
                    found.add(nth)
        if repeated(game):
            ruled[REPETITION][0].add(nth)
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pgn = folder / "games.pgn"
        pgn.write_bytes(text)
        ours = counts.Plyfold(given.plyfold, pgn, folder)
        theirs = counts.PgnExtract(program, pgn, folder)
        print(f"{'question':<44}{'ours':>7}{'theirs':>8}{'ruled':>7}{'last ply':>10}{'promotion':>11}")
        for what, query, question, _ in counts.QUESTIONS:
            if what not in ruled:
                continue
            mine, found = ours.ask(query) - left_out, theirs.ask(question) - left_out
            rules, own_side = ruled[what]
            why = f"{len(mine - own_side):>10}{len(own_side - rules):>11}" if what in MATERIAL else ""
            same = "" if rules == found else "  DIFFERENT"
            print(f"{what:<44}{len(mine):>7}{len(found):>8}{len(rules):>7}{why}{same}")
            differ |= rules != found
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
