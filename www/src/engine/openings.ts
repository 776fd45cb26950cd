// The names of openings: a separate file, fetched when a query first names an opening.
import address from './openings.tsv?url';
import { fetchOwn, PATIENCE_MS } from './patience';

let brought = false;

/** Gives the names to the engine, once. `read` reads the file; it gives null if that fails. */
export async function bringOpenings(know: (names: string) => void, read: (address: string) => Promise<string | null> = fetched): Promise<void> {
  if (brought) return;
  const names = await read(address);
  // Without the names, the engine reports that it knows no openings, with the place in the query.
  if (names === null) return;
  know(names);
  brought = true;
}

async function fetched(address: string): Promise<string | null> {
  const answer = await fetchOwn(address, PATIENCE_MS).catch(() => null);
  return answer?.ok ? answer.text().catch(() => null) : null;
}
