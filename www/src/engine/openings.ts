// The names of openings: a separate file, fetched when a query first names an opening.
import address from './openings.tsv?url';

let brought = false;

/** Gives the names to the engine before it compiles `query`, if the query names an opening. */
export async function bringOpenings(query: string, know: (names: string) => void): Promise<void> {
  if (brought || !/\bopening\s*"/i.test(query)) return;
  const answer = await fetch(address).catch(() => null);
  // Without the names, the engine reports that it knows no openings, with the place in the query.
  if (!answer?.ok) return;
  know(await answer.text());
  brought = true;
}
