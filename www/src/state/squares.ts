// Squares by number, as in the engine: 0 is a1, 7 is h1, 63 is h8.
import { say } from './say';

export const FILES = 'abcdefgh';

/** `e4` for 28. */
export function squareName(index: number): string {
  return `${FILES[index & 7] ?? ''}${(index >> 3) + 1}`;
}

/** Names of the squares of a bitboard of sixteen hex digits, ascending; the lowest bit is a1. */
export function squaresOf(hex: string): string[] {
  const bits = BigInt(`0x${hex}`);
  const names: string[] = [];
  for (let index = 0; index < 64; index++) if ((bits >> BigInt(index)) & 1n) names.push(squareName(index));
  return names;
}

export const MEN = ['pawn', 'knight', 'bishop', 'rook', 'queen', 'king'] as const;
export type Man = (typeof MEN)[number];
export const SIDES = ['white', 'black'] as const;
export type Side = (typeof SIDES)[number];

export interface StandingMan {
  square: number;
  side: Side;
  man: Man;
}

const LETTERS: Record<string, Man> = { p: 'pawn', n: 'knight', b: 'bishop', r: 'rook', q: 'queen', k: 'king' };

/** The pieces of the placement field of a FEN, from a8 to h1. */
export function menOf(fen: string): StandingMan[] {
  const men: StandingMan[] = [];
  const ranks = (fen.split(' ')[0] ?? '').split('/');
  ranks.forEach((rank, fromTop) => {
    let file = 0;
    for (const letter of rank) {
      const man = LETTERS[letter.toLowerCase()];
      if (man) {
        men.push({ square: (7 - fromTop) * 8 + file, side: letter === letter.toLowerCase() ? 'black' : 'white', man });
        file += 1;
      } else file += Number(letter) || 0;
    }
  });
  return men;
}

/** `knight`. */
export function manInWords(man: Man): string {
  const words: Record<Man, string> = { pawn: say('pawn'), knight: say('knight'), bishop: say('bishop'), rook: say('rook'), queen: say('queen'), king: say('king') };
  return words[man];
}

/** `knights`. */
function severalInWords(man: Man): string {
  const words: Record<Man, string> = { pawn: say('pawns'), knight: say('knights'), bishop: say('bishops'), rook: say('rooks'), queen: say('queens'), king: say('kings') };
  return words[man];
}

/** `white knight`. */
export function pieceInWords(side: Side, man: Man): string {
  const words: Record<Side, Record<Man, string>> = {
    white: { pawn: say('white pawn'), knight: say('white knight'), bishop: say('white bishop'), rook: say('white rook'), queen: say('white queen'), king: say('white king') },
    black: { pawn: say('black pawn'), knight: say('black knight'), bishop: say('black bishop'), rook: say('black rook'), queen: say('black queen'), king: say('black king') },
  };
  return words[side][man];
}

/** The side to move in a position. */
export function turnOf(fen: string): Side {
  return fen.split(' ')[1] === 'b' ? 'black' : 'white';
}

/** The position in words, for screen readers. */
export function positionInWords(fen: string): string {
  const men = menOf(fen);
  const pieces = (side: Side) => {
    const parts = [...MEN].reverse().flatMap((man) => {
      const squares = men.filter((one) => one.side === side && one.man === man).map((one) => squareName(one.square));
      return squares.length === 0 ? [] : [`${squares.length > 1 ? severalInWords(man) : manInWords(man)} ${squares.sort().join(' ')}`];
    });
    return parts.join(', ') || say('nothing');
  };
  const mover = turnOf(fen) === 'black' ? say('Black to move.') : say('White to move.');
  return `${say(`White: ${pieces('white')}.`)} ${say(`Black: ${pieces('black')}.`)} ${mover}`;
}

/** A FEN placement with only pawns, from two bitboards in hex. */
export function pawnPlacement(white: string, black: string): string {
  const light = new Set(squaresOf(white));
  const dark = new Set(squaresOf(black));
  const rank = (from: number) =>
    Array.from({ length: 8 }, (_, file) => {
      const name = squareName(from + file);
      return light.has(name) ? 'P' : dark.has(name) ? 'p' : '1';
    }).join('');
  return [56, 48, 40, 32, 24, 16, 8, 0].map(rank).join('/');
}
