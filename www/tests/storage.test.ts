// Corpora and sets in private files that fail at every step: stored files stay, failures give a reason,
// and nothing is left behind.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Storage, type Writer } from '../src/engine/storage';
import { FakeOpfs } from './opfs';

/** In these tests, `games` and `plies` are the first two bytes of a corpus. */
const facts = (head: Uint8Array) => {
  if (head.length < 2 || head[0] === 255) throw { code: 'bad-corpus', message: 'not a corpus' };
  return { games: head[0] ?? 0, plies: head[1] ?? 0 };
};
const bytes = (...all: number[]) => Uint8Array.from(all);
const all = (source: { size_bytes: number; read(into: Uint8Array, at: number): number }) => {
  const into = new Uint8Array(source.size_bytes);
  expect(source.read(into, 0)).toBe(into.length);
  return [...into];
};

let opfs: FakeOpfs;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  opfs = new FakeOpfs().install();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const open = () => Storage.open(facts);

/** Writes a corpus: a header that is overwritten at the end, and two pieces. */
async function write(storage: Storage, name: string, games = 3): Promise<Writer> {
  const writer = await storage.create(name);
  writer.append(bytes(0, 0));
  writer.append(bytes(7, 8));
  writer.append(bytes(9));
  writer.begin(bytes(games, 4));
  return writer;
}

describe('a corpus', () => {
  it('is written under another name, and listed once it is whole', async () => {
    const storage = await open();
    const writer = await write(storage, 'one');
    expect([opfs.names('corpora'), await storage.list()]).toEqual([['one.part'], []]);
    expect(await writer.finish(3, 4)).toMatchObject({ id: 'one', games: 3, plies: 4, size_bytes: 5, kept: 'device' });
    expect(opfs.names('corpora')).toEqual(['one.plyfold']);
    expect(await storage.list()).toMatchObject([{ id: 'one', games: 3, plies: 4, size_bytes: 5 }]);
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
  });

  it('takes another name where one is taken, whole or being written', async () => {
    const storage = await open();
    await (await write(storage, 'one')).finish(3, 4);
    const second = await write(storage, 'one');
    const third = await write(storage, 'one');
    expect([second.id, third.id]).toEqual(['one 2', 'one 3']);
    expect(opfs.names('corpora')).toEqual(['one%202.part', 'one%203.part', 'one.plyfold']);
  });

  it('has any name', async () => {
    const storage = await open();
    await (await write(storage, '../a/b %?.plyfold')).finish(3, 4);
    expect((await storage.list()).map((corpus) => corpus.id)).toEqual(['../a/b %?.plyfold']);
    expect(all(await storage.read('../a/b %?.plyfold'))).toHaveLength(5);
  });

  for (const nth of [0, 1, 2]) {
    it(`goes on in memory when there is no room for its write ${nth + 1}, and leaves no file`, async () => {
      const storage = await open();
      opfs.fail('write', 'QuotaExceededError', nth);
      const writer = await write(storage, 'one');
      expect(writer.note).toMatch(/no room left/);
      expect(await writer.finish(3, 4)).toMatchObject({ kept: 'memory', size_bytes: 5 });
      expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
      await vi.runAllTimersAsync();
      expect(opfs.names('corpora')).toEqual([]);
    });

    it(`goes on in memory when its write ${nth + 1} takes only a part of the bytes`, async () => {
      const storage = await open();
      opfs.writeShort(0, nth);
      const writer = await write(storage, 'one');
      await writer.finish(3, 4);
      expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
    });
  }

  it.each(['QuotaExceededError', 'short'])('goes on in memory when its header cannot be written again: %s', async (how) => {
    const storage = await open();
    const writer = await storage.create('one');
    writer.append(bytes(0, 0));
    writer.append(bytes(7, 8));
    if (how === 'short') opfs.writeShort(1);
    else opfs.fail('write', how, 0);
    writer.begin(bytes(3, 4));
    expect(await writer.finish(3, 4)).toMatchObject({ kept: 'memory' });
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8]);
    await vi.runAllTimersAsync();
    expect(opfs.names('corpora')).toEqual([]);
  });

  it.each(['flush', 'move'] as const)('goes on in memory when the last step fails: %s', async (step) => {
    const storage = await open();
    const writer = await write(storage, 'one');
    opfs.fail(step, 'QuotaExceededError', 0);
    expect(await writer.finish(3, 4)).toMatchObject({ kept: 'memory' });
    expect(writer.note).not.toBe('');
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
    await vi.runAllTimersAsync();
    expect(opfs.names('corpora')).toEqual([]);
  });

  it('is given up without a trace', async () => {
    const storage = await open();
    const writer = await write(storage, 'one');
    await writer.abandon();
    expect(opfs.names('corpora')).toEqual([]);
    expect(opfs.file('corpora/one.part')?.handles ?? 0).toBe(0);
    // A corpus can be abandoned twice, and also after its last step failed.
    await writer.abandon();
    const other = await write(storage, 'two');
    opfs.fail('blob', 'NotFoundError', 0);
    opfs.fail('move', 'UnknownError', 0);
    await expect(other.finish(3, 4)).rejects.toThrow();
    await other.abandon();
    expect(opfs.names('corpora')).toEqual([]);
    expect(await storage.list()).toEqual([]);
  });

  it('begins in memory where no file can be made', async () => {
    const storage = await open();
    opfs.fail('createHandle', 'UnknownError', 0);
    const writer = await write(storage, 'one');
    expect(writer.note).toMatch(/does not let this page store files/);
    expect(await writer.finish(3, 4)).toMatchObject({ kept: 'memory' });
    expect(opfs.names('corpora')).toEqual([]);
    expect((await storage.list()).map((corpus) => corpus.kept)).toEqual(['memory']);
  });

  it('is not given up for ever when every name is held', async () => {
    const storage = await open();
    opfs.fail('createHandle', 'NoModificationAllowedError');
    const writer = await storage.create('one');
    expect(writer.note).toMatch(/does not let this page store files/);
  });
});

describe('reading', () => {
  it('says that there is no such corpus', async () => {
    const storage = await open();
    await expect(storage.read('gone')).rejects.toMatchObject({ code: 'no-corpus', message: expect.stringContaining('"gone"') });
    await expect(storage.remove('gone')).rejects.toMatchObject({ code: 'no-corpus' });
  });

  it.each(['NoModificationAllowedError', 'InvalidStateError'])('says that another tab holds it: %s', async (name) => {
    const storage = await open();
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    opfs.fail('createHandle', name, 0);
    await expect(storage.read('one')).rejects.toMatchObject({ code: 'held' });
    expect(all(await storage.read('one'))).toEqual([3, 4]);
  });

  it('says what failed otherwise, and not that the corpus is gone', async () => {
    const storage = await open();
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    opfs.fail('createHandle', 'UnknownError', 0);
    await expect(storage.read('one')).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('UnknownError') });
    opfs.fail('getFile', 'SecurityError', 0);
    await expect(storage.read('one')).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('SecurityError') });
  });

  it('gives what there is of a file that was cut', async () => {
    const storage = await open();
    opfs.put('corpora/one.plyfold', bytes(3, 4, 5));
    const source = await storage.read('one');
    expect([source.read(new Uint8Array(10), 1), source.read(new Uint8Array(10), 3), source.read(new Uint8Array(10), 99)]).toEqual([2, 0, 0]);
    source.close();
    expect(opfs.file('corpora/one.plyfold')?.handles).toBe(0);
  });

  it('lets two read at once, and a closed one no more', async () => {
    const storage = await open();
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    const [one, two] = [await storage.read('one'), await storage.read('one')];
    one.close();
    expect(() => one.read(new Uint8Array(2), 0)).toThrow();
    expect(two.read(new Uint8Array(2), 0)).toBe(2);
  });

  it('reads pieces over the borders of what memory has', async () => {
    opfs.fail('open', 'SecurityError');
    const storage = await open();
    expect(storage.lasting).toBe(false);
    await (await write(storage, 'one')).finish(3, 4);
    const source = await storage.read('one');
    for (let at = 0; at <= 5; at++) {
      const into = new Uint8Array(3);
      expect(source.read(into, at)).toBe(Math.min(3, 5 - at));
      expect([...into]).toEqual([3, 4, 7, 8, 9, 0, 0, 0].slice(at, at + Math.min(3, 5 - at)).concat([0, 0, 0]).slice(0, 3));
    }
  });
});

describe('reading where a handle is exclusive, as in Firefox and WebKit', () => {
  beforeEach(() => void opfs.install({ shared: false }));

  it('holds nothing, so that several tabs read one corpus', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4, 5));
    const [here, there] = [await (await open()).read('one'), await (await open()).read('one')];
    expect([all(here), all(there), opfs.file('corpora/one.plyfold')?.handles]).toEqual([[3, 4, 5], [3, 4, 5], 0]);
    expect([here.read(new Uint8Array(10), 1), here.read(new Uint8Array(10), 3)]).toEqual([2, 0]);
  });

  it('reads while a page that was left still holds the file', async () => {
    const file = opfs.put('corpora/one.plyfold', bytes(3, 4, 5));
    await file.createSyncAccessHandle();
    expect(all(await (await open()).read('one'))).toEqual([3, 4, 5]);
  });

  it('says that another tab has deleted the corpus, and what failed otherwise', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4, 5));
    const [here, there] = [await open(), await open()];
    const source = await here.read('one');
    opfs.fail('read', 'NotReadableError', 0);
    expect(() => source.read(new Uint8Array(3), 0)).toThrow(/NotReadableError/);
    await there.remove('one');
    expect(() => source.read(new Uint8Array(3), 0)).toThrow('"one" was deleted in another tab of this browser');
  });

  it('writes a corpus as elsewhere', async () => {
    const storage = await open();
    await (await write(storage, 'one')).finish(3, 4);
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
  });
});

describe('a page that is left', () => {
  it('gives up its handle, and takes it up again when the user comes back', async () => {
    const file = opfs.put('corpora/one.plyfold', bytes(3, 4));
    const storage = await open();
    const source = await storage.read('one');
    source.release();
    expect(file.handles).toBe(0);
    await source.resume();
    await source.resume();
    expect([all(source), file.handles]).toEqual([[3, 4], 1]);
  });

  it('lets another tab delete the corpus meanwhile, and says so afterwards', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    const storage = await open();
    const source = await storage.read('one');
    source.release();
    await (await open()).remove('one');
    await expect(source.resume()).rejects.toMatchObject({ code: 'no-corpus' });
  });
});

describe('the list', () => {
  it('leaves out what is none of ours, and leaves it alone', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    opfs.put('corpora/photo.png', bytes(1));
    opfs.put('corpora/cut.plyfold', bytes(3));
    opfs.put('corpora/other.plyfold', bytes(255, 0));
    opfs.put('corpora/%.plyfold', bytes(3, 4));
    opfs.put('corpora/folder.plyfold/inside', bytes(1));
    const storage = await open();
    expect((await storage.list()).map((corpus) => corpus.id)).toEqual(['one']);
    expect(opfs.names('corpora')).toEqual(['%.plyfold', 'cut.plyfold', 'one.plyfold', 'other.plyfold', 'photo.png']);
  });

  it('goes on without a file that vanishes or fails while it is made', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    opfs.put('corpora/two.plyfold', bytes(5, 6));
    const storage = await open();
    opfs.fail('blob', 'NotFoundError', 0);
    expect((await storage.list()).map((corpus) => corpus.id)).toEqual(['two']);
    expect(await storage.list()).toHaveLength(2);
  });

  it('has those in memory when the folder itself fails', async () => {
    const storage = await open();
    opfs.fail('createHandle', 'UnknownError', 0);
    await (await write(storage, 'one')).finish(3, 4);
    opfs.fail('list', 'UnknownError', 0);
    await expect(storage.list()).rejects.toMatchObject({ code: 'storage' });
    expect(await storage.list()).toHaveLength(1);
  });
});

describe('removing', () => {
  it('takes the sets along', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    opfs.put('sets/one/a.bm', bytes(1));
    const storage = await open();
    await storage.remove('one');
    expect([opfs.names('corpora'), await storage.sets('one')]).toEqual([[], new Map()]);
  });

  it('that fails leaves corpus and sets, and says why', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    opfs.put('sets/one/a.bm', bytes(1));
    const storage = await open();
    const source = await storage.read('one');
    await expect(storage.remove('one')).rejects.toMatchObject({ code: 'held' });
    source.close();
    opfs.fail('remove', 'UnknownError', 0);
    await expect(storage.remove('one')).rejects.toMatchObject({ code: 'storage' });
    expect([opfs.names('corpora'), [...(await storage.sets('one')).keys()]]).toEqual([['one.plyfold'], ['a']]);
  });

  it('of a corpus in memory takes its sets along', async () => {
    opfs.fail('open', 'SecurityError');
    const storage = await open();
    await (await write(storage, 'one')).finish(3, 4);
    await storage.putSet('one', 'a', bytes(1));
    await storage.remove('one');
    expect([await storage.list(), await storage.sets('one')]).toEqual([[], new Map()]);
  });
});

describe('sets', () => {
  it('are kept, replaced whole, and removed', async () => {
    const storage = await open();
    await storage.putSet('one', 'a', bytes(1, 2));
    await storage.putSet('one', 'b', bytes(3));
    opfs.put('sets/one/c.part', bytes(1));
    opfs.put('sets/one/notes.txt', bytes(1));
    expect(await storage.sets('one')).toEqual(new Map([['a', bytes(1, 2)], ['b', bytes(3)]]));
    await storage.removeSet('one', 'a');
    expect([...(await storage.sets('one')).keys()]).toEqual(['b']);
    expect(await storage.sets('never had one')).toEqual(new Map());
  });

  it.each([
    ['write', 'QuotaExceededError', /no room left/, 'storage'],
    ['flush', 'QuotaExceededError', /no room left/, 'storage'],
    ['createHandle', 'NoModificationAllowedError', /another tab/, 'held'],
    ['move', 'UnknownError', /UnknownError/, 'storage'],
    ['getFile', 'UnknownError', /UnknownError/, 'storage'],
    ['getFolder', 'QuotaExceededError', /no room left/, 'storage'],
  ] as const)('are not half kept when there is trouble: %s', async (step, error, message, code) => {
    const storage = await open();
    await storage.putSet('one', 'b', bytes(1));
    opfs.fail(step, error, 0);
    await expect(storage.putSet('one', 'a', bytes(1, 2))).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(opfs.names('sets/one')).toEqual(['b.bm']);
    await storage.putSet('one', 'a', bytes(1, 2));
    expect([...(await storage.sets('one')).keys()]).toEqual(['a', 'b']);
  });

  it('are not half kept when a write takes only a part', async () => {
    const storage = await open();
    opfs.writeShort(1);
    await expect(storage.putSet('one', 'a', bytes(1, 2))).rejects.toMatchObject({ code: 'storage' });
    expect(opfs.names('sets/one')).toEqual([]);
  });

  it('that cannot be read are an error, and not none', async () => {
    const storage = await open();
    await storage.putSet('one', 'a', bytes(1, 2));
    for (const step of ['getFolder', 'list', 'blob'] as const) {
      opfs.fail(step, 'UnknownError', 0);
      await expect(storage.sets('one'), step).rejects.toMatchObject({ code: 'storage' });
    }
    opfs.fail('remove', 'NoModificationAllowedError', 0);
    await expect(storage.removeSet('one', 'a')).rejects.toMatchObject({ code: 'held' });
    expect([...(await storage.sets('one')).keys()]).toEqual(['a']);
  });

  it('that are gone already are removed all the same', async () => {
    const storage = await open();
    await storage.putSet('one', 'a', bytes(1, 2));
    opfs.file('sets/one/a.bm');
    await storage.removeSet('one', 'a');
    await storage.removeSet('one', 'a');
    expect(await storage.sets('one')).toEqual(new Map());
  });
});

describe('what a broken-off import left', () => {
  it('is swept away at the start, and a file that is still held a moment later', async () => {
    opfs.put('corpora/old.part', bytes(1));
    const held = opfs.put('corpora/held.part', bytes(1));
    const access = await held.createSyncAccessHandle();
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    await open();
    expect(opfs.names('corpora')).toEqual(['held.part', 'one.plyfold']);
    access.close();
    await vi.runAllTimersAsync();
    expect(opfs.names('corpora')).toEqual(['one.plyfold']);
  });

  it('does not keep the corpora from being used when it cannot be looked for', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    opfs.fail('list', 'UnknownError', 0);
    const storage = await open();
    expect(storage.lasting).toBe(true);
    expect(await storage.list()).toHaveLength(1);
    opfs.fail('list', 'UnknownError', 0);
    await vi.runAllTimersAsync();
  });

  it('is swept away of sets, too', async () => {
    opfs.put('sets/one/a.part', bytes(1));
    opfs.put('sets/one/b.bm', bytes(1));
    await open();
    await vi.runAllTimersAsync();
    expect(opfs.names('sets/one')).toEqual(['b.bm']);
  });
});

it('a late step of an import that was given up changes nothing', async () => {
  const storage = await open();
  const writer = await write(storage, 'one');
  opfs.hold('move');
  const finished = writer.finish(3, 4).catch((error: unknown) => error);
  await writer.abandon();
  opfs.release();
  await finished;
  await vi.runAllTimersAsync();
  expect(opfs.names('corpora')).toEqual([]);
  expect(await storage.list()).toEqual([]);
});
