// The names of openings: a file of their own, fetched when a query first asks for one.
import address from './openings.tsv?url';

let brought = false;

/** Hands the names to the engine before `query` is read, if it asks for an opening. */
export async function bringOpenings(query: string, know: (names: string) => void): Promise<void> {
  if (brought || !/\bopening\s*"/i.test(query)) return;
  const answer = await fetch(address).catch(() => null);
  // Without them the engine says that it knows no openings, and where.
  if (!answer?.ok) return;
  know(await answer.text());
  brought = true;
}
