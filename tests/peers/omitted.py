"""Checks `plyfold export --without PARTS` against python-chess: what is left of each game is the game without these parts.

    python tests/peers/omitted.py PROGRAM CORPUS [GAMES]
"""

import io
import re
import subprocess
import sys

import chess.pgn

CLOCKS = re.compile(r"\[%(clk|emt)[^\]]*\]")
EVALUATIONS = re.compile(r"\[%eval[^\]]*\]")
ANY = re.compile(r"\[%[^\]]*\]")


def words(comment):
    return " ".join(comment.split())


def kept(comment, part):
    """What stays of a comment."""
    if part == "clocks":
        comment = CLOCKS.sub(" ", comment)
    elif part == "evaluations":
        comment = EVALUATIONS.sub(" ", comment)
    elif part == "comments":
        comment = " ".join(match.group() for match in ANY.finditer(comment) if match.group()[2:5] in ("clk", "emt", "eva"))
    return words(comment)


def tree(node, part=None):
    """The moves from a node on with all that is said of them."""
    said = [] if part == "glyphs" else sorted(node.nags)
    comments = kept(" ".join([node.starting_comment, node.comment]), part)
    lines = node.variations[:1] if part == "variations" else node.variations
    return [node.move.uci() if node.move else "", said, comments, [tree(line, part) for line in lines]]


def games(program, corpus, *options):
    text = subprocess.run([program, "export", corpus, *options], check=True, capture_output=True).stdout
    file = io.StringIO(text.decode("utf-8", "replace"))
    while (game := chess.pgn.read_game(file)) is not None:
        yield game


def main(program, corpus, numbers="1-"):
    sys.setrecursionlimit(10_000)
    read = 0
    for part in ["comments", "variations", "glyphs", "clocks", "evaluations"]:
        options = ["--games", numbers]
        pairs = zip(games(program, corpus, *options), games(program, corpus, *options, "--without", part), strict=True)
        for nth, (before, after) in enumerate(pairs, 1):
            assert dict(before.headers) == dict(after.headers), f"{part}, game {nth}"
            one, other = tree(before, part), tree(after)
            assert one == other, f"{part}, game {nth}:\n{one}\n{other}"
            read += 1
    print(f"{read} games are as python-chess leaves them")


main(*sys.argv[1:])
