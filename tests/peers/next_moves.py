"""Next moves of well-known positions: plyfold against python-chess, on the same games.

    python tests/peers/next_moves.py PLYFOLD [GAMES.pgn[.zst]] [--first N]

PLYFOLD is the program, built in release mode. Without GAMES, master-30k of the shared data is read where it stands beside the
project, else the demo games. Replays each game with python-chess (PyPI `chess`) and compares, for each position, the moves that games
went on with: how often and in how many games each was played, how these came out, average rating, performance, and when it was
played last. Exits with 1 if anything differs. Needs `zstd` for packed files.
"""

import argparse
import collections
import io
import json
import pathlib
import subprocess
import sys
import tempfile

import chess
import chess.pgn

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared/data/master-30k.pgn.zst"
DEMO = ROOT / "demo/demo.pgn.zst"

HOME = chess.BB_RANK_2 | chess.BB_RANK_7
# By the moves that lead there; other orders of moves lead to some of them, too.
LINES = {
    "the start": "",
    "after 1. e4": "e4",
    "Sicilian": "e4 c5",
    "open Sicilian": "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3",
    "Najdorf": "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6",
    "Ruy Lopez": "e4 e5 Nf3 Nc6 Bb5",
    "Berlin": "e4 e5 Nf3 Nc6 Bb5 Nf6",
    "Queen's Gambit": "d4 d5 c4",
    "Slav": "d4 d5 c4 c6",
    "Nimzo-Indian": "d4 Nf6 c4 e6 Nc3 Bb4",
    "King's Indian": "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6",
}
RESULTS = {"1-0": "white", "0-1": "black", "1/2-1/2": "draw"}
# No line is longer, but a position may come later by other moves.
PLIES = 30


def placed(board):
    return " ".join(board.fen(en_passant="legal").split()[:3])


def key(board):
    return board.occupied_co[True], board.occupied_co[False], board.pawns, board.turn, board.castling_rights


def text_of(path):
    if path.suffix != ".zst":
        return path.read_text(encoding="utf-8", errors="replace")
    return subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")


def elo(headers, name):
    text = headers.get(name, "")
    return int(text) if text.isdigit() and 0 < int(text) < 65536 else None


def date(headers):
    parts = [int(part) if part.isdigit() else 0 for part in headers.get("Date", "").split(".")]
    return tuple((parts + [0, 0, 0])[:3])


class Count:
    def __init__(self):
        self.times, self.games, self.last = 0, 0, None
        self.results = collections.Counter()
        self.own, self.decided, self.played = [], [], None

    def add(self, game, headers, turn):
        self.times += 1
        if self.last == game:
            return
        self.last = game
        self.games += 1
        result = RESULTS.get(headers.get("Result"), "unknown")
        self.results[result] += 1
        if date(headers)[0] and (self.played is None or date(headers) > self.played):
            self.played = date(headers)
        ratings = elo(headers, "WhiteElo"), elo(headers, "BlackElo")
        if None not in ratings:
            own, other = ratings if turn == chess.WHITE else ratings[::-1]
            self.own.append(own)
            if result != "unknown":
                won = {"white": turn == chess.WHITE, "black": turn == chess.BLACK, "draw": 0.5}[result]
                self.decided.append((other, float(won)))

    def told(self):
        elo = sum(self.own) // len(self.own) if self.own else None
        performance = None
        if self.decided:
            others, score, number = sum(o for o, _ in self.decided), sum(s for _, s in self.decided), len(self.decided)
            performance = int((others + 400 * (2 * score - number)) / number)
        played = None
        if self.played:
            year, month, day = self.played
            played = f"{year:04}." + ".".join(f"{part:02}" if part else "??" for part in (month, day))
        results = {name: self.results[name] for name in ("white", "draw", "black", "unknown")}
        return {"games": self.games, "times": self.times, **results, "average_elo": elo, "performance": performance, "last_played": played}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plyfold")
    parser.add_argument("games", nargs="?", type=pathlib.Path, default=SHARED if SHARED.exists() else DEMO)
    parser.add_argument("--first", type=int, default=10**9, metavar="N", help="the first N games alone")
    arguments = parser.parse_args()
    wanted = {}
    for name, line in LINES.items():
        board = chess.Board()
        for san in line.split():
            board.push_san(san)
        wanted[key(board)] = name, placed(board)
    counts = {name: collections.defaultdict(Count) for name in LINES}
    having = {name: 0 for name in LINES}
    source = io.StringIO(text_of(arguments.games))
    number = 0
    while number < arguments.first and (game := chess.pgn.read_game(source)) is not None:
        board = game.board()
        had = set()
        for ply, move in enumerate(game.mainline_moves()):
            # The start is looked for as long as no pawn has moved: players have gone back to it on move 24.
            if ply > PLIES and board.pawns != HOME:
                break
            found = wanted.get(key(board))
            # Men of other kinds may stand on the same squares.
            if found and placed(board) == found[1] and (ply <= PLIES or found[0] == "the start"):
                had.add(found[0])
                counts[found[0]][board.uci(move)].add(number, game.headers, board.turn)
            board.push(move)
        for name in had:
            having[name] += 1
        number += 1
    with tempfile.TemporaryDirectory() as folder:
        pgn, corpus = pathlib.Path(folder, "games.pgn"), pathlib.Path(folder, "games.plyfold")
        source.seek(0)
        texts = source.read().split("\n[Event ")
        pgn.write_text("\n[Event ".join(texts[:number]), encoding="utf-8")
        subprocess.run([arguments.plyfold, "import", pgn, "-o", corpus], check=True, stdout=subprocess.DEVNULL)
        differ = 0
        for name, fen in wanted.values():
            # A word about plies leaves out the start, which has no ply.
            query = f'fen "{fen}"' if name == "the start" else f'{{ fen "{fen}" and ply <= {PLIES} }}'
            options = ["--next", "--top", "1000", "--format", "json"]
            asked = [arguments.plyfold, "query", corpus, query, *options]
            answer = subprocess.run(asked, check=True, stdout=subprocess.PIPE).stdout
            ours = {one["uci"]: {k: v for k, v in one.items() if k not in ("san", "uci", "last_year", "first_game", "first_ply")} for one in json.loads(answer)["next"]["rows"]}
            theirs = {move: count.told() for move, count in counts[name].items()}
            wrong = [move for move in ours.keys() | theirs.keys() if ours.get(move) != theirs.get(move)]
            differ += len(wrong)
            print(f"{name}: {sum(one['games'] for one in ours.values())} games, {len(ours)} moves, {len(wrong)} differ", flush=True)
            for move in wrong[:5]:
                print(f"  {move}: {ours.get(move)} and {theirs.get(move)}")
    print(f"{number} games, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
