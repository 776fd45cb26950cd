// The ids of the corpora of a published library, as addresses have them: one corpus, several together, or all. They are made of
// names, so a link leads to the same games after they were published anew.

const PREFIX = 'library.';
/** All corpora of the library, also those that its publisher will add. No corpus of a library is called so. */
export const ALL = '*';
/** What they are called together. */
export const ALL_GAMES = 'All games';
/** Stands between the names of several corpora; a name that has it itself has it twice. */
const BETWEEN = '|';

/** The id of these corpora together, or of the only one. */
export function publishedId(names: readonly string[]): string {
  return PREFIX + names.map((name) => name.replaceAll(BETWEEN, BETWEEN + BETWEEN)).join(BETWEEN);
}

/** The names that an id is made of; empty if it is no id of published corpora. */
export function publishedNames(id: string): string[] {
  if (!id.startsWith(PREFIX)) return [];
  const names = id.slice(PREFIX.length).match(/(?:[^|]|\|\|)+/g) ?? [];
  return names.map((name) => name.replaceAll(BETWEEN + BETWEEN, BETWEEN));
}
