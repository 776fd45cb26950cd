// The names of openings: a separate file, fetched when a query first names an opening.
import address from './openings.tsv?url';

let brought = false;

/** Whether a query names an opening. */
export function namesOpening(query: string): boolean {
  return /\bopening\s*"/i.test(query);
}

/** Gives the names to the engine, once. */
export async function bringOpenings(know: (names: string) => void): Promise<void> {
  if (brought) return;
  const answer = await fetch(address).catch(() => null);
  // Without the names, the engine reports that it knows no openings, with the place in the query.
  if (!answer?.ok) return;
  know(await answer.text());
  brought = true;
}
