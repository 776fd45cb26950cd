// What searches for a position and its images: the sets of transforms, and the queries for a position or a part of it.
import { maskOf, writeMask } from './mask';
import { say } from './say';

/** What to search for: the whole position, its pawns, or its pieces with any piece on the other squares. */
export type Sought = 'position' | 'pawns' | 'men';

/** Sets of transforms as the query language names them. */
export const FAMILIES = ['mirror', 'flips', 'rotations', 'shifts', 'colour flip'] as const;
export type Family = (typeof FAMILIES)[number];

export function meaningOf(family: Family): string {
  const words: Record<Family, string> = {
    mirror: say('swaps the a- and h-files, and so on'),
    flips: say('along files, ranks and both diagonals'),
    rotations: say('90, 180 and 270 degrees anticlockwise'),
    shifts: say('moves all pieces by the same files and ranks'),
    'colour flip': say('the view of the other side: swaps ranks, colours and the side to move'),
  };
  return words[family];
}

/** ` under …`, or an empty text without families. */
export function under(families: readonly string[]): string {
  const chosen = FAMILIES.filter((name) => families.includes(name));
  return chosen.length > 0 ? ` under ${chosen.join(', ')}` : '';
}

/** The query for a position or a part of it, and its images. */
export function queryFor(fen: string, sought: Sought, families: readonly string[]): string {
  const placement = (fen.split(' ')[0] ?? '').replaceAll('~', '');
  const together = (digits: string) => String([...digits].reduce((sum, digit) => sum + Number(digit), 0));
  const pawns = placement.replace(/[^pP/\d]/g, '1').replace(/\d+/g, together);
  const what = { position: `fen "${placement}"`, pawns: `structure "${pawns}"`, men: `board "${writeMask(maskOf(placement, 'men'))}"` };
  return what[sought] + under(families);
}
