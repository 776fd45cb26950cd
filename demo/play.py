"""Plays the demo games: Stockfish against itself, from many openings and at many strengths.

The page and the tests need a few thousand games without an owner, so this script generates them.
It invents a calendar of tournaments (`calendar`), gives every pairing a start (an opening line, a set-up
position or a Chess960 position), lets two engine processes play it (`Table`), has some of the games
annotated (`Annotator`), and writes everything as one PGN, packed by zstd when the name ends in `.zst`.

Game n depends only on the seed, on n and on the engine's version: each side searches a fixed number of
nodes on one thread, the hash table is emptied before the game, and every choice comes from a random
generator seeded with (seed, n). The script reads no clock, so `--only n` plays game n again, move for move.

Needs python-chess (`pip install chess==1.11.2`), `stockfish` and `zstd`.
"""

import argparse
import collections
import dataclasses
import datetime
import math
import os
import pathlib
import random
import subprocess
import sys

import chess
import chess.pgn

HERE = pathlib.Path(__file__).resolve().parent
HASH_MEGABYTES = 1
MATE_CENTIPAWNS = 10_000
LONGEST_GAME_PLIES = 420


# Who plays, where and when ------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Player:
    """An invented engine player; `slips` is the share of moves that are drawn from several candidates."""

    name: str
    nodes: int
    slips: float
    rated: bool = True

    def elo(self, year):
        """A rating that follows from the nodes: 250 points a doubling, less for slips, a slow drift."""
        return round(1000 + 250 * math.log2(self.nodes / 20) - 600 * self.slips + 3 * (year - 2019))


# Weakest first: an event invites players from one range of this list.
PLAYERS = [
    Player("Wood Pusher 20", 20, 0.35),
    Player("Sunday Fork 30", 30, 0.30),
    Player("Coffee House 40", 40, 0.30),
    Player("Loose Bishop 60", 60, 0.25),
    Player("Petit Éléphant 50", 50, 0.15),
    Player("Doubled Pawns 100", 100, 0.20),
    Player("Tempo Thief 80", 80, 0.10),
    Player("Back Rank 120", 120, 0.10),
    Player("Long Diagonal 150", 150, 0.10),
    Player("Stray Knight 200", 200, 0.15, rated=False),
    Player("Quiet Move 180", 180, 0.08),
    Player("Passed Pawn 220", 220, 0.06),
    Player("Open File 260", 260, 0.05),
    Player("Rook Lift 300", 300, 0.05),
    Player("Königsflügel 360", 360, 0.04),
    Player("Exchange Down 430", 430, 0.03),
    Player("Outpost 520", 520, 0.03),
    Player("Zwischenzug 620", 620, 0.02),
    Player("Minority Attack 750", 750, 0.02),
    Player("Blockade 900", 900, 0.01),
    Player("Seventh Rank 1100", 1100, 0.01),
    Player("Zugzwang 1300", 1300, 0.01),
    Player("Bishop Pair 1600", 1600, 0.0),
    Player("Prophylaxis 2000", 2000, 0.0),
    Player("Opposition 2400", 2400, 0.0),
    Player("Fortress 3000", 3000, 0.0),
]


@dataclasses.dataclass(frozen=True)
class Event:
    """A tournament that is held in several years.

    `band` is the half-open range of PLAYERS that may be invited, `field` the number of invited players (even),
    `cycles` how often each pair meets, `start` the kind of start position.
    """

    name: str
    time_control: str
    rounds_a_day: int
    band: tuple
    field: int
    cycles: int
    years: tuple
    start: str = "opening"
    day_known: bool = True


EVENTS = [
    Event("Harbour Lights Masters", "40/7200:1800", 1, (14, 26), 10, 2, (2015, 2018, 2020, 2023)),
    Event("Lantern Street Open", "900+10", 5, (0, 26), 12, 2, (2016, 2019, 2022)),
    Event("Twelve Bridges Invitational", "5400+30", 1, (16, 26), 8, 2, (2015, 2017, 2019, 2021, 2024)),
    Event("Copper Kettle Blitz", "180+2", 11, (4, 24), 12, 2, (2016, 2018, 2021, 2024)),
    Event("Winter Orchard Congress", "5400+30", 2, (2, 18), 10, 2, (2015, 2017, 2020, 2023)),
    Event("Old Mill Trophy", "3600+15", 3, (6, 20), 10, 2, (2016, 2019, 2022)),
    Event("Night Train Bullet", "60", 22, (0, 16), 10, 2, (2017, 2020, 2024)),
    Event("Granite Valley Memorial", "40/5400+30:1800+30", 1, (12, 26), 10, 2, (2018, 2021, 2023)),
    Event("Paper Boat Rapid", "600+5", 6, (0, 20), 12, 2, (2016, 2019, 2022)),
    Event("Seven Hills Club Championship", "5400", 1, (0, 14), 10, 2, (2015, 2018, 2021)),
    Event("Postcard League", "1/259200", 9, (10, 26), 10, 2, (2017, 2019, 2023), day_known=False),
    Event("Northern Gate Cup", "1500+10", 4, (8, 24), 12, 2, (2020, 2022, 2024)),
    Event("Shuffled Back Rank Cup", "900+10", 5, (6, 26), 6, 2, (2019, 2023), start="chess960"),
    Event("Endgame Clinic", "600+5", 5, (0, 26), 6, 1, (2017, 2020, 2022, 2024), start="position"),
]


@dataclasses.dataclass
class Pairing:
    """A game to be played: the players, the date and the event."""

    event: Event
    date: str
    round: int
    white: Player
    black: Player
    white_elo: int
    black_elo: int


def round_robin(players):
    """The rounds of an all-play-all by the circle method: one player stays, the others rotate."""
    ring = list(players)
    half = len(ring) // 2
    for number in range(len(ring) - 1):
        pairs = list(zip(ring[:half], reversed(ring[half:])))
        yield [(b, a) if (number + i) % 2 else (a, b) for i, (a, b) in enumerate(pairs)]
        ring = [ring[0], ring[-1], *ring[1:-1]]


def calendar(seed):
    """Every pairing of every tournament, in the order of the tournaments' first days."""
    editions = []
    for event in EVENTS:
        for year in event.years:
            rng = random.Random(f"{seed}/{event.name}/{year}")
            first = datetime.date(year, 1, 5) + datetime.timedelta(days=rng.randrange(320))
            invited = rng.sample(PLAYERS[event.band[0] : event.band[1]], event.field)
            elo = {player: player.elo(year) + rng.randrange(-25, 26) for player in invited}
            editions.append((first, event, invited, elo))
    editions.sort(key=lambda edition: (edition[0], edition[1].name))

    pairings = []
    for first, event, invited, elo in editions:
        rounds = list(round_robin(invited))
        for number in range(len(rounds) * event.cycles):
            # The year is part of the event's name, so a tournament that begins late must not run into January.
            day = min(first + datetime.timedelta(days=number // event.rounds_a_day), datetime.date(first.year, 12, 30))
            date = day.strftime("%Y.%m.%d") if event.day_known else day.strftime("%Y.%m.??")
            for a, b in rounds[number % len(rounds)]:
                white, black = (a, b) if number < len(rounds) else (b, a)
                pairings.append(Pairing(event, date, number + 1, white, black, elo[white], elo[black]))
    return pairings


# Where games begin --------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Opening:
    eco: str
    name: str
    moves: tuple


def table_rows(path):
    """The fields of each line of a `|`-separated table, without comments and blank lines."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, [field.strip() for field in line.split("|")]


def read_openings(path):
    openings = []
    for number, (eco, name, text) in table_rows(path):
        board, moves = chess.Board(), []
        for san in text.split():
            try:
                moves.append(board.push_san(san))
            except ValueError as error:
                sys.exit(f"{path.name} line {number}: {san} cannot be played ({error}); correct the line")
        openings.append(Opening(eco, name, tuple(moves)))
    return openings


def read_positions(path):
    positions = []
    for number, (name, fen) in table_rows(path):
        board = chess.Board(fen)
        if not board.is_valid() or board.is_game_over():
            sys.exit(f"{path.name} line {number}: {name} is not a position to play from; correct the FEN")
        positions.append((name, fen))
    return positions


# The engine ---------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A move that the engine considered: centipawns for the side to move, and the expected line."""

    score: int
    line: tuple

    @property
    def move(self):
        return self.line[0]


class Engine:
    """A Stockfish process, controlled by UCI commands without clocks."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.candidates_wanted = 1
        self.send("uci", "setoption name Threads value 1", f"setoption name Hash value {HASH_MEGABYTES}")
        self.wait_for("uciok")

    def send(self, *lines):
        self.process.stdin.write("\n".join(lines) + "\n")
        self.process.stdin.flush()

    def wait_for(self, word):
        """The lines up to and including the first that begins with `word`."""
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith(word):
                return lines
        sys.exit("the engine ended in the middle of a game; run it by hand to see why")

    def new_game(self, chess960):
        self.send(f"setoption name UCI_Chess960 value {str(chess960).lower()}", "ucinewgame", "isready")
        self.wait_for("readyok")

    def think(self, position, nodes, wanted=1):
        """Candidates, best first; at least one, even if the nodes are too few for the engine to print a line."""
        if wanted != self.candidates_wanted:
            self.send(f"setoption name MultiPV value {wanted}")
            self.candidates_wanted = wanted
        self.send(position, f"go nodes {nodes}")
        *thoughts, verdict = self.wait_for("bestmove")
        lines = {}
        for thought in thoughts:
            words = thought.split()
            if "pv" not in words:
                continue
            kind, value = words[words.index("score") + 1 :][:2]
            score = int(value)
            if kind == "mate":
                score = MATE_CENTIPAWNS - score if score > 0 else -MATE_CENTIPAWNS - score
            lines[int(words[words.index("multipv") + 1])] = Candidate(score, tuple(words[words.index("pv") + 1 :]))
        found = [lines[rank] for rank in sorted(lines)]
        best = verdict.split()[1]
        if not found or found[0].move != best:
            found = [Candidate(found[0].score if found else 0, (best,))] + [c for c in found if c.move != best]
        return found

    def close(self):
        self.send("quit")
        self.process.wait()


# One game -----------------------------------------------------------------------------------------


@dataclasses.dataclass
class Manner:
    """How a game is played and ended. It is drawn once, before the first move.

    Games `to_the_end` have no resignations, agreed draws or claims: they last until mate, stalemate, bare
    kings (or other material that cannot mate), a fivefold repetition or 75 quiet moves. In other games the
    players may agree to a draw in a level position from `peace_ply` on.
    """

    to_the_end: bool
    resigns_at: int
    agrees_draws: bool
    peace_ply: int
    wandering_plies: int
    incident: str
    incident_ply: int
    notes: str


def draw_manner(rng, start):
    to_the_end = rng.random() < (0.5 if start == "position" else 0.2)
    stubborn = rng.random() < 0.12
    incident = ""
    roll = rng.random()
    for share, name in ((0.02, "time forfeit"), (0.004, "abandoned"), (0.004, "unterminated"), (0.004, "adjudication")):
        if roll < share:
            incident = name
            break
        roll -= share
    notes = ""
    roll = rng.random()
    for share, name in ((0.03, "prose"), (0.012, "evals"), (0.008, "clocks")):
        if roll < share:
            notes = name
            break
        roll -= share
    return Manner(
        to_the_end=to_the_end,
        resigns_at=100_000 if to_the_end or stubborn else rng.randrange(450, 950, 50),
        agrees_draws=not to_the_end,
        peace_ply=36 + rng.randrange(60) if rng.random() < 0.65 else LONGEST_GAME_PLIES,
        wandering_plies={"opening": 2 + rng.randrange(4), "chess960": 4 + rng.randrange(4), "position": 1 + rng.randrange(2)}[start],
        incident="" if to_the_end else incident,
        incident_ply=40 + rng.randrange(70),
        notes=notes,
    )


class Table:
    """A board with two engines, for one game. `play` plays that game."""

    def __init__(self, engines, rng, board, manner, players):
        self.engines = engines
        self.rng = rng
        self.board = board
        self.manner = manner
        self.players = players
        self.scores = []  # centipawns from White's side before each ply, None for book moves
        self.seen = collections.Counter([board.epd()])
        self.origin = "startpos" if board.fen() == chess.STARTING_FEN else "fen " + board.fen(en_passant="fen")
        self.played = []

    def position(self):
        return f"position {self.origin}" + (" moves " + " ".join(self.played) if self.played else "")

    def push(self, move, score):
        self.played.append(self.board.uci(move))
        self.scores.append(score if score is None or self.board.turn else -score)
        self.board.push(move)
        self.seen[self.board.epd()] += 1

    def candidates(self, nodes, wanted=1):
        return self.engines[0 if self.board.turn else 1].think(self.position(), nodes, wanted)

    def wander(self):
        """A move after the book: any of the five best that costs at most half a pawn."""
        found = self.candidates(400, 5)
        near = [c for c in found if c.score >= found[0].score - 50]
        return near[self.rng.randrange(len(near))]

    def choose(self):
        """The move of the player to move: usually its best move, sometimes a slip."""
        player = self.players[0 if self.board.turn else 1]
        if self.rng.random() < player.slips:
            found = self.candidates(player.nodes, 5)
            weights = [math.exp(max(c.score - found[0].score, -1500) / 150) for c in found]
            choice = self.rng.choices(found, weights)[0]
        else:
            choice = self.candidates(player.nodes)[0]
        if self.manner.to_the_end and len(self.played) > 40 and abs(choice.score) < 150:
            stuck = self.goes_nowhere(choice)
            if stuck or self.rng.random() < 0.5:
                choice = self.livelier(player, choice, stuck)
        return choice

    def goes_nowhere(self, candidate):
        move = self.board.parse_uci(candidate.move)
        if self.board.is_zeroing(move):
            return False
        self.board.push(move)
        again = self.seen[self.board.epd()] > 0
        self.board.pop()
        return again or self.board.halfmove_clock > 20

    def livelier(self, player, choice, stuck):
        """A move about as good as `choice` that makes progress in a level ending.

        A capture if there is one; if the game is stuck, also a pawn move or another move to a new position.
        """
        found = [c for c in self.candidates(player.nodes + 200, 8) if c.score >= choice.score - 40]
        moves = [self.board.parse_uci(c.move) for c in found]
        for candidate, move in zip(found, moves):
            if self.board.is_capture(move):
                return candidate
        if not stuck:
            return choice
        for candidate, move in zip(found, moves):
            if self.board.is_zeroing(move):
                return candidate
        fresh = [c for c in found if not self.goes_nowhere(c)] or [choice]
        return fresh[self.rng.randrange(len(fresh))]

    def over_by_rule(self):
        """`(result, words)` if the rules end the game, otherwise None."""
        board = self.board
        if not any(board.legal_moves):
            if board.is_check():
                return ("0-1" if board.turn else "1-0"), "Checkmate."
            return "1/2-1/2", "Stalemate."
        if board.is_insufficient_material():
            return "1/2-1/2", "Neither side can mate."
        repeats, quiet = (5, 150) if self.manner.to_the_end else (3, 100)
        if self.seen[board.epd()] >= repeats:
            return "1/2-1/2", "Drawn by repetition."
        if board.halfmove_clock >= quiet:
            return "1/2-1/2", f"Drawn after {quiet // 2} quiet moves."
        return None

    def over_by_consent(self, score):
        """`(result, words)` if a player resigns or both agree to a draw; `score` is from the mover's side."""
        own = [s if self.board.turn else -s for s in self.scores[-2:-1] if s is not None] + [score]
        if len(own) == 2 and max(own) <= -self.manner.resigns_at and len(self.played) > 24:
            return ("0-1", "White resigns.") if self.board.turn else ("1-0", "Black resigns.")
        if self.manner.agrees_draws and len(self.played) > 36:
            views = [abs(s) for s in self.scores[-10:]]
            level = len(self.played) > 60 and max(views) <= 25
            weary = len(self.played) >= self.manner.peace_ply and max(views[-2:]) <= 90
            if level or weary:
                return "1/2-1/2", "Draw agreed."
        return None

    def over_by_incident(self):
        """`(result, words)` if an incident ends the game at the ply drawn for it, otherwise None."""
        if not self.manner.incident or len(self.played) < self.manner.incident_ply:
            return None
        lost = "0-1" if self.board.turn else "1-0"
        side = "White" if self.board.turn else "Black"
        if self.manner.incident == "adjudication":
            view = self.scores[-1] or 0
            return ("1-0" if view > 150 else "0-1" if view < -150 else "1/2-1/2"), "Adjudicated."
        return {
            "time forfeit": (lost, f"{side} lost on time."),
            "abandoned": (lost, f"{side} left the game."),
            "unterminated": ("*", "The rest of the score is lost."),
        }[self.manner.incident]

    def play(self, book):
        """Plays the book moves and then the game. Returns `(result, termination, words)`."""
        for engine in self.engines:
            engine.new_game(self.board.chess960)
        for move in book:
            self.push(move, None)
        for _ in range(self.manner.wandering_plies):
            if over := self.over_by_rule():
                return over[0], "normal", over[1]
            choice = self.wander()
            self.push(self.board.parse_uci(choice.move), choice.score)
        while True:
            if over := self.over_by_rule():
                return over[0], "normal", over[1]
            if over := self.over_by_incident():
                return over[0], self.manner.incident, over[1]
            if len(self.played) >= LONGEST_GAME_PLIES:
                return "1/2-1/2", "adjudication", "Stopped as a draw for its length."
            choice = self.choose()
            if over := self.over_by_consent(choice.score):
                return over[0], "normal", over[1]
            self.push(self.board.parse_uci(choice.move), choice.score)


# Annotation ---------------------------------------------------------------------------------------


class Annotator:
    """Adds what real collections have: comments, glyphs, clocks, evaluations, nested variations."""

    def __init__(self, engine, rng):
        self.engine = engine
        self.rng = rng

    def evals(self, game, scores):
        for node, score in zip(game.mainline(), scores[1:]):
            if score is None:
                continue
            if abs(score) > MATE_CENTIPAWNS - 500:
                moves = (MATE_CENTIPAWNS - abs(score)) * (1 if score > 0 else -1)
                node.comment = f"[%eval #{moves}]"
            else:
                node.comment = f"[%eval {score / 100:.2f}]"

    def clocks(self, game, time_control):
        start, _, increment = time_control.split(":")[0].split("/")[-1].partition("+")
        left = [int(start)] * 2
        for ply, node in enumerate(game.mainline()):
            side = ply % 2
            spent = int(self.rng.expovariate(1) * (left[side] / 40 + int(increment or 0)))
            left[side] = max(1, left[side] - spent + int(increment or 0))
            node.comment = f"[%clk {left[side] // 3600}:{left[side] // 60 % 60:02}:{left[side] % 60:02}]"

    def prose(self, game, book_plies, words):
        """Analyses each position of the game with 2,500 nodes and comments on mistakes and strong moves."""
        self.engine.new_game(game.board().chess960)
        views = []
        for node in [game, *game.mainline()]:
            board = node.board()
            over = board.is_game_over()
            views.append(None if over else self.engine.think(self.position(board), 2500, 2))
        game.comment = self.pick("Annotated for the demo.", "Eine lehrreiche Partie – viel Kampf.", "Une partie à revoir.", "A game with a moment to remember.")
        nodes = list(game.mainline())
        for ply, node in enumerate(nodes, 1):
            before, after = views[ply - 1], views[ply]
            if ply == book_plies:
                node.comment = "The book ends here."
            if ply <= book_plies or after is None:
                continue
            lost = before[0].score + after[0].score
            best = before[0].move
            played = node.parent.board().uci(node.move)
            if played == best:
                if len(before) > 1 and before[0].score - before[1].score > 200 and self.rng.random() < 0.4:
                    node.nags.add(chess.pgn.NAG_GOOD_MOVE)
                    node.comment = self.pick("The only move.", "Nothing else holds.", "Exact.", "")
            elif lost > 300 and before[0].score > -600:
                node.nags.add(chess.pgn.NAG_BLUNDER)
                node.comment = self.pick("The turning point.", "This loses the thread at once.", "Overlooks the reply.")
                self.better(node, before[0])
            elif lost > 150 and abs(before[0].score) < 600:
                node.nags.add(chess.pgn.NAG_MISTAKE)
                self.better(node, before[0])
            elif lost > 80 and abs(before[0].score) < 300:
                node.nags.add(chess.pgn.NAG_DUBIOUS_MOVE)
        if nodes:
            nodes[-1].comment = f"{nodes[-1].comment} {words}".strip()

    def better(self, node, candidate):
        """Adds the better line as a variation to `node`, sometimes with a variation inside it."""
        parent = node.parent
        head = parent.add_variation(parent.board().parse_uci(candidate.move))
        head.starting_comment = self.pick("Better is", "There was", "")
        tail = head
        for uci in candidate.line[1 : 3 + self.rng.randrange(5)]:
            tail = tail.add_main_variation(tail.board().parse_uci(uci))
        tail.nags.add(self.verdict(candidate.score, parent.board().turn))
        if self.rng.random() < 0.35 and not head.board().is_game_over() and head.variations:
            replies = self.engine.think(self.position(head.board()), 1500, 2)
            other = [c for c in replies if head.board().parse_uci(c.move) != head.variations[0].move]
            if other:
                inner = head.add_variation(head.board().parse_uci(other[0].move))
                for uci in other[0].line[1:4]:
                    inner = inner.add_main_variation(inner.board().parse_uci(uci))
                inner.comment = "also possible"

    def pick(self, *phrases):
        return phrases[self.rng.randrange(len(phrases))]

    @staticmethod
    def position(board):
        return f"position fen {board.fen(en_passant='fen')}"

    @staticmethod
    def verdict(score, turn):
        white = score if turn else -score
        for bound, better, worse in ((250, 18, 19), (100, 16, 17), (35, 14, 15)):
            if abs(white) > bound:
                return better if white > 0 else worse
        return chess.pgn.NAG_DRAWISH_POSITION


# All games ----------------------------------------------------------------------------------------


def write_game(number, pairing, seed, engines, openings, positions):
    """Plays game `number` and returns it as a `chess.pgn.Game`."""
    rng = random.Random(f"{seed}/game/{number}")
    event = pairing.event
    board, book, named = chess.Board(), (), None
    if event.start == "chess960":
        standard = 518
        index = rng.randrange(959)
        board = chess.Board.from_chess960_pos(index + (index >= standard))
    elif event.start == "position":
        board = chess.Board(positions[rng.randrange(len(positions))][1])
    else:
        named = openings[rng.randrange(len(openings))]
        book = named.moves
    start = board.copy()
    manner = draw_manner(rng, event.start)
    table = Table(engines[:2], rng, board, manner, (pairing.white, pairing.black))
    result, termination, words = table.play(book)

    game = chess.pgn.Game()
    # python-chess writes SetUp, FEN and Variant itself if the start position is not the usual one.
    game.setup(start)
    game.headers["Event"] = f"{event.name} {pairing.date[:4]}"
    game.headers["Site"] = "plyfold demo"
    game.headers["Date"] = pairing.date
    game.headers["Round"] = str(pairing.round)
    game.headers["White"] = pairing.white.name
    game.headers["Black"] = pairing.black.name
    game.headers["Result"] = result
    if pairing.white.rated:
        game.headers["WhiteElo"] = str(pairing.white_elo)
    if pairing.black.rated:
        game.headers["BlackElo"] = str(pairing.black_elo)
    if named:
        game.headers["ECO"] = named.eco
        game.headers["Opening"] = named.name
    game.headers["TimeControl"] = event.time_control
    game.headers["Termination"] = termination
    game.add_line(table.board.move_stack)

    annotator = Annotator(engines[2], rng)
    if manner.notes == "evals":
        annotator.evals(game, table.scores)
    elif manner.notes == "clocks":
        annotator.clocks(game, event.time_control)
    elif manner.notes == "prose":
        annotator.prose(game, len(book), words)
    return game


def save(path, text):
    """Writes `text` to `path`, compressed if its name ends in `.zst`. The file appears when it is complete."""
    data = text.encode("utf-8")
    if path.suffix == ".zst":
        data = subprocess.run(["zstd", "-19", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(data)
    os.replace(partial, path)


def main():
    parser = argparse.ArgumentParser(description="Plays the demo games and writes them as one PGN.")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parent / "www/public/demo/demo.pgn.zst")
    parser.add_argument("--seed", default="plyfold")
    parser.add_argument("--engine", default="/usr/games/stockfish")
    parser.add_argument("--first", type=int, default=1, metavar="N", help="number of the first game to play")
    parser.add_argument("--count", type=int, metavar="N", help="how many games to play, all by default")
    parser.add_argument("--only", type=int, metavar="N", help="play game N and print it")
    options = parser.parse_args()

    openings = read_openings(HERE / "openings.txt")
    positions = read_positions(HERE / "positions.txt")
    pairings = list(enumerate(calendar(options.seed), 1))
    if options.only:
        chosen = pairings[options.only - 1 : options.only]
    else:
        chosen = pairings[options.first - 1 :][: options.count]

    # Three processes, for White, Black and the annotator. Only one of them searches at a time.
    engines = [Engine(options.engine) for _ in range(3)]
    texts, plies = [], 0
    for done, (number, pairing) in enumerate(chosen, 1):
        game = write_game(number, pairing, options.seed, engines, openings, positions)
        texts.append(game.accept(chess.pgn.StringExporter(columns=80)) + "\n\n")
        plies += game.end().ply() - game.ply()
        if done % 50 == 0 or done == len(chosen):
            print(f"{done} of {len(chosen)} games, {plies} plies", file=sys.stderr, flush=True)
    for engine in engines:
        engine.close()

    if options.only:
        print("".join(texts), end="")
    else:
        save(options.out, "".join(texts))


if __name__ == "__main__":
    main()
