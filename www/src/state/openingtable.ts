// The table of openings, as a chunk of its own.
import address from '../engine/opening-lines.tsv?url';

export { readOpenings } from './openings';

/** The table's text. */
export async function fetchOpeningMoves(): Promise<string> {
  const reply = await fetch(address);
  if (!reply.ok) throw new Error(`the names of openings: ${reply.status}`);
  return reply.text();
}
