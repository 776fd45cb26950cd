// Several corpora that are open together: whose a game is, and how many games each has.
import { expect, it } from 'vitest';
import { mostCorpusBytes } from '../src/state/devicememory';
import { memberCounts, memberOf } from '../src/state/members';

const members = [{ name: 'A', games: 3 }, { name: 'empty', games: 0 }, { name: 'B', games: 2 }];

it('a game belongs to the corpus in which it is counted', () => {
  const names = Array.from({ length: 6 }, (_, game) => memberOf(members, game));
  expect(names).toEqual([{ name: 'A', game: 0 }, { name: 'A', game: 1 }, { name: 'A', game: 2 }, { name: 'B', game: 0 }, { name: 'B', game: 1 }, null]);
});

it('the counts are those of counting one by one', () => {
  for (let round = 0; round < 64; round++) {
    const ids = Uint32Array.from([0, 1, 2, 3, 4].filter((bit) => (round >> bit) & 1));
    const slow = members.map(({ name }) => [...ids].filter((id) => memberOf(members, id)?.name === name).length);
    expect(memberCounts(members, ids)).toEqual(slow);
  }
});

it('the games take a third of the memory of the device, and never more than the engine can have', () => {
  expect([mostCorpusBytes({ deviceMemory: 1 }), mostCorpusBytes({ deviceMemory: 64 }), mostCorpusBytes({})].map((bytes) => bytes / 2 ** 20)).toEqual([358.4, 3072, 1024]);
});
