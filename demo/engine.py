"""Searches positions with Stockfish: a process that UCI commands control, without clocks."""

import dataclasses
import subprocess
import sys

HASH_MEGABYTES = 1
MATE_CENTIPAWNS = 10_000


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
