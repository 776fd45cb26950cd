"""What `egtgen serve` answers, read by other clients: curl, python-chess, and a validator of OpenAPI.

    python tests/peers/served.py EGTGEN [--positions N]

EGTGEN is the program. Tables of three and four men are made in a folder that vanishes again, and served on a free port.

- curl gets what the help says: a position turned, relations, probes, a list, a file whole and in ranges; and refusals with their status;
- python-chess turns random boards itself, and finds the same boards;
- python-chess plays the best moves of `/tablebase/standard` from random positions, and is mated after as many plies as were told;
  each move and each flag is what python-chess has, and the values of the moves explain that of the position;
- positions and distances of `samples.tsv` in the shared data, by an independent solver, are those that are told;
- the description is valid OpenAPI 3.1, if `openapi-spec-validator` is installed.

Exits with 1 at the first that is otherwise. Needs python-chess (`pip install chess==1.11.2`) and curl.
"""

import argparse
import csv
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

import chess

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT.parent / "shared/data/egt/samples.tsv"
MADE = ["KRvK", "KQvK", "KPvK", "KRvKP", "KQvKR"]
MEN = ["KRk", "KQk", "KPk", "KRkp", "KQkr"]


def fail(what):
    sys.exit(f"FAILED: {what}")


def get(base, path, **parameters):
    url = f"{base}{path}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=30) as answer:
        return json.load(answer)


def curl(*arguments):
    done = subprocess.run(["curl", "-sS", "-m", "20", "-w", "\n%{http_code}", *arguments], capture_output=True)
    if done.returncode:
        fail(f"curl {arguments}: {done.stderr.decode()}")
    body, _, status = done.stdout.rpartition(b"\n")
    return int(status), body


def by_curl(base, tables):
    fen = "8/2k5/3p4/4P3/8/1N6/2K5/8 b - - 3 40"
    turned = b"8/8/8/3P4/2p5/1k4K1/5N2/8 b - - 3 40\n"
    text = ["-H", "Accept: text/plain"]
    asked = ["-G", "--data-urlencode", f"fen={fen}", "--data-urlencode", "op=rot90", f"{base}/transform"]
    posted = ["-H", "Content-Type: application/json", "-d", json.dumps({"fen": fen, "op": "Rotate 90"}), f"{base}/transform"]
    lines = ["-H", "Content-Type: text/plain", "--data-binary", f"{fen}\n", f"{base}/transform?op=rot90"]
    for arguments in (asked, posted, lines):
        if curl(*text, *arguments) != (200, turned):
            fail(f"curl {arguments}: {curl(*text, *arguments)}")
    pair = "image=8/8/8/8/8/3k4/K7/8&original=8/8/8/8/8/4k3/1K6/B7"
    if curl(*text, f"{base}/detect?{pair}") != (200, b"shift:-1,0\n"):
        fail("curl /detect")
    file = (tables / "KRvK.egt").read_bytes()
    if curl(f"{base}/tables/KRvK.egt") != (200, file) or curl("-r", "100-199", f"{base}/tables/KRvK.egt") != (206, file[100:200]):
        fail("curl /tables/KRvK.egt")
    for status, arguments in (
        (400, [f"{base}/transform?fen=8/8&op=rot90"]),
        (404, ["--path-as-is", f"{base}/../../etc/passwd"]),
        (404, [f"{base}/tables/%2e%2e%2fKRvK.egt"]),
        (405, ["-X", "DELETE", f"{base}/detect"]),
        (413, ["-H", "Content-Type: text/plain", "--data-binary", "8" * 100_000 + "\n" * 20, *["--data-binary", "8" * 120_000] * 10,
               f"{base}/transform?op=rot90"]),
        (415, ["-d", "x", f"{base}/transform"]),
    ):
        if curl(*arguments)[0] != status:
            fail(f"curl {arguments[:4]}: {curl(*arguments)[0]} and not {status}")
    print("curl: turned, detected, listed, files whole and in ranges, refused: as described")


def placed(men, source):
    """A random legal position of these men."""
    while True:
        board = chess.Board(None)
        for man, square in zip(men, source.sample(range(64), len(men))):
            board.set_piece_at(square, chess.Piece.from_symbol(man))
        board.turn = source.random() < 0.5
        if board.is_valid():
            return board


WAYS = {
    "flipH": chess.flip_horizontal,
    "flipV": chess.flip_vertical,
    "flipD": chess.flip_diagonal,
    "flipAD": chess.flip_anti_diagonal,
    "rot90": lambda word: chess.flip_diagonal(chess.flip_vertical(word)),
    "rot180": lambda word: chess.flip_horizontal(chess.flip_vertical(word)),
    "rot270": lambda word: chess.flip_anti_diagonal(chess.flip_vertical(word)),
}


def turned(base, source, number):
    boards = [placed("KQRBNPPkqrbnpp", source) for _ in range(number)]
    for name, way in WAYS.items():
        body = json.dumps({"fens": [board.fen() for board in boards], "op": name}).encode()
        request = urllib.request.Request(f"{base}/transform", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            told = json.load(answer)["positions"]
        for board, one in zip(boards, told, strict=True):
            if one["images"][0]["fen"].split()[0] != board.transform(way).board_fen():
                fail(f"{name} of {board.fen()}: {one}")
    print(f"python-chess: {number} boards under {len(WAYS)} transforms: equal")


def checked(base, board):
    """What is told of a position, after everything in it that python-chess knows has been compared."""
    told = get(base, "/tablebase/standard", fen=board.fen())
    flags = lambda at: {"checkmate": at.is_checkmate(), "stalemate": at.is_stalemate(), "insufficient_material": at.is_insufficient_material(),
                        "variant_win": False, "variant_loss": False}
    if any(told[name] != flag for name, flag in flags(board).items()):
        fail(f"{board.fen()}: {told}")
    if sorted(move["uci"] for move in told["moves"]) != sorted(move.uci() for move in board.legal_moves):
        fail(f"{board.fen()}: other moves")
    order = {"loss": 0, "unknown": 1, "draw": 2, "win": 3}
    if [order[move["category"]] for move in told["moves"]] != sorted(order[move["category"]] for move in told["moves"]):
        fail(f"{board.fen()}: the best moves do not come first")
    for move in told["moves"]:
        played = chess.Move.from_uci(move["uci"])
        after = board.copy()
        after.push(played)
        same = all(move[name] == flag for name, flag in flags(after).items())
        if board.parse_san(move["san"]) != played or move["zeroing"] != board.is_zeroing(played) or not same:
            fail(f"{board.fen()}: {move}")
    plies = lambda told: 0 if told["checkmate"] else told["dtm"]
    if told["moves"]:
        first = told["moves"][0]
        other = {"win": "loss", "loss": "win", "draw": "draw", "unknown": "unknown"}
        if told["category"] != other[first["category"]]:
            fail(f"{board.fen()}: {told['category']} by the table, {first['category']} after the best move")
        if told["category"] == "win" and told["dtm"] != 1 - plies(first):
            fail(f"{board.fen()}: {told['dtm']} plies, {first['dtm']} after the best move")
        if told["category"] == "loss" and told["dtm"] != -1 - plies(first):
            fail(f"{board.fen()}: {told['dtm']} plies, {first['dtm']} after the best move")
    return told


def probed(base, source, number):
    mated = 0
    for nth in range(number):
        board = placed(MEN[nth % len(MEN)], source)
        told = checked(base, board)
        if told["category"] in ("draw", "unknown"):
            if told["category"] == "unknown" or told["dtm"] != 0:
                fail(f"{board.fen()}: {told['category']}, {told['dtm']}")
            continue
        plies, start = abs(told["dtm"] or 0), board.fen()
        for _ in range(plies):
            board.push_uci(told["moves"][0]["uci"])
            told = checked(base, board)
        if not board.is_checkmate():
            fail(f"{start}: no mate after {plies} plies")
        mated += 1
    print(f"python-chess: {number} positions, of {mated} the best moves lead to mate in as many plies as were told")


def sampled(base):
    if not SAMPLES.exists():
        print("samples.tsv is not there: skipped")
        return
    with SAMPLES.open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["material"] in MADE]
    for row in rows:
        told = get(base, "/tablebase", fen=row["fen"].replace(" ", "_"))
        plies = int(row["dtm_plies"]) if row["result"] != "draw" else 0
        expected = {"win": plies, "loss": -plies or None, "draw": 0}[row["result"]]
        if (told["category"], told["dtm"]) != (row["result"], expected):
            fail(f"{row}: {told['category']}, {told['dtm']}")
    print(f"samples: {len(rows)} positions as the independent solver has them")


def described(base):
    try:
        from openapi_spec_validator import validate
    except ImportError:
        print("openapi-spec-validator is not installed: skipped")
        return
    validate(get(base, "/openapi.json"))
    print("openapi.json: valid")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("egtgen")
    arguments.add_argument("--positions", type=int, default=100)
    arguments.add_argument("--seed", type=int, default=1)
    arguments = arguments.parse_args()
    source = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        tables = pathlib.Path(folder)
        subprocess.run([arguments.egtgen, "generate", *MADE, "--out", folder], check=True, capture_output=True)
        command = [arguments.egtgen, "serve", "--tables", folder, "--listen", "127.0.0.1:0", "--log", "none"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
            try:
                base = served.stdout.readline().split()[-1]
                by_curl(base, tables)
                turned(base, source, 20 * arguments.positions)
                probed(base, source, arguments.positions)
                sampled(base)
                described(base)
            finally:
                served.terminate()
            if served.wait(30) != 0:
                fail(f"it ended with {served.returncode}")


if __name__ == "__main__":
    main()
