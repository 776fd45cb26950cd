// What `library.json` may say, and what it may not.
import { describe, expect, it } from 'vitest';
import { readManifest } from '../src/published/manifest';
import { digits, few, list, onPageOfClub, shard } from './published';

onPageOfClub();

describe('library.json', () => {
  it('is read with everything that it says', () => {
    const { title, corpora, questions, tables, about, aliases } = readManifest(JSON.stringify(list(undefined, { about: `library/${digits(9)}.md`, aliases: `library/${digits(8)}.tsv` })));
    expect(aliases).toEqual({ file: `library/${digits(8)}.tsv`, digest: digits(8) });
    expect([title, corpora[0]?.name, corpora[0]?.shards.length, questions[0]?.query, questions[0]?.language, tables?.folder, about?.digest]).toEqual(['Club', 'games', 3, 'queens_off', 1, 'tables/', digits(9)]);
    expect(corpora[0]?.shards[1]?.scan).toEqual({ file: `library/${digits(2)}.scan`, digest: digits(2), bytes: 2, unpacked: 64, unpacked_digest: digits(1002) });
  });

  it('may leave out what may be missing, and have more than this version knows', () => {
    const { tables, questions, about, corpora } = readManifest(JSON.stringify(list([shard(1, { text: undefined, source: 'x' })], { tables: undefined, questions: undefined, later: 1 })));
    expect([tables, questions, about, corpora[0]?.shards[0]?.text]).toEqual([null, [], null, null]);
  });

  it('has corpora with names of their own, and texts without control characters', () => {
    const twice = list();
    const { corpora, title } = readManifest(JSON.stringify({ ...twice, title: 'a\u202eb\u0000c', corpora: [...twice.corpora, { ...twice.corpora[0], id: few(8) }] }));
    expect([corpora.map(({ name }) => name), title]).toEqual([['games', 'games 2'], 'a b c']);
  });

  const scan = (changed: object) => [shard(1, { scan: { ...shard(1).scan, ...changed } })];
  const text = (changed: object) => [shard(1, { text: { ...shard(1).text, ...changed } })];
  for (const [what, value, says] of [
    ['no JSON', '{', 'it is not JSON'],
    ['a list', '[]', 'it is not an object'],
    ['another format', { ...list(), format: 'x' }, '"format"'],
    ['a later version', { ...list(), version: 3 }, 'newer plyfold'],
    ['a wrong version', { ...list(), version: '1' }, '"version"'],
    ['no title', { ...list(), title: ' ' }, 'title is no text'],
    ['a long title', { ...list(), title: 'x'.repeat(201) }, 'title is longer'],
    ['a date that is none', { ...list(), updated: '2026-13-40' }, 'updated'],
    ['too many questions', { ...list(), questions: Array(101).fill({ title: 'x', query: 'y' }) }, 'questions has more than 100'],
    ['a question without a query', { ...list(), questions: [{ title: 'x' }] }, 'questions[0].query'],
    ['an id that is none', { ...list(), corpora: [{ ...list().corpora[0], id: 'xyz' }] }, 'corpora[0].id'],
    ['the same corpus twice', { ...list(), corpora: [...list().corpora, ...list().corpora] }, 'the same id'],
    ['other sums', { ...list(), corpora: [{ ...list().corpora[0], games: 7 }] }, 'corpora[0].games is not the sum'],
    ['negative games', list([shard(1, { games: -1 })]), 'games is not between'],
    ['half a game', list([shard(1, { games: 1.5 })]), 'games is no whole number'],
    ['a path that leads out', list(scan({ file: `library/../${digits(1)}.scan` })), 'scan.file'],
    ['another host', list(scan({ file: `https://other.example/${digits(1)}.scan` })), 'scan.file'],
    ['a file of another kind', list(scan({ file: `library/${digits(1)}.text` })), 'scan.file'],
    ['a name that proves nothing', list(scan({ file: `library/${few(1)}.scan` })), '64 hexadecimal digits'],
    ['an unpacked part without a digest', list(scan({ unpacked_sha256: few(1) })), 'scan.unpacked_sha256'],
    ['a huge scan part', list(scan({ unpacked: 2 ** 33 })), 'scan.unpacked'],
    ['a scan part larger than its shard', list(scan({ unpacked: 101 })), 'scan.unpacked'],
    ['texts inside the scan part', list(text({ offset: 10 })), 'text.offset'],
    ['texts beyond the shard', list(text({ bytes: 31 })), 'text.bytes'],
    ['tables elsewhere', list(undefined, { tables: { folder: '../tables/', names: [] } }), 'tables.folder'],
    ['tables at the root', list(undefined, { tables: { folder: '/tables/', names: [] } }), 'tables.folder'],
    ['a table with a path', list(undefined, { tables: { folder: 'tables/', names: ['../x'] } }), 'tables.names[0]'],
  ] as const) {
    it(`with ${what} costs a sentence`, () => {
      expect(() => readManifest(typeof value === 'string' ? value : JSON.stringify(value))).toThrow(says);
    });
  }
});
