// Several corpora of a library that are open together: which of them a game is from, and how many games each has of a result.
import type { CorpusMember } from '../engine/protocol';

/** The corpus of a game, and the game's number there, from 0; null if it belongs to none. */
export function memberOf(members: readonly CorpusMember[], game: number): { name: string; game: number } | null {
  let first = 0;
  for (const { name, games } of members) {
    if (game < first + games) return { name, game: game - first };
    first += games;
  }
  return null;
}

/** How many of these games are of each corpus. `ids` are numbers of games, ascending. */
export function memberCounts(members: readonly CorpusMember[], ids: Uint32Array): number[] {
  let end = 0;
  let at = 0;
  return members.map(({ games }) => {
    end += games;
    const before = at;
    at = placeOf(ids, end);
    return at - before;
  });
}

/** How many of the ascending numbers are less than `limit`. */
function placeOf(ids: Uint32Array, limit: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
