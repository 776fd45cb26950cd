// The published library as the worker sees it.
import { describe, expect, it, vi } from 'vitest';
import { LibraryDevice } from '../src/published/device';
import { PublishedLibrary } from '../src/published/library';
import { readManifest } from '../src/published/manifest';
import { FakeOpfs } from './opfs';
import { ADDRESS, digits, few, list, onPageOfClub, shard, unpacking } from './published';

onPageOfClub();

describe('the library', () => {
  const answering = (texts: Record<string, string>) =>
    vi.stubGlobal('fetch', vi.fn(async (url: string) => {
      const text = texts[url.split('/').pop() ?? ''];
      if (text === undefined) throw new TypeError('offline');
      return new Response(text);
    }));

  const opened = (keep = true) => PublishedLibrary.open(ADDRESS, PublishedLibrary.fetchList(ADDRESS), unpacking, keep);

  it('is known with its games, and again without the network', async () => {
    new FakeOpfs().install();
    const about = 'Welcome';
    const aliases = 'player\tAnna\tAnna, A\n';
    const named = { about: `library/${digits(about.length)}.md`, aliases: `library/${digits(aliases.length)}.tsv` };
    answering({ 'library.json': JSON.stringify(list(undefined, named)), [`${digits(about.length)}.md`]: about, [`${digits(aliases.length)}.tsv`]: aliases });
    expect(await LibraryDevice.hasKept(ADDRESS, unpacking)).toBe(false);
    const first = await opened();
    await first.keeping;
    const info = first.info();
    expect(first.aliases).toBe(aliases);
    expect(info).toMatchObject({ title: 'Club', about, tables: 'https://club.example/games/tables/', note: '', trust_note: '', corpora: [{ id: 'library.games', games: 6, size_bytes: 0, left_bytes: 6, kept: 'library' }] });
    expect(await LibraryDevice.hasKept(ADDRESS, unpacking)).toBe(true);
    answering({});
    const again = await opened();
    const later = again.info();
    expect(again.aliases).toBe(aliases);
    expect(later).toEqual({ ...info, note: expect.stringContaining('cannot be reached') });
  });

  it('is not remembered before the user wants it', async () => {
    const opfs = new FakeOpfs().install();
    answering({ 'library.json': JSON.stringify(list()) });
    const library = await opened(false);
    expect([library.info().title, opfs.names('library'), await LibraryDevice.hasKept(ADDRESS, unpacking)]).toEqual(['Club', [], false]);
    await library.keep();
    await library.keeping;
    expect(await LibraryDevice.hasKept(ADDRESS, unpacking)).toBe(true);
  });

  it('of the old form is open with a note', async () => {
    new FakeOpfs().install();
    const old = shard(1, { scan: { file: `library/${few(1)}.scan`, bytes: 2, unpacked: 64 }, text: { file: `library/${few(101)}.text`, bytes: 30, offset: 70 } });
    answering({ 'library.json': JSON.stringify(list([old], { version: 1 })) });
    expect((await opened()).info()).toMatchObject({ title: 'Club', trust_note: expect.stringContaining('publish it anew') });
  });

  it('of another host keeps its sets apart', async () => {
    new FakeOpfs().install();
    answering({ 'library.json': JSON.stringify(list()) });
    const own = await opened();
    vi.stubGlobal('location', { origin: 'https://elsewhere.example' });
    const [corpus] = readManifest(JSON.stringify(list())).corpora;
    expect(corpus && own.setsOf(corpus)).toBe(`library.${digits(ADDRESS.length)}.${few(7)}`);
    vi.stubGlobal('location', { origin: 'https://club.example' });
    expect(corpus && own.setsOf(corpus)).toBe(`library.${few(7)}`);
  });

  it('has several corpora, one by one and together', async () => {
    new FakeOpfs().install();
    const several = [
      { name: 'A', id: few(7), games: 2, plies: 20, shards: [shard(1)] },
      { name: 'B|C', id: few(8), games: 4, plies: 40, shards: [shard(2), shard(3)] },
      { name: '*', id: few(9), games: 2, plies: 20, shards: [shard(4)] },
    ];
    answering({ 'library.json': JSON.stringify(list([], { corpora: several })) });
    const library = await opened();
    const members = [{ name: 'A', games: 2 }, { name: 'B|C', games: 4 }, { name: '* 2', games: 2 }];
    expect(library.list().map(({ id, name, games }) => [id, name, games])).toEqual([
      ['library.*', 'All games', 8],
      ['library.A', 'A', 2],
      ['library.B||C', 'B|C', 4],
      ['library.* 2', '* 2', 2],
    ]);
    expect(library.list()[0]).toMatchObject({ members, left_bytes: 8 });
    const all = library.find('library.*');
    expect(all?.shards.map(({ scan }) => scan.digest)).toEqual([1, 2, 3, 4].map(digits));
    const some = library.find('library.B||C|A');
    // They stand in the order of the library, however an address names them.
    expect(some && [some.name, some.games, some.shards.length, library.describe(some).id]).toEqual(['A, B|C', 6, 3, 'library.A|B||C']);
    for (const id of ['library.X', 'library.A|X', 'library.A|A', 'library.', 'A', 'library.*|A']) expect(library.find(id)).toBeUndefined();
    // One corpus has no others to be asked with.
    answering({ 'library.json': JSON.stringify(list()) });
    expect((await opened()).find('library.*')).toBeUndefined();
  });

  it('fails with a sentence if nothing was kept, or if the list is hostile', async () => {
    new FakeOpfs().install();
    answering({});
    await expect(opened()).rejects.toMatchObject({ code: 'host' });
    answering({ 'library.json': '{}' });
    await expect(opened()).rejects.toMatchObject({ code: 'bad-input', message: expect.stringContaining('cannot be used') });
  });
});
