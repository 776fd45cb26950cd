"""Makes lines with nested variations of the games of a corpus, and compares where `plyfold repertoire` and the conditions `in_repertoire` and
`left` say that games follow and leave them with what python-chess finds.

    python tests/peers/repertoire.py PROGRAM CORPUS [LINES [SEED]]
"""

import collections
import io
import json
import os
import random
import subprocess
import sys
import tempfile

import chess.pgn


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def exported_games(program, corpus):
    file = io.StringIO(run(program, "export", corpus).decode("utf-8", "replace"))
    games = []
    while (game := chess.pgn.read_game(file)) is not None:
        # A null move ends what python-chess and the lines have in common.
        games.append((game.board(), list(game.mainline_moves()), game.headers["Result"]))
    return games


def tree_of_lines(games, number, choice):
    """The beginnings of some games as variations of one game."""
    tree = chess.pgn.Game()
    chosen = [moves for board, moves, _ in games if board.fen() == chess.STARTING_FEN and len(moves) > 6]
    for moves in choice.sample(chosen, min(number, len(chosen))):
        node = tree
        for move in moves[: choice.randrange(2, 25)]:
            if not move:
                break
            node = node.variation(move) if node.has_variation(move) else node.add_variation(move)
    return tree


def key(board):
    return board.epd()


def positions(tree):
    """The moves that the lines play, by position."""
    played = collections.defaultdict(set)
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        board = node.board()
        played[key(board)].update(child.move for child in node.variations)
        waiting.extend(node.variations)
    return played


def leavings(games, lines):
    """By outcome the number of games, and by position and move those that leave the lines there, with the first of them and White's points."""
    outcomes, moves = collections.Counter(), {}
    for number, (start, game, result) in enumerate(games, 1):
        board, last = start.copy(), None
        for ply in range(len(game) + 1):
            if key(board) in lines:
                last = (ply, board.copy(stack=False))
            if ply < len(game):
                board.push(game[ply])
        if last is None:
            outcomes["never"] += 1
        elif last[0] == len(game):
            outcomes["ended"] += 1
        elif not lines[key(last[1])]:
            outcomes["line ended"] += 1
        else:
            ply, board = last
            outcomes[board.turn] += 1
            after = board.copy()
            after.push(game[ply])
            place = (board.turn, after.fen(en_passant="legal").rsplit(" ", 2)[0], board.san(game[ply]), key(board))
            counts = moves.setdefault(place, [0, number, collections.Counter()])
            counts[0] += 1
            counts[2][result] += 1
    return outcomes, moves


def plies_of_conditions(games, lines):
    """The numbers of games and plies after which a position is one of the lines, and those of the moves that left them, by side."""
    inside, left = [], {chess.WHITE: [], chess.BLACK: []}
    for number, (start, game, _) in enumerate(games, 1):
        board, last = start.copy(), None
        for ply in range(len(game) + 1):
            if key(board) in lines:
                last = (ply, bool(lines[key(board)]), board.turn)
                inside.extend([(number, ply)] if ply > 0 else [])
            if ply < len(game):
                board.push(game[ply])
        if last is not None and last[0] < len(game) and last[1]:
            left[last[2]].append((number, last[0] + 1))
    return {"in_repertoire @lines": inside, "white left @lines": left[chess.WHITE], "black left @lines": left[chess.BLACK]}


def found_plies(program, corpus, query):
    report = json.loads(run(program, "query", corpus, query, "--positions", "ref", "--format", "json"))
    return [(found["game"], found["ply"]) for found in report["position_list"]]


def main(program, corpus, number="150", seed="1"):
    games = exported_games(program, corpus)
    choice = random.Random(int(seed))
    lines = tree_of_lines(games, int(number), choice)
    known = positions(lines)
    outcomes, moves = leavings(games, known)
    rows = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/lines.pgn", "w") as file:
            print(lines, file=file)
        for side, turn in (("white", chess.WHITE), ("black", chess.BLACK)):
            options = ["--side", side, "--format", "json"]
            report = json.loads(run(program, "repertoire", corpus, f"{folder}/lines.pgn", *options))
            assert report["positions_of_the_lines"] == len(known), (report["positions_of_the_lines"], len(known))
            found = [row["games"] for row in report["outcomes"]["rows"]]
            expected = [outcomes[name] for name in (turn, not turn, "line ended", "ended", "never")]
            assert found == expected, (side, found, expected)
            for section, mover in (("deviations", turn), ("holes", not turn)):
                expected = {
                    (fen, san): (count, first, results["1-0"], results["1/2-1/2"], results["0-1"])
                    for (who, fen, san, _), (count, first, results) in moves.items()
                    if who == mover
                }
                found = {}
                for row in report[section]["rows"]:
                    fen = row["condition"].removeprefix('fen "').rsplit(" ", 2)[0]
                    ends = (row["won"], row["drawn"], row["lost"])
                    ends = ends if turn == chess.WHITE else ends[::-1]
                    found[fen, row["move"].split(" ")[-1]] = (row["games"], row["first_game"], *ends)
                assert found == expected, (side, section, set(found.items()) ^ set(expected.items()))
                rows += len(found)
        # The lines are kept beside a corpus, here beside a link to it.
        os.symlink(os.path.abspath(corpus), f"{folder}/games.plyfold")
        run(program, "repertoire", f"{folder}/games.plyfold", f"{folder}/lines.pgn", "--side", "white", "--save", "@lines")
        plies = plies_of_conditions(games, known)
        for query, expected in plies.items():
            found = found_plies(program, f"{folder}/games.plyfold", query)
            assert found == expected, (query, set(found) ^ set(expected))
        counts = ", ".join(f"{len(found)} of `{query}`" for query, found in plies.items())
    print(f"{len(games)} games, {len(known)} positions of lines, {rows} moves that leave them, and plies {counts}: all equal")


if __name__ == "__main__":
    main(*sys.argv[1:])
