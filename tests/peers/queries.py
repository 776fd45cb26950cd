"""Queries with what they mean: conditions on positions, on games, and the plies that are evidence; `meaning.py` compares them."""

import chess

import evidence
# The list below needs most of them.
from conditions import *  # noqa: F403
from played import MOVES, of
from plies import always, at_end, at_least, became, ceased, each, in_a_row, then, then_never, within
from relations import RELATIONS


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
    ("other_turn >= 1", lambda p: p.played.other_turn >= 1),
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
    ("white two_bishops", white(two_bishops)),
    ("isolated_d_pawn on d6", either(lambda p, side: d_pawn(p, side) and chess.D6 in p.men(side, chess.PAWN))),
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
