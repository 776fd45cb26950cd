// The ways to search for the position on the board, each as a query of the language.
import { bare } from './explorer.svelte';
import { say } from './say';
import { menOf, type Side } from './squares';
import { queryFor, under } from './transformquery';

export interface Way {
  key: 'exact' | 'pawns' | 'material' | 'pieces';
  name: string;
  meaning: string;
  /** Empty if the position cannot be searched for in this way. */
  query: string;
}

/** The ways for a position, under sets of transforms as well. */
export function waysToSearch(fen: string, families: readonly string[]): Way[] {
  return [
    { key: 'exact', name: say('Exactly'), meaning: say('every piece on its square, the same side to move'), query: exactly(fen, families) },
    { key: 'pawns', name: say('Pawns only'), meaning: say('exactly these pawns, with any other pieces'), query: queryFor(fen, 'pawns', families) },
    { key: 'material', name: say('These pieces'), meaning: say('as many of each kind, on any squares'), query: material(fen, families.includes('colour flip')) },
    { key: 'pieces', name: say('As a pattern'), meaning: say('these pieces on their squares, anything on the others'), query: queryFor(fen, 'men', families) },
  ];
}

/** Castling rights and en passant have no images, so they count only for the position itself. */
function exactly(fen: string, families: readonly string[]): string {
  const fields = bare(fen).replaceAll('~', '');
  return families.length === 0 ? `fen "${fields}"` : `fen "${fields.split(' ').slice(0, 2).join(' ')}"${under(families)}`;
}

/** `material white KRPvKR`; without the side if either side may have the pieces named first. */
function material(fen: string, either: boolean): string {
  const men = menOf(fen);
  const side = (side: Side) =>
    (['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'] as const)
      .map((man) => (man === 'knight' ? 'N' : man.charAt(0).toUpperCase()).repeat(men.filter((one) => one.side === side && one.man === man).length))
      .join('');
  const [white, black] = [side('white'), side('black')];
  const hasOneKing = (name: string) => /^K(?!K)/.test(name);
  return hasOneKing(white) && hasOneKing(black) ? `material ${either ? '' : 'white '}${white}v${black}` : '';
}
