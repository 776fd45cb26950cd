// The names of openings by position, from a table of their moves.
import { Chess } from 'chessops/chess';
import { makeFen } from 'chessops/fen';
import { parseSan } from 'chessops/san';

/** `B90 Sicilian Defense: Najdorf Variation`, by position. */
export type OpeningTable = ReadonlyMap<string, string>;

/** Milliseconds of work after which the page gets its turn. */
const SLICE_MS = 8;

/** Reads lines of the form `code <tab> name <tab> moves`. Each line goes on from the longest part that it shares with the line before. */
export async function readOpenings(text: string): Promise<OpeningTable> {
  const table = new Map<string, string>();
  let moves: string[] = [];
  const positions = [Chess.default()];
  let end = performance.now() + SLICE_MS;
  for (const line of text.split('\n')) {
    const [code = '', name = '', written = ''] = line.split('\t');
    if (!written) continue;
    const next = written.split(' ');
    const shared = sharedLength(moves, next);
    positions.length = shared + 1;
    for (const san of next.slice(shared)) {
      const position = positions.at(-1)?.clone();
      const move = position && parseSan(position, san);
      if (!position || !move) break;
      position.play(move);
      positions.push(position);
    }
    moves = next.slice(0, positions.length - 1);
    const last = positions.at(-1);
    if (last && moves.length === next.length) table.set(keyOf(makeFen(last.toSetup())), `${code} ${name}`);
    if (performance.now() < end) continue;
    await new Promise((resolve) => setTimeout(resolve));
    end = performance.now() + SLICE_MS;
  }
  return table;
}

function sharedLength(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Pieces, side to move and castling. FENs may write the en passant square differently. */
function keyOf(fen: string): string {
  return fen.split(' ', 3).join(' ');
}

/** The name of the last of these positions that has one; empty if none has. */
export function openingOf(table: OpeningTable, fens: readonly string[]): string {
  for (const fen of fens.toReversed()) {
    const name = table.get(keyOf(fen));
    if (name) return name;
  }
  return '';
}

/** What of a name, with its code, is new beside another: `Najdorf Variation` of `B90 Sicilian Defense: Najdorf Variation`. */
export function variationOf(name: string, before: string): string {
  const [plain, known] = [name, before].map((text) => text.slice(text.indexOf(' ') + 1)) as [string, string];
  const rest = known !== '' && plain.startsWith(known) ? plain.slice(known.length) : '';
  return /^[:,] ./.test(rest) ? rest.slice(2) : plain;
}

/** For each position, the name that it or the last named position before it has. */
export function openingsAlong(table: OpeningTable, fens: readonly string[]): string[] {
  let name = '';
  return fens.map((fen) => (name = table.get(keyOf(fen)) ?? name));
}
