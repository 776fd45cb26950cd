// What a pasted text is: games, a position, moves, or nothing that the page knows.
import { makeFen, parseFen } from 'chessops/fen';
import { START_FEN } from './replay.svelte';
import { readLine, type Step } from './rules';
import { say } from './say';

export type Pasted =
  | { kind: 'games'; text: string }
  | { kind: 'position'; fen: string }
  /** A line from `from`; `rest` has the moves that are illegal after it. */
  | { kind: 'moves'; from: string; steps: Step[]; rest: readonly string[] }
  /** `says` is a sentence for the user. */
  | { kind: 'unknown'; says: string };

/** What pasted games are called. */
export const PASTED = 'Pasted games';

/** Whether a collection has pasted games: others have others of the same name. */
export function isPasted(corpus: string): boolean {
  return corpus.startsWith(PASTED);
}

/** Longer than the moves of any game. */
const MOST_LETTERS = 20_000;

/** Reads a pasted text. `board` is the position on the board, from which moves may go on. */
export function readPasted(text: string, board: string): Pasted {
  if (hasTags(text)) return { kind: 'games', text };
  if (isPlacement(text)) {
    const fen = readFen(text);
    return fen ? { kind: 'position', fen } : { kind: 'unknown', says: 'This looks like a FEN, but it has no readable position.' };
  }
  const moves = movesIn(text);
  if (moves) return lineOf(text, moves, board);
  return { kind: 'unknown', says: text.trim() === '' ? 'There is no text to paste.' : 'This is no PGN, no FEN and no list of moves, so nothing was pasted.' };
}

/** Whether a text can be nothing else than games with tags or a whole FEN, even where a query is written. */
export function isPlainlyChess(text: string): boolean {
  return hasTags(text) || (isPlacement(text) && /\s[wb](\s|$)/.test(text) && readFen(text) !== null);
}

/** Whether a text begins with a tag of a PGN. Comments may stand before it. */
function hasTags(text: string): boolean {
  return /^\uFEFF?(?:\s|%[^\n]*\n|;[^\n]*\n|\{[^}]*\})*\[\s*[A-Za-z]\w*\s+"/.test(text);
}

function isPlacement(text: string): boolean {
  return /^\s*[1-8pnbrqk~]+(?:\/[1-8pnbrqk~]+){7}(?:[\s_]|$)/i.test(text) && text.trim().split('\n').length === 1;
}

/** A whole FEN from a FEN, an EPD, or the placement alone; null if it cannot be read. */
function readFen(text: string): string | null {
  const fields = text.trim().split(/[\s_]+/);
  const [placement = '', turn = 'w', castling = '-', square = '-', ...clocks] = fields;
  const counts = clocks.slice(0, 2).every((clock) => /^\d+$/.test(clock)) ? clocks.slice(0, 2) : [];
  return parseFen([placement, turn, castling, square, ...counts].join(' ')).unwrap(makeFen, () => null);
}

const MOVE = /^(?:[KQRBNP♔-♟nrqk]?[a-h]?[1-8]?[-–x×:]?[a-h][1-8](?:[=(/]?[NBRQnbrq]\)?)?|[Oo0][-–][Oo0](?:[-–][Oo0])?)(?:ep|e\.p\.)?[+#]*[!?‼⁇⁉⁈]*$/;
const RESULT = /^(?:1-0|0-1|1\/2-1\/2|½-½|\*)$/;

/** The moves of a text, without comments, variations and numbers; null if it has a word that is no move. */
export function movesIn(text: string): string[] | null {
  if (text.length > MOST_LETTERS) return null;
  let plain = text.replace(/\{[^}]*\}/g, ' ').replace(/;[^\n]*/g, ' ');
  for (let before = ''; before !== plain; ) {
    before = plain;
    // A promotion may stand in brackets, too.
    plain = plain.replace(/\((?![NBRQ]\))[^()]*\)/g, ' ');
  }
  const words = plain
    .replace(/\$\d+/g, ' ')
    .replace(/\b\d+\s*(?:\.+|…)/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !RESULT.test(word) && !/^[!?]+$/.test(word));
  return words.length > 0 && words.every((word) => MOVE.test(word)) ? words : null;
}

/** A line from the start, or from the board if its first number says that it begins later. */
function lineOf(text: string, moves: readonly string[], board: string): Pasted {
  const number = Number(/^\s*(\d+)\s*[.…]/.exec(text)?.[1] ?? 1);
  const starts = number > 1 || /^\s*1\s*(?:\.\.|…)/.test(text) ? [board, START_FEN] : [START_FEN, board];
  for (const from of starts) {
    const { steps, rest } = readLine(from, moves);
    if (steps.length > 0) return { kind: 'moves', from, steps, rest };
  }
  return { kind: 'unknown', says: say(`${moves[0]} is no legal move from the start position or from the board.`) };
}
