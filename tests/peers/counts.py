"""The same questions to plyfold, pgn-extract and Scid, of the same games: who finds which.

    python tests/peers/counts.py PLYFOLD [GAMES.pgn[.zst]]

PLYFOLD is the program, built in release mode. Without GAMES, master-30k of the shared data is read where it stands beside the
project, else the demo games. Prints a row for each question to each program that can be asked it: the games that we find, those that
they find, and of each that the other does not, how many and the first. A program that is not installed is left out (Debian:
`apt-get install pgn-extract scid`). What explains the differences is in `docs/PEERS.md`.

Needs `zstd` for packed files.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared/data/master-30k.pgn.zst"
DEMO = ROOT / "demo/demo.pgn.zst"
# Stands in each game's tags, so that pgn-extract says which games it found.
NUMBER = "PlyfoldNumber"
# Or patterns are sought in the first 300 plies alone.
LONG_GAMES = ["--matchplylimit", "100000"]
SPANISH = "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
KINGS_INDIAN = "rnbq1rk1/ppp2pbp/3p1np1/4p3/2PPP3/2N2N2/PP2BPPP/R1BQK2R w KQ e6 0 7"
HEADER = "sc_filter search $base dbfilter header -filter RESET"


def scid_material(plies=1, patterns=(), options="", **men):
    """A search of `peers.tcl` for so many of each man, for so many plies in a row."""
    numbers = " ".join(f"{man} {{{least} {most}}}" for man, (least, most) in men.items())
    patterns = " ".join(f"{{{pattern}}}" for pattern in patterns)
    return f"material {{{numbers}}} {plies} {patterns}" + (f" -- {options}" if options else "")


def exactly(white, black):
    """Numbers for `scid_material` of all men but the kings."""
    letters = "QRBNP"
    men = {}
    for side, has in (("w", white), ("b", black)):
        men.update({side + letter.lower(): (has.count(letter),) * 2 for letter in letters})
        men[side + "m"] = (has.count("B") + has.count("N"),) * 2
    return men


def tags(*lines):
    return ["-tQUESTION", "\n".join(lines)]


def pattern(*ranks):
    return tags(f'FENPattern "{"/".join(ranks)}"')


# In words, to us, to pgn-extract (options, and the text of the file QUESTION that they name), to Scid.
QUESTIONS = [
    (
        "rook and pawn against rook",
        "material KRPvKR",
        ["-zQUESTION", "0 rp r"],
        scid_material(options="-flip 1", **exactly("RP", "R")),
    ),
    (
        "bishop and knight against king",
        "material KBNvK",
        ["-zQUESTION", "0 bn k"],
        scid_material(options="-flip 1", **exactly("BN", "")),
    ),
    ("rook endgame", "endgame rook", ["-zQUESTION", "0 rp* rp*"], "material $rooks 1"),
    ("rook endgame for 8 plies", "endgame rook for 8", ["-zQUESTION", "7 rp* rp*"], "material $rooks 8"),
    (
        "no queens",
        "queens_off",
        ["-yQUESTION", "0 r*b*n*p* r*b*n*p*"],
        scid_material(wq=(0, 0), bq=(0, 0)),
    ),
    (
        "rook for bishop and knight, all else even",
        "imbalance R v BN",
        ["-zQUESTION", "0 q*r*b*n*p* q=r1<=b1>=n1>=p="],
        None,
    ),
    (
        "opposite-coloured bishops, one each",
        "opposite_coloured_bishops",
        None,
        scid_material(options="-bishops Opposite", wb=(1, 1), bb=(1, 1)),
    ),
    ("White three points up", "points(white) - points(black) >= 3", None, scid_material(options="-diff {3 40}")),
    (
        "white pawn e5, black knight f6",
        "{ white pawn on e5 and black knight on f6 }",
        pattern("*", "*", "?????n??", "????P???", "*", "*", "*", "*"),
        scid_material(patterns=["Yes wp e 5", "Yes bn f 6"]),
    ),
    (
        "white pawn d4 alone on the c-, d- and e-files",
        "white isolated_queens_pawn on d4",
        pattern("*", *["??[^P][^P][^P]???"] * 3, "??[^P]P[^P]???", *["??[^P][^P][^P]???"] * 2, "*"),
        scid_material(
            patterns=["Yes wp d 4", "No wp c ?", "No wp e ?", *[f"No wp d {rank}" for rank in (2, 3, 5, 6, 7)]]
        ),
    ),
    (
        "Carlsbad: pawns d4, e3 against c6, d5; none on c for White, on e for Black",
        "{ white pawn on d4 and white pawn on e3 and black pawn on c6 and black pawn on d5"
        " and no white pawn on c and no black pawn on e }",
        pattern(
            "*",
            "??[^P]?[^p]???",
            "??p?[^p]???",
            "??[^P]p[^p]???",
            "??[^P]P[^p]???",
            "??[^P]?P???",
            "??[^P]?[^p]???",
            "*",
        ),
        scid_material(
            patterns=["Yes wp d 4", "Yes wp e 3", "Yes bp c 6", "Yes bp d 5", "No wp c ?", "No bp e ?"]
        ),
    ),
    (
        "white knight e5 for 8 plies",
        "white knight on e5 for 8",
        None,
        scid_material(plies=8, patterns=["Yes wn e 5"]),
    ),
    (
        "white rook on the seventh",
        "white rook_on_seventh",
        pattern("*", "*R*", "*", "*", "*", "*", "*", "*"),
        scid_material(patterns=["Yes wr ? 7"]),
    ),
    (
        "kings castled short behind three pawns each",
        'board "?????rk?/?????ppp/????????/????????/????????/????????/?????PPP/?????RK?"',
        pattern("?????rk?", "?????ppp", "*", "*", "*", "*", "?????PPP", "?????RK?"),
        scid_material(
            patterns=[
                f"Yes {man} {file} {rank}"
                for side, (first, second) in (("w", (1, 2)), ("b", (8, 7)))
                for man, file, rank in [
                    (f"{side}k", "g", first),
                    (f"{side}r", "f", first),
                    *[(f"{side}p", file, second) for file in "fgh"],
                ]
            ]
        ),
    ),
    ("Spanish after 3...a6", f'fen "{SPANISH}"', tags(f'FEN "{SPANISH}"'), f"position {{{SPANISH}}}"),
    (
        "King's Indian after 6...e5",
        f'fen "{KINGS_INDIAN}"',
        tags(f'FEN "{KINGS_INDIAN}"'),
        f"position {{{KINGS_INDIAN}}}",
    ),
    ("mate on the board", "checkmate", ["--checkmate"], None),
    ("stalemate on the board", "stalemate", ["--stalemate"], None),
    ("threefold repetition", "repetition >= 3", ["--repetition"], None),
    ("fifty moves", "clock >= 100", ["--fifty"], None),
    ("White won", "result 1-0", tags('Result "1-0"'), f"{HEADER} -result! 0=*"),
    (
        "both rated 2500 or more",
        "elo >= 2500",
        tags('WhiteElo >= "2500"', 'BlackElo >= "2500"'),
        f"{HEADER} -elo {{2500 4000}}",
    ),
    ("White is Kasparov", 'white "Kasparov*"', tags('White "Kasparov"'), f"{HEADER} -white Kasparov"),
    (
        "ECO B80 to B99",
        "eco B80-B99",
        tags('ECO "B8"', 'ECO "B9"'),
        f"{HEADER} -eco {{B80 B99}}",
    ),
    ("1985 to 1995", "year 1985..1995", None, f"{HEADER} -date {{1985.00.00 1995.12.31}}"),
    ("before 1900", "year < 1900", tags('Date < "1900"'), f"{HEADER} -date {{0001.00.00 1899.12.31}}"),
    ("40 plies at most", "plies <= 40", ["-pu40"], f"{HEADER} -length {{0 40}}"),
]


def installed(program):
    # Debian's folder of games is not always in the path of root.
    return shutil.which(program) or shutil.which(f"/usr/games/{program}")


def read_text(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-d", "-q", "-c", str(path)], stdout=subprocess.PIPE, check=True).stdout
    return path.read_bytes()


def games():
    """The games to ask where none are named."""
    return SHARED if SHARED.exists() else DEMO


def numbered(text):
    """The games with a tag of their own each, from 1."""
    numbers = iter(range(1, 1 << 30))
    return re.sub(rb"(?m)^\[Event ", lambda tag: b'[%s "%d"]\n[Event ' % (NUMBER.encode(), next(numbers)), text)


def run(*command):
    words = [str(word) for word in command]
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


class Plyfold:
    def __init__(self, program, pgn, folder):
        self.program, self.corpus = program, folder / "games.plyfold"
        done = run(program, "import", pgn, "-o", self.corpus)
        if not self.corpus.exists():
            sys.exit(f"the games cannot be imported: {done.stderr.decode(errors='replace').strip()}")

    def ask(self, query):
        done = run(self.program, "query", self.corpus, query, "--format", "json", "--games")
        said = done.stderr.decode(errors="replace").strip()
        if "of this corpus has the name" in said:
            # A name that nobody has is refused rather than not found.
            return set()
        if not done.stdout:
            sys.exit(f"{query}: {said}")
        return {game["number"] for game in json.loads(done.stdout)["game_list"]}


class PgnExtract:
    name = "pgn-extract"

    def __init__(self, program, pgn, folder):
        self.program, self.pgn, self.folder = program, pgn, folder
        self.version = run(program, "--version").stderr.decode().strip() or self.name

    def ask(self, question):
        option, *text = question
        file = self.folder / "question.txt"
        file.write_text("".join(f"{line}\n" for line in text))
        done = run(self.program, "-s", *LONG_GAMES, option.replace("QUESTION", str(file)), self.pgn)
        return {int(number) for number in re.findall(rf'^\[{NUMBER} "([0-9]+)"\]', done.stdout.decode(), re.M)}


class Scid:
    name = "Scid"

    def __init__(self, program, pgn, folder):
        # It leaves out games of Chess960, and counts the others.
        parts = pgn.read_bytes().split(b"[" + NUMBER.encode())[1:]
        self.taken = [nth for nth, part in enumerate(parts, 1) if b"\n[Variant " not in part]
        words = [program, str(ROOT / "tests/src/peers.tcl"), str(pgn), str(folder / "base")]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        games = int(self.line().split()[1])
        if games != len(self.taken):
            sys.exit(f"Scid has {games} games where {len(self.taken)} were expected")
        self.version = f"Scid {self.line()}, {games} games"

    def line(self):
        line = self.process.stdout.readline().strip()
        if not line and self.process.poll() is not None:
            sys.exit("Scid has ended early")
        return line

    def ask(self, question):
        self.process.stdin.write(f"listed {{{question}}}\n")
        self.process.stdin.flush()
        numbers = self.line()
        if numbers.startswith("refused"):
            sys.exit(f"{question}: {numbers}")
        self.line()
        return {self.taken[int(number) - 1] for number in numbers.split()}


def first(games):
    return ", ".join(map(str, sorted(games)[:6])) if games else ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("plyfold", type=pathlib.Path)
    arguments.add_argument("games", type=pathlib.Path, nargs="?", default=games())
    given = arguments.parse_args()
    text = numbered(read_text(given.games))
    print(f"{text.count(NUMBER.encode())} games of {given.games.name}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        pgn = folder / "games.pgn"
        pgn.write_bytes(text)
        ours = Plyfold(given.plyfold, pgn, folder)
        peers = []
        for program, peer in (("pgn-extract", PgnExtract), ("tkscid", Scid)):
            found = installed(program)
            peers.append(peer(found, pgn, folder) if found else None)
            print(peers[-1].version if found else f"no rows of {peer.name}: it is not installed")
        print(f"{'question':<76}{'of':<13}{'ours':>7}{'theirs':>8}  only ours, only theirs")
        for what, query, *theirs in QUESTIONS:
            mine = ours.ask(query)
            for peer, question in zip(peers, theirs):
                if peer is None or question is None:
                    continue
                found = peer.ask(question)
                one, other = mine - found, found - mine
                differ = "equal" if not one | other else f"{len(one)} ({first(one)}), {len(other)} ({first(other)})"
                print(f"{what:<76}{peer.name:<13}{len(mine):>7}{len(found):>8}  {differ}", flush=True)


if __name__ == "__main__":
    main()
