// What a typed text means: a query of the language, or plain words as the engine reads them, by the names of the open games.
import type { EngineClient } from '../engine/client';
import type { Phrase, QueryProblem } from '../engine/protocol';

/** What plain words mean. */
export interface Reading {
  /** The text, as it was typed. */
  text: string;
  query: string;
  /** The words that were understood, with their places in the text. */
  understood: Phrase['understood'];
  /** The places of the words that were not. */
  unknown: Phrase['unknown'];
  /** The queries of what else the text may mean. */
  others: readonly string[];
  /** Whether the engine has read it; a link says only what its words meant. */
  isRead: boolean;
}

/** The words of a link, with the query that they meant. */
export function linkedReading(text: string, query: string): Reading {
  return { text, query, understood: [], unknown: [], others: [], isRead: false };
}

/** Reads a text, for a user with the name `own`. `reading` is null for a query, and if no word was understood; then `problem` says what is wrong with it as a query. */
export async function readText(client: EngineClient, text: string, own: string, signal: AbortSignal): Promise<{ problem: QueryProblem | null; reading: Reading | null }> {
  const problem = await client.call('check', { query: text, words: true }, { signal });
  if (signal.aborted || !problem?.areWords) return { problem, reading: null };
  const phrase = await client.call('readPhrase', { text, own }, { signal });
  if (phrase.query === '') return { problem, reading: null };
  return { problem: null, reading: { text, ...phrase, isRead: true } };
}
