"""Takes the games of famous events out of a PGN file: their tags and moves, without comments, for the demo of the page.

usage: famous.py GAMES.pgn.zst [--out ../www/public/demo/demo.pgn.zst]
"""

import argparse
import fnmatch
import io
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).parent
KEPT = ("Event", "Site", "Date", "Round", "White", "Black", "Result", "WhiteElo", "BlackElo", "FEN", "SetUp")
TAG = re.compile(r'^\[(\w+) "(.*)"\]$')
# Comments, variations without brackets in them, and glyphs.
BESIDE = re.compile(r"\{[^}]*\}|;[^\n]*|\([^()]*\)|\$\d+")


def events():
    """Pairs of a pattern and a year, which is empty for any year."""
    lines = (HERE / "events.txt").read_text().splitlines()
    split = (line.split("\t") for line in lines if line and not line.startswith("#"))
    return [(pattern, *year) if year else (pattern, "") for pattern, *year in split]


def games(lines):
    """The tags and the movetext of each game."""
    tags, moves = {}, []
    for line in lines:
        line = line.rstrip("\n")
        tag = TAG.match(line)
        if tag and moves:
            yield tags, " ".join(moves)
            tags, moves = {}, []
        if tag:
            tags[tag[1]] = tag[2]
        elif line:
            moves.append(line)
    if moves:
        yield tags, " ".join(moves)


def plain(movetext):
    """The moves and the result."""
    while BESIDE.search(movetext):
        movetext = BESIDE.sub(" ", movetext)
    words = movetext.split()
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 79:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return "\n".join([*lines, line])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pgn", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "www/public/demo/demo.pgn.zst")
    arguments = parser.parse_args()
    wanted = events()
    text = subprocess.run(["zstd", "-dcq", arguments.pgn], stdout=subprocess.PIPE, check=True).stdout
    written, count = io.StringIO(), 0
    for tags, movetext in games(io.StringIO(text.decode())):
        event, year = tags.get("Event", ""), tags.get("Date", "")[:4]
        if any(fnmatch.fnmatchcase(event, pattern) and of in ("", year) for pattern, of in wanted):
            count += 1
            written.writelines(f'[{tag} "{tags[tag]}"]\n' for tag in KEPT if tag in tags)
            written.write(f"\n{plain(movetext)}\n\n")
    packed = subprocess.run(["zstd", "-19", "-cq"], input=written.getvalue().encode(), stdout=subprocess.PIPE, check=True).stdout
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_bytes(packed)
    print(f"{count} games, {len(packed)} bytes")


main()
