// Reads and writes the text of `board "…"`: which pieces may stand on each square. The engine knows the
// rules of chess; this file knows only that no pawn stands on the first or last rank.
import { say } from './say';
import { menOf, pieceInWords, SIDES, squareName, type Man, type Side } from './squares';

/** For each square, a1 first: one bit per piece that may stand there, and one bit for an empty square. */
export type Mask = readonly number[];

const LETTERS = 'PNBRQKpnbrqk';
const NAMES: readonly Man[] = ['pawn', 'knight', 'bishop', 'rook', 'queen', 'king'];
const PAWNS = 0b1 | (0b1 << 6);
/** An empty square. */
export const EMPTY = 1 << 12;
/** Any piece, or an empty square. */
export const ANYTHING = (1 << 13) - 1;
/** Any piece of a side. */
export const MEN_OF: Record<Side, number> = { white: 0b111111, black: 0b111111 << 6 };

/** The bit of a piece. */
export function bitOf(side: Side, man: Man): number {
  return 1 << (NAMES.indexOf(man) + (side === 'black' ? 6 : 0));
}

/** All that can stand on a square. */
export function possible(square: number): number {
  return square < 8 || square >= 56 ? ANYTHING & ~PAWNS : ANYTHING;
}

/** Allows everything on every square. */
export function openMask(): number[] {
  return Array.from({ length: 64 }, (_, square) => possible(square));
}

export function isOpen(mask: Mask): boolean {
  return mask.every((bits, square) => bits === possible(square));
}

/** The pieces of a set, White's first. */
export function menIn(bits: number): { side: Side; man: Man }[] {
  return SIDES.flatMap((side) => NAMES.filter((man) => bits & bitOf(side, man)).map((man) => ({ side, man })));
}

/** How a tool paints: only these pieces, these pieces too, or anything but these pieces. */
export type Manner = 'only' | 'or' | 'not';

/** Whether painting `bits` adds them to a square; if not, painting removes them. */
export function adds(before: number, square: number, bits: number, manner: Manner): boolean {
  const all = possible(square);
  const some = bits & all;
  if (some === all) return false;
  if (manner === 'only') return before !== some;
  if (manner === 'not') return (before & some) !== 0;
  return before === all || (before & some) !== some;
}

/** A square after `bits` are painted on it. Painting the same again removes them, unless `adding` decides otherwise. */
export function painted(before: number, square: number, bits: number, manner: Manner, adding = adds(before, square, bits, manner)): number {
  const all = possible(square);
  const some = bits & all;
  if (some === 0) return before;
  if (some === all) return all;
  if (manner === 'only') return adding ? some : all;
  if (manner === 'not') return (adding ? before & ~some : before | some) || all;
  if (before === all) return adding ? some : all;
  return (adding ? before | some : before & ~some) || all;
}

/** The diagram in its shortest form, as the engine also prints it. */
export function writeMask(mask: Mask): string {
  const square = (at: number): string => {
    const bits = mask[at] ?? ANYTHING;
    if (bits === possible(at)) return '?';
    if (bits === EMPTY) return '1';
    const letters = [...LETTERS].filter((_, nth) => bits & (1 << nth)).join('');
    return letters.length === 1 && !(bits & EMPTY) ? letters : `[${letters}${bits & EMPTY ? '.' : ''}]`;
  };
  const rank = (from: number) => Array.from({ length: 8 }, (_, file) => square(from + file)).join('');
  return [56, 48, 40, 32, 24, 16, 8, 0].map((from) => rank(from).replace(/1+/g, (empty) => String(empty.length))).join('/');
}

/** Reads a diagram; null if the text is none. */
export function readMask(text: string): number[] | null {
  const mask = openMask();
  const ranks = text.trim().split('/');
  if (ranks.length !== 8) return null;
  for (const [fromTop, rank] of ranks.entries()) {
    let at = (7 - fromTop) * 8;
    const end = at + 8;
    for (const [sign] of rank.matchAll(/\[[^\]]*\]|[^[]|\[/g)) {
      const count = /[1-8]/.test(sign) ? Number(sign) : 1;
      const bits = sign === '?' ? ANYTHING : count > 1 || sign === '1' ? EMPTY : setOf(sign.replace(/^\[|\]$/g, ''));
      if (bits === 0 || at + count > end) return null;
      for (let nth = 0; nth < count; nth++, at++) {
        mask[at] = bits & possible(at);
        if (mask[at] === 0) return null;
      }
    }
    if (at !== end) return null;
  }
  return mask;
}

/** The pieces of these letters, `.` for an empty square; 0 if a letter is unknown. */
function setOf(letters: string): number {
  let bits = 0;
  for (const letter of letters) {
    const nth = LETTERS.indexOf(letter);
    if (nth < 0 && letter !== '.') return 0;
    bits |= nth < 0 ? EMPTY : 1 << nth;
  }
  return bits;
}

/** The first diagram of a query: where its text begins and ends, without the quotes, and its mask. */
export function boardIn(query: string): { from: number; to: number; mask: number[] } | null {
  for (const found of query.matchAll(/(\bboard\s*)?"([^"]*)"/gi)) {
    const [whole, word, text = ''] = found;
    const mask = word === undefined ? null : readMask(text);
    if (mask) return { from: found.index + whole.length - text.length - 1, to: found.index + whole.length - 1, mask };
  }
  return null;
}

/** The mask of a position: exactly this board with its empty squares, or only the pieces of both sides or of one side. */
export function maskOf(fen: string, what: 'exact' | 'men' | Side): number[] {
  const mask = what === 'exact' ? Array.from({ length: 64 }, () => EMPTY) : openMask();
  for (const one of menOf(fen)) {
    if (what === 'exact' || what === 'men' || what === one.side) mask[one.square] = bitOf(one.side, one.man);
  }
  return mask;
}

/** A square in words, such as `e4: white knight or black knight`. */
export function squareInWords(square: number, bits: number): string {
  return `${squareName(square)}: ${setInWords(bits, possible(square))}`;
}

function setInWords(bits: number, all: number): string {
  if (bits === all) return say('anything');
  if (bits === EMPTY) return say('empty');
  if (bits === (all & ~EMPTY)) return say('any piece');
  const side = SIDES.find((side) => (bits & ~EMPTY) === (MEN_OF[side] & all));
  const any = side && (side === 'white' ? say('any white piece') : say('any black piece'));
  if (any) return bits & EMPTY ? say(`${any} or empty`) : any;
  const named = (set: number) => [...menIn(set).map(({ side, man }) => pieceInWords(side, man)), ...(set & EMPTY ? [say('empty')] : [])].join(` ${say('or')} `);
  return isExclusion(bits, all) ? say(`not ${named(all & ~bits)}`) : named(bits);
}

/** Whether a set is shorter to describe by what it leaves out. */
export function isExclusion(bits: number, all: number): boolean {
  return size(bits) > size(all & ~bits) && size(all & ~bits) <= 6;
}

function size(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
