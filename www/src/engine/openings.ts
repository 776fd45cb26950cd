// The openings by their moves: a separate file, fetched when games are imported or a query first names an opening.
import address from './opening-lines.tsv?url';
import { fetchOwn, PATIENCE_MS } from './patience';

let brought = false;

/** Gives the openings to the engine, once. `read` reads the file; it gives null if that fails. */
export async function bringOpenings(know: (lines: string) => void, read: (address: string) => Promise<string | null> = fetched): Promise<void> {
  if (brought) return;
  const lines = await read(address);
  // Without them, the engine reports that it knows no openings, with the place in the query, and games that are imported have none.
  if (lines === null) return;
  know(lines);
  brought = true;
}

async function fetched(address: string): Promise<string | null> {
  const answer = await fetchOwn(address, PATIENCE_MS).catch(() => null);
  return answer?.ok ? answer.text().catch(() => null) : null;
}
