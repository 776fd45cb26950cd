"""Scores conditions on motifs against tagged puzzles: precision, recall and F1 of each theme.

A folder of puzzles has `puzzles.tsv` (id, FEN, moves, themes) and `puzzles.pgn` (the same as games; Event is `puzzle ID`), as made
from Lichess's open puzzle database. A theme counts as found if the query finds the puzzle's game for the solver, the side that is
not to move in the FEN.

    python tests/peers/motifs.py FOLDER [--plyfold target/release/plyfold] [--wrong THEME]
"""

import argparse
import csv
import pathlib
import subprocess
import tempfile

MATES = {
    "backRankMate": "back_rank_mate",
    "smotheredMate": "smothered_mate",
    "arabianMate": "arabian_mate",
    "anastasiaMate": "anastasia_mate",
    "bodenMate": "bodens_mate",
    "doubleBishopMate": "double_bishop_mate",
    "dovetailMate": "dovetail_mate",
    "hookMate": "hook_mate",
    "operaMate": "opera_mate",
    "pillsburysMate": "pillsburys_mate",
    "cornerMate": "corner_mate",
    "killBoxMate": "kill_box_mate",
    "morphysMate": "morphys_mate",
    "vukovicMate": "vukovic_mate",
    "triangleMate": "triangle_mate",
    "blindSwineMate": "blind_swine_mate",
}

TACTICS = {
    "attackingF2F7": "attacking_f2_f7",
    "attraction": "attraction",
    "capturingDefender": "captures_defender",
    "clearance": "clearance",
    "deflection": "deflection",
    "discoveredAttack": "discovered_attack",
    "fork": "plays_fork",
    "hangingPiece": "captures_hanging_piece",
    "interference": "interference",
    "intermezzo": "intermezzo",
    "pin": "plays_pin",
    "sacrifice": "sacrifices",
    "skewer": "plays_skewer",
    "trappedPiece": "traps_piece",
    "xRayAttack": "x_ray",
}


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def found(program, corpus, query):
    """The ids of the puzzles whose games a query finds."""
    text = run(program, "export", corpus, "--query", query)
    return {line.split('"')[1].removeprefix("puzzle ") for line in text.splitlines() if line.startswith("[Event ")}


def score(found, tagged):
    both = len(found & tagged)
    precision, recall = both / max(len(found), 1), both / max(len(tagged), 1)
    return precision, recall, 2 * both / max(len(found) + len(tagged), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--plyfold", default="target/release/plyfold")
    parser.add_argument("--wrong", help="list the puzzles of this theme that are missed, or found without it")
    options = parser.parse_args()
    with open(options.folder / "puzzles.tsv", newline="") as file:
        puzzles = list(csv.DictReader(file, delimiter="\t"))
    black_solves = {puzzle["id"] for puzzle in puzzles if puzzle["fen"].split()[1] == "w"}
    with tempfile.TemporaryDirectory() as folder:
        corpus = f"{folder}/puzzles.plyfold"
        run(options.plyfold, "import", options.folder / "puzzles.pgn", "-o", corpus)
        print(f"{'theme':<20}{'tagged':>7}{'found':>7}{'precision':>11}{'recall':>8}{'F1':>7}")
        for kind, motifs in (("mates", MATES), ("tactics", TACTICS)):
            scores = []
            for theme, condition in motifs.items():
                tagged = {puzzle["id"] for puzzle in puzzles if theme in puzzle["themes"].split()}
                white, black = (found(options.plyfold, corpus, f"{side} {condition}") for side in ("white", "black"))
                of_solver = white - black_solves | black & black_solves
                precision, recall, f1 = score(of_solver, tagged)
                scores.append(f1)
                print(f"{theme:<20}{len(tagged):>7}{len(of_solver):>7}{precision:>11.3f}{recall:>8.3f}{f1:>7.3f}")
                if theme == options.wrong:
                    print("  missed:", *sorted(tagged - of_solver))
                    print("  found without the theme:", *sorted(of_solver - tagged))
            print(f"{f'mean of {kind}':<20}{'':>33}{sum(scores) / len(scores):>7.3f}")


if __name__ == "__main__":
    main()
