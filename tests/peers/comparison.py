"""Games as python-chess and plyfold read them, and rows that compare what both find."""

import io
import json
import pathlib
import subprocess
import sys

import chess
import chess.pgn

from conditions import CASTLED, SIDES, Position
from played import Played

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared/data/master-30k.pgn.zst"
DEMO = ROOT / "demo/demo.pgn.zst"


class Game:
    """The positions of a game, that before the first ply apart."""

    def __init__(self, game):
        board = game.board()
        wings = {side: 0 for side in SIDES}
        seen, last = {board.epd(): 1}, {board.epd(): 0}
        # For each side, the ply of its last move that gave no check.
        checks_since = {side: 0 for side in SIDES}
        self.start = Position(board.copy(stack=False), 0, 0, dict(wings), 1, game.headers)
        self.positions = []
        taken = None
        for ply, move in enumerate(game.mainline_moves(), 1):
            moved, side = board.fullmove_number, board.turn
            played = Played(board.copy(stack=False), move, taken)
            taken = played.capture_square()
            if board.is_castling(move):
                wings[side] = CASTLED["short" if board.is_kingside_castling(move) else "long"]
            board.push(move)
            # Equal if men, mover, rights and legal captures en passant are.
            same = board.epd()
            seen[same] = seen.get(same, 0) + 1
            placement, turn, castling, en_passant = same.split()
            if en_passant == "-":
                played.other_turn = seen.get(f"{placement} {'b' if turn == 'w' else 'w'} {castling} -", 0)
            if not board.is_check():
                checks_since[side] = ply
            played.perpetual = last.get(same, -1) >= checks_since[side]
            last[same] = ply
            at = board.copy(stack=False)
            self.positions.append(Position(at, ply, moved, dict(wings), seen[same], game.headers, played))


def read_text(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-d", "-q", "-c", str(path)], stdout=subprocess.PIPE, check=True).stdout
    return path.read_bytes()


def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"{' '.join(str(word) for word in command)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


class Engine:
    """A corpus made of some games, and what `plyfold query` finds in it."""

    def __init__(self, plyfold, pgn, corpus):
        self.plyfold, self.corpus = plyfold, corpus
        run(plyfold, "import", pgn, "-o", corpus)

    def ask(self, query, positions, evidence=False, options=()):
        """Matching games as numbers from 1, and matching positions as numbers of game and ply if these are wanted."""
        wanted = [*options, *(["--positions", "ref"] if positions else [])]
        wanted += ["--evidence"] if evidence else []
        command = [self.plyfold, "query", self.corpus, query, "--format", "json", "--games", *wanted]
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        said = done.stderr.decode(errors="replace").strip()
        if "of this corpus has the name" in said:
            # A name that nobody has is refused rather than not found.
            return set(), set()
        if done.returncode not in (0, 1) or not done.stdout:
            sys.exit(f"{query}: {said}")
        answer = json.loads(done.stdout)
        games = {game["number"] for game in answer["game_list"]}
        places = {(place["game"], place["ply"]) for place in answer.get("position_list", [])}
        if len(games) != answer["games"] or positions and len(places) != answer["positions"]:
            sys.exit(f"{query}: the lists are not as long as the counts say")
        return games, places


def some_games(text, wanted, every):
    """Every so many games up to `wanted`, read by python-chess, and their text."""
    source, games, parts, nth = io.StringIO(text), [], [], 0
    while len(games) < wanted:
        begin = source.tell()
        if nth % every != 0:
            if not chess.pgn.skip_game(source):
                break
        else:
            game = chess.pgn.read_game(source)
            if game is None:
                break
            if game.errors:
                sys.exit(f"game {nth + 1}: {game.errors[0]}")
            games.append(Game(game))
            parts.append(text[begin : source.tell()])
        nth += 1
    return games, "".join(parts)


# Over the numbers of a row.
HEADINGS = "".join(f"{word:>10}" for word in ("ours", "theirs", "ours", "theirs"))


def row(query, theirs, ours, what):
    """Prints a row and, where they differ, the first of each side; whether they agree."""
    equal = theirs == ours
    numbers = "".join(f"{len(one):>10}{len(other):>10}" for one, other in zip(ours, theirs))
    print(f"{query or 'everything':<74}{numbers}  {'equal' if equal else 'DIFFERENT'}", flush=True)
    for name, our, their in zip(what, ours, theirs):
        for who, extra in (("plyfold", our - their), ("python-chess", their - our)):
            if extra:
                print(f"    {len(extra)} {name} by {who} alone: {', '.join(map(str, sorted(extra)[:8]))}")
    return equal
