// The rules of chess on the page, by chessops: legal moves of the position on the board, and lines of moves. The
// engine's own rules are in the worker, which reads no message while it scans; a board must answer a finger at once.
import { Chess } from 'chessops/chess';
import { chessgroundDests } from 'chessops/compat';
import { makeFen, parseFen } from 'chessops/fen';
import { makeSanAndPlay } from 'chessops/san';
import { parseSquare, parseUci } from 'chessops/util';

/** A position on a line, and the move that led there; the first position may have no move. */
export interface Step {
  fen: string;
  uci: string;
  san: string;
}

/** The position of a FEN; null if nobody can play on it. */
export function positionOf(fen: string): Chess | null {
  return parseFen(fen)
    .chain((setup) => Chess.fromSetup(setup))
    .unwrap(
      (position) => position,
      () => null,
    );
}

/** The legal moves: squares that a piece can go to, by the square that it stands on, both as `e4`. */
export function destinations(fen: string): Map<string, string[]> {
  const position = positionOf(fen);
  return position ? (chessgroundDests(position) as Map<string, string[]>) : new Map();
}

/** Whether a move of a pawn must name the piece that the pawn becomes. */
export function isPromotion(fen: string, from: string, to: string): boolean {
  const square = parseSquare(from);
  return /[18]$/.test(to) && square !== undefined && positionOf(fen)?.board.getRole(square) === 'pawn';
}

/** The position after a move in UCI notation, or null if the move is illegal. */
export function playMove(fen: string, uci: string): Step | null {
  const position = positionOf(fen);
  const move = parseUci(uci);
  if (!position || !move || !position.isLegal(move)) return null;
  const san = makeSanAndPlay(position, move);
  return { fen: makeFen(position.toSetup()), uci, san };
}

/** A line of moves in UCI notation, up to the first illegal one. */
export function playLine(fen: string, moves: readonly string[]): Step[] {
  const steps: Step[] = [];
  for (const uci of moves) {
    const step = playMove(steps.at(-1)?.fen ?? fen, uci);
    if (!step) break;
    steps.push(step);
  }
  return steps;
}

/** Whether two moves from one position lead to the same position. FENs may write the en passant square differently. */
export function isSameAfter(one: string, other: string): boolean {
  const pieces = (fen: string) => fen.split(' ').slice(0, 2).join(' ');
  return pieces(one) === pieces(other);
}
