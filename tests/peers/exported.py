"""What `plyfold export` writes, read by other programs: pgn-extract, python-chess and pyarrow.

    python tests/peers/exported.py PLYFOLD [GAMES.pgn[.zst] ...]

PLYFOLD is the program, built in release mode. Without GAMES, master-30k and the files of `nasty` in the shared data are read where they
stand beside the project, else the demo games. For each file:

- the games as PGN are the texts of the source, byte for byte but for what stands between games;
- pgn-extract takes every game of them, with each ply marked and without marks, and finds the same moves in both;
- taking the marks away gives the text before;
- python-chess reads each EPD, and finds in it the game, its ply and the position that it has there itself;
- pyarrow reads the tables, and finds the rows that are there as JSON.

Exits with 1 at the first that is otherwise. Where pgn-extract refuses games even without marks, it is not asked. Needs python-chess (`pip install chess==1.11.2`), pgn-extract and, for packed files, `zstd`; without pyarrow
(`pip install pyarrow`) the tables are left out, and that is said.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import chess
import chess.pgn

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared/data"
DEMO = ROOT / "demo/demo.pgn.zst"
MARK = "plyfold was here"
# So many games of a file are replayed with python-chess.
REPLAYED = 300


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def pgn_extract(program, path):
    """The main lines that it finds, and what it says."""
    command = [program, "-C", "-N", "-V", "-Wuci", "--notags", "--nomovenumbers", "-w100000", str(path)]
    done = subprocess.run(command, capture_output=True)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return lines, done.stderr.decode(errors="replace")


def check(condition, *says):
    if not condition:
        sys.exit(" ".join(map(str, says)))


def check_pgn(plyfold, source, corpus, folder, extract):
    text = source.read_bytes()
    plain, marked = folder / "plain.pgn", folder / "marked.pgn"
    run(plyfold, "export", corpus, "-o", plain)
    run(plyfold, "export", corpus, "--query", "", f"--mark={MARK}", "-o", marked)
    exported = plain.read_bytes()
    mark = f" {{{MARK}}}".encode()
    check(marked.read_bytes().replace(mark, b"") == exported, source, "is not the same without marks")
    facts = [json.loads(line) for line in run(plyfold, "export", corpus, "--format", "json").splitlines()]
    check(marked.read_bytes().count(mark) == sum(game["plies"] for game in facts), source, "has not a mark a ply")
    at = 0
    for game in facts:
        # In JSON what is no UTF-8 is replaced, so the text is that of the PGN.
        length = len(own_text(exported, game, at))
        own = exported[at : at + length]
        found = text.find(own)
        check(found >= 0, source, "game", game["number"], "is not as in the source")
        text = text[found + length :]
        at += length + 2
    if extract:
        found = [pgn_extract(extract, of) for of in (plain, marked)]
        numbers = [re.search(r"(\d+) games? matched out of (\d+)", said) for _, said in found]
        check(all(numbers), source, found[0][1])
        (before, _), (lines, said) = found
        if numbers[0].groups() != (str(len(facts)),) * 2:
            print(f"  pgn-extract: takes {numbers[0][1]} of {len(facts)} games without marks, so it is not asked")
            return facts
        check(numbers[1].groups() == numbers[0].groups(), source, "pgn-extract takes other games with marks:", said)
        check(lines == before, source, "pgn-extract finds other moves with marks")
        print(f"  pgn-extract: all {len(facts)} games, the same moves with marks")
    return facts


def own_text(exported, game, at):
    """The text of a game, found by that of JSON: as many characters, of which those that are replaced are one byte or more each."""
    pattern = b"".join(b"[\x80-\xff]+?" if one == "\ufffd" else re.escape(one.encode()) for one in game["pgn"])
    found = re.match(pattern + (rb"(?=\n\n|\n\Z)"), exported[at:], re.S)
    check(found, "game", game["number"], "is not where it should be")
    return found[0]


def check_epd(plyfold, corpus, folder, facts):
    path = folder / "games.pgn"
    some = f"1-{min(REPLAYED, len(facts))}"
    run(plyfold, "export", corpus, "--games", some, "-o", path)
    boards, names, last = {}, {}, {}
    for line in run(plyfold, "export", corpus, "--games", some, "--positions", "--format", "json").splitlines():
        row = json.loads(line)
        last[row["game"]] = row["fen"]
    with open(path, encoding="utf-8", errors="replace") as file:
        for game in facts[:REPLAYED]:
            read = chess.pgn.read_game(file)
            # What python-chess reads otherwise is in DIFFERENCES.md.
            if read is None or read.errors or len(list(read.mainline_moves())) != game["plies"]:
                break
            end = chess.Board(last.get(game["number"], chess.STARTING_FEN), chess960=game["chess960"])
            if read.end().board().board_fen() != end.board_fen():
                continue
            names[game["number"]] = f"{game['white']} - {game['black']}, {game['date']}"
            board = read.board()
            for ply, move in enumerate(read.mainline_moves(), 1):
                board.push(move)
                boards[game["number"], ply] = (board.epd(), board.halfmove_clock, board.fullmove_number)
    lines = run(plyfold, "export", corpus, "--games", some, "--format", "epd").decode().splitlines()
    read = 0
    for line in lines:
        board = chess.Board(chess960=True)
        operations = board.set_epd(line)
        number, ply = map(int, re.fullmatch(r"game (\d+) ply (\d+)", operations["c0"]).groups())
        if (number, ply) not in boards:
            continue
        placed, halves, moves = boards[number, ply]
        found = (board.epd(), operations["hmvc"], operations["fmvn"], operations["id"])
        expected = (placed, halves, moves, names[number])
        if not facts[number - 1]["chess960"]:
            check(found == expected, line, found, expected)
            read += 1
    print(f"  python-chess: {len(lines)} EPDs read, {read} compared")


def check_tables(plyfold, corpus, folder):
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        return print("  pyarrow is missing: tables are left out")
    tables = [[], ["--positions", "both", "--query", "queens_off"], ["--heatmap"], ["--structures", "--top", "1000"], ["--next"]]
    tables += [["--by", key] for key in ("player", "structure", "year", "count(white pawn)")] + [["--partition", "ending"]]
    number = 0
    for table in tables:
        path = folder / "table.parquet"
        run(plyfold, "export", corpus, *table, "--format", "parquet", "-o", path, "--force")
        read = parquet.read_table(path)
        kinds = {str(kind) for kind in read.schema.types}
        check(kinds <= {"uint64", "int64", "string"}, table, kinds)
        rows = [json.loads(line) for line in run(plyfold, "export", corpus, *table, "--format", "json").splitlines()]
        if not table:
            names = set(read.column_names)
            rows = [{name: value for name, value in row.items() if name in names} for row in rows]
        check(read.to_pylist() == rows, table, "differ")
        number += len(rows)
    print(f"  pyarrow: {len(tables)} tables, {number} rows the same as in JSON")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plyfold", type=pathlib.Path)
    parser.add_argument("games", type=pathlib.Path, nargs="*")
    arguments = parser.parse_args()
    plyfold = arguments.plyfold.resolve()
    games = arguments.games or [SHARED / "master-30k.pgn.zst", *sorted(SHARED.glob("nasty/**/*.pgn"))]
    games = [path for path in games if path.exists()] or [DEMO]
    extract = shutil.which("pgn-extract") or shutil.which("pgn-extract", path="/usr/games")
    if not extract:
        print("pgn-extract is missing and left out")
    for path in games:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            source = folder / "source.pgn"
            source.write_bytes(run("zstd", "-dc", path) if path.suffix == ".zst" else path.read_bytes())
            corpus = folder / "source.plyfold"
            done = subprocess.run([plyfold, "import", source, "-o", corpus], capture_output=True)
            if done.returncode not in (0, 3):
                continue
            print(path.name)
            facts = check_pgn(plyfold, source, corpus, folder, extract)
            check_epd(plyfold, corpus, folder, facts)
            check_tables(plyfold, corpus, folder)


if __name__ == "__main__":
    main()
