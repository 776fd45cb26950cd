// The rules of chess on the page, by chessops: legal moves of the position on the board, and lines of moves. The
// engine's own rules are in the worker, which reads no message while it scans; a board must answer a finger at once.
import { Chess } from 'chessops/chess';
import { chessgroundDests } from 'chessops/compat';
import { makeFen, parseFen } from 'chessops/fen';
import { makeSanAndPlay, parseSan } from 'chessops/san';
import { makeUci, parseSquare, parseUci, squareFile } from 'chessops/util';

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

/** A move as a player writes it: SAN such as `Nf3`, `0-0` or `e8=Q+!`, or UCI such as `g1f3`. Null if it is illegal. */
export function readMove(fen: string, written: string): Step | null {
  const text = plainMove(written);
  const uci = /^([a-h][1-8])-?([a-h][1-8])=?([nbrq])?$/i.exec(text);
  const played = uci && playMove(fen, uci.slice(1).join('').toLowerCase());
  if (played) return played;
  const position = positionOf(fen);
  if (!position) return null;
  // `bxc3` is a move of a pawn before it is one of a bishop.
  const move = parseSan(position, text) ?? parseSan(position, text.charAt(0).toUpperCase() + text.slice(1));
  if (!move) return null;
  // For the rules, a king castles by taking its rook; players write the square that the king goes to.
  const isCastling = /^O-O/.test(text) && 'from' in move && squareFile(move.from) === 4;
  const name = makeUci(move);
  return playMove(fen, isCastling ? `${name.slice(0, 2)}${/^O-O-O/.test(text) ? 'c' : 'g'}${name.slice(3)}` : name);
}

/** Moves as a player writes them, up to the first illegal one, which `rest` begins with. */
export function readLine(fen: string, written: readonly string[]): { steps: Step[]; rest: readonly string[] } {
  const steps: Step[] = [];
  for (const [nth, text] of written.entries()) {
    const step = readMove(steps.at(-1)?.fen ?? fen, text);
    if (!step) return { steps, rest: written.slice(nth) };
    steps.push(step);
  }
  return { steps, rest: [] };
}

/** The letters of figurines, in the order of Unicode: White's pieces, then Black's. */
const FIGURINES = 'KQRBNP';

/** A written move without remarks, in the signs of the PGN standard. */
function plainMove(written: string): string {
  const text = written
    .trim()
    .replace(/[♔-♟]/g, (sign) => (FIGURINES[(sign.charCodeAt(0) - 0x2654) % 6] ?? '').replace('P', ''))
    .replace(/[×:]/g, 'x')
    .replace(/[–—]/g, '-')
    .replace(/[!?‼⁇⁉⁈]+$/, '')
    .replace(/(?:ep|e\.p\.)$/, '')
    .replace(/[(/]([nbrqNBRQ])\)?/, '=$1');
  return /^[oO0]-[oO0]/.test(text) ? text.replace(/[o0]/g, 'O') : text.replace(/^P(?=[a-h])/, '');
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
