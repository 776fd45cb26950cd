"""Annotates games as real collections are: evaluations, clocks, or comments with glyphs and variations."""

import chess.pgn

from engine import MATE_CENTIPAWNS


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
