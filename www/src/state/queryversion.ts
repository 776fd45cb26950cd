// The versions of the query language. A query that is kept (a link, a saved query, a first question of a published library) says for
// which version it was written, and the engine puts an earlier one into the words of this one.

/** The version that this page writes. */
export const LANGUAGE = 2;
/** The version of what does not say one. */
export const FIRST_LANGUAGE = 1;

/** Whether a query may have a word whose meaning has changed since its version, so that the engine must be asked. */
export function mayHaveChanged(query: string, language: number): boolean {
  return language < LANGUAGE && /bishop|isolated|iqp|eval|eco|sacrifi/i.test(query);
}
