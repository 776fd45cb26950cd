"""Plays one game between two engines, from its manner to its end."""

import collections
import dataclasses
import math

import chess

LONGEST_GAME_PLIES = 420


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
