// Several corpora of a published library as one: their shards one after another, so that a question goes to all of them in one
// scan, and their games are numbered through in the order of the library.
import type { CorpusMember } from '../engine/protocol';
import type { PublishedCorpus } from './manifest';

export interface JoinedCorpus extends PublishedCorpus {
  members: readonly CorpusMember[];
}

/** More games than the engine can number. */
const TOO_MANY_GAMES = 2 ** 32;

/** Whether the engine can number the games of these corpora. */
export function canBeJoined(corpora: readonly PublishedCorpus[]): boolean {
  return corpora.length > 1 && sumOf(corpora, 'games') < TOO_MANY_GAMES;
}

/** Joins corpora, two or more. `checksumOf` makes one id of theirs. */
export function joined(corpora: readonly PublishedCorpus[], name: string, checksumOf: (bytes: Uint8Array) => string): JoinedCorpus {
  return {
    id: checksumOf(new TextEncoder().encode(corpora.map(({ id }) => id).join(' '))),
    name,
    games: sumOf(corpora, 'games'),
    plies: sumOf(corpora, 'plies'),
    shards: corpora.flatMap(({ shards }) => shards),
    members: corpora.map(({ name, games }) => ({ name, games })),
  };
}

function sumOf(corpora: readonly PublishedCorpus[], count: 'games' | 'plies'): number {
  return corpora.reduce((sum, corpus) => sum + corpus[count], 0);
}
