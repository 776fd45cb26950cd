"""Reads the demo games with python-chess and writes counts of them to `truth.json`.

The tests compare plyfold's results with `truth.json`, so this script shares no method with plyfold: the
board is python-chess's, and every count of pieces reads the printed placement of the position after each
ply ("rnbqkbnr/pppp...") character by character instead of using bitboards. The start position of a game
does not count, variations are ignored, and a game with any error stops the check.

Needs python-chess (`pip install chess==1.11.2`) and `zstd`.
"""

import argparse
import collections
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys

import chess
import chess.pgn

HERE = pathlib.Path(__file__).resolve().parent
PIECES = "PNBRQK"
TOP_STRUCTURES = 20


def read_text(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-d", "-q", "-c", str(path)], stdout=subprocess.PIPE, check=True).stdout
    return path.read_bytes()


def squares(placement):
    """`(square, letter)` of every piece of a FEN placement; squares count from a1 = 0 to h8 = 63."""
    rank, file = 7, 0
    for sign in placement:
        if sign == "/":
            rank, file = rank - 1, 0
        elif sign.isdigit():
            file += int(sign)
        else:
            yield rank * 8 + file, sign
            file += 1


def pawns_only(placement):
    """The placement of the pawns alone, as FEN writes it."""
    pawns = {square: letter for square, letter in squares(placement) if letter in "Pp"}
    ranks = []
    for rank in range(7, -1, -1):
        line = "".join(pawns.get(rank * 8 + file, ".") for file in range(8))
        ranks.append(re.sub(r"\.+", lambda gap: str(len(gap.group())), line))
    return "/".join(ranks)


def measure(games):
    """All counts of `truth.json`, without the size and checksum of the PGN."""
    count = collections.Counter()
    results, endings, events, years = (collections.Counter() for _ in range(4))
    epds, structures = set(), collections.Counter()
    heat = [[[0] * 64 for _ in PIECES] for _ in range(2)]
    lengths = []
    for number, game in enumerate(games, 1):
        if game.errors:
            sys.exit(f"game {number}: {game.errors[0]}")
        board = game.board()
        if not board.is_valid():
            sys.exit(f"game {number}: starts from an illegal position")
        start_ply = board.ply()
        queens_off = 0
        for move in game.mainline_moves():
            board.push(move)
            epd = board.epd()
            epds.add(epd)
            placement = epd.split()[0]
            if "q" not in placement and "Q" not in placement:
                queens_off += 1
            for square, letter in squares(placement):
                heat[letter.islower()][PIECES.index(letter.upper())][square] += 1
            structures[pawns_only(placement)] += 1
        headers = game.headers
        plies = board.ply() - start_ply
        lengths.append(plies)
        count["games"] += 1
        count["plies"] += plies
        count["queens_off_games"] += queens_off > 0
        count["queens_off_plies"] += queens_off
        count["games_ending_in_checkmate"] += board.is_checkmate()
        count["games_ending_in_stalemate"] += board.is_stalemate()
        count["games_ending_in_bare_kings"] += board.occupied == board.kings
        count["games_from_fen"] += headers.get("SetUp") == "1"
        count["games_chess960"] += headers.get("Variant") == "Chess960"
        nodes = [game, *every_node(game)]
        count["games_with_comments"] += any(node.comment or node.starting_comment for node in nodes)
        count["games_with_nags"] += any(node.nags for node in nodes)
        count["games_with_variations"] += any(len(node.variations) > 1 for node in nodes)
        count["games_without_both_elos"] += not ("WhiteElo" in headers and "BlackElo" in headers)
        results[headers["Result"]] += 1
        endings[headers["Termination"]] += 1
        events[headers["Event"].rsplit(" ", 1)[0]] += 1
        years[headers["Date"][:4]] += 1
    top = sorted(structures.items(), key=lambda item: (-item[1], item[0]))[:TOP_STRUCTURES]
    return {
        **count,
        "shortest_game_plies": min(lengths),
        "longest_game_plies": max(lengths),
        "results": dict(sorted(results.items())),
        "terminations": dict(sorted(endings.items())),
        "games_by_event": dict(sorted(events.items())),
        "games_by_year": dict(sorted(years.items())),
        "distinct_epds": len(epds),
        "distinct_epds_sha256_of_sorted_lines": hashlib.sha256("".join(f"{e}\n" for e in sorted(epds)).encode()).hexdigest(),
        "distinct_pawn_structures": len(structures),
        "top_pawn_structures": [{"pawns": pawns, "plies": plies} for pawns, plies in top],
        "heat_layout": "heat[colour 0=white 1=black][piece 0=P 1=N 2=B 3=R 4=Q 5=K][square a1=0..h8=63]",
        "heat": heat,
    }


def every_node(game):
    """All nodes below the root, including those of variations."""
    waiting = list(game.variations)
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.variations)


def contradictions(truth):
    """A sentence for each sum that must agree, whatever the games are, but does not."""
    kings = [sum(side[5]) for side in truth["heat"]]
    if kings != [truth["plies"]] * 2:
        yield f"the kings stand on {kings} squares in {truth['plies']} positions"
    for name in ("results", "terminations", "games_by_event", "games_by_year"):
        if sum(truth[name].values()) != truth["games"]:
            yield f"{name} add up to {sum(truth[name].values())}, not to {truth['games']} games"
    if any(truth["heat"][colour][0][square] for colour in range(2) for square in [*range(8), *range(56, 64)]):
        yield "a pawn stands on the first or the last rank"


def main():
    parser = argparse.ArgumentParser(description="Checks the demo games and writes truth.json.")
    parser.add_argument("pgn", type=pathlib.Path, nargs="?", default=HERE.parent / "demo/demo.pgn.zst")
    parser.add_argument("--out", type=pathlib.Path, default=HERE / "truth.json")
    options = parser.parse_args()

    raw = read_text(options.pgn)
    stream = io.StringIO(raw.decode("utf-8"))
    truth = {
        "pgn_bytes": len(raw),
        "pgn_sha256": hashlib.sha256(raw).hexdigest(),
        "python_chess": chess.__version__,
        **measure(iter(lambda: chess.pgn.read_game(stream), None)),
    }
    if tags := len(re.findall(rb"^\[Event ", raw, re.M)) - truth["games"]:
        sys.exit(f"python-chess read {truth['games']} games, but there are {tags} Event tags more or less")
    for sentence in contradictions(truth):
        sys.exit(sentence)
    options.out.write_text(json.dumps(truth, separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")
    for name, value in truth.items():
        if name not in ("heat", "heat_layout", "top_pawn_structures"):
            print(f"{name}: {value}")


if __name__ == "__main__":
    main()
