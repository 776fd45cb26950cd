// Corpora and sets in private files that fail at every step: stored files stay, failures give a reason,
// and nothing is left behind.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Storage, type Writer } from '../src/engine/storage';
import type { ByteSource } from '../src/engine/types';
import { FakeOpfs } from './opfs';

/** In these tests, `games` and `plies` are the first two bytes of a corpus. */
const facts = (head: Uint8Array) => {
  if (head.length < 2 || head[0] === 255) throw { code: 'bad-corpus', message: 'not a corpus' };
  return { games: head[0] ?? 0, plies: head[1] ?? 0 };
};
const bytes = (...all: number[]) => Uint8Array.from(all);
/** All bytes of a source, read as the engine reads it. */
const all = (source: ByteSource) => {
  if (Array.isArray(source)) return source.flatMap((array: Uint8Array) => [...array]);
  if (!isHandle(source)) return [...new Uint8Array(new FileReaderSync().readAsArrayBuffer(source as Blob))];
  const into = new Uint8Array(source.getSize());
  expect(source.read(into, { at: 0 })).toBe(into.length);
  return [...into];
};
const isHandle = (source: ByteSource): source is FileSystemSyncAccessHandle => 'getSize' in source;
/** Closes a handle, as the engine does with its corpus. */
const close = (source: ByteSource) => isHandle(source) && source.close();

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

/** Begins a corpus and writes it as the engine does, which closes the file. */
async function write(storage: Storage, name: string): Promise<Writer> {
  const writer = await storage.create(name);
  writer.file?.write(bytes(3, 4, 7, 8, 9), { at: 0 });
  writer.file?.close();
  return writer;
}

/** Completes a corpus as the worker does. If there is no file, or it was full, the engine has kept the bytes. */
const finish = (writer: Writer, { full = false } = {}) => writer.finish({ games: 3, plies: 4, size_bytes: 5, chunks: writer.file && !full ? undefined : [bytes(3, 4), bytes(7, 8, 9)] });

describe('a corpus', () => {
  it('is written under another name, and listed once it is whole', async () => {
    const storage = await open();
    const writer = await write(storage, 'one');
    expect([opfs.names('corpora'), await storage.list()]).toEqual([['one.part'], []]);
    expect(await finish(writer)).toMatchObject({ id: 'one', games: 3, plies: 4, size_bytes: 5, kept: 'device' });
    expect(opfs.names('corpora')).toEqual(['one.plyfold']);
    expect(await storage.list()).toMatchObject([{ id: 'one', games: 3, plies: 4, size_bytes: 5 }]);
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
  });

  it('takes another name where one is taken, whole or being written', async () => {
    const storage = await open();
    await finish(await write(storage, 'one'));
    const [second, third] = [await storage.create('one'), await storage.create('one')];
    expect([second.id, third.id]).toEqual(['one 2', 'one 3']);
    expect(opfs.names('corpora')).toEqual(['one%202.part', 'one%203.part', 'one.plyfold']);
  });

  it('has any name', async () => {
    const storage = await open();
    await finish(await write(storage, '../a/b %?.plyfold'));
    expect((await storage.list()).map((corpus) => corpus.id)).toEqual(['../a/b %?.plyfold']);
    expect(all(await storage.read('../a/b %?.plyfold'))).toHaveLength(5);
  });

  it('is in memory when its file had no room, and leaves no file', async () => {
    const storage = await open();
    const writer = await write(storage, 'one');
    expect(await finish(writer, { full: true })).toMatchObject({ kept: 'memory', size_bytes: 5 });
    expect(writer.note).toMatch(/no room left/);
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
    expect(opfs.names('corpora')).toEqual([]);
  });

  it('goes on in memory when it cannot get its name', async () => {
    const storage = await open();
    const writer = await write(storage, 'one');
    opfs.fail('move', 'QuotaExceededError', 0);
    expect(await finish(writer)).toMatchObject({ kept: 'memory' });
    expect(writer.note).toMatch(/no room left/);
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
    expect(opfs.names('corpora')).toEqual([]);
  });

  it('that cannot get its name and is not as long as it should be fails', async () => {
    const storage = await open();
    const writer = await storage.create('one');
    writer.file?.close();
    opfs.fail('move', 'UnknownError', 0);
    await expect(finish(writer)).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('UnknownError') });
  });

  it('is given up without a trace', async () => {
    const storage = await open();
    const writer = await storage.create('one');
    const file = opfs.file('corpora/one.part');
    expect(file?.handles).toBe(1);
    // The engine has stopped, and closed nothing.
    await writer.abandon();
    expect([opfs.names('corpora'), file?.handles]).toEqual([[], 0]);
    // A corpus can be abandoned twice, and also after its last step failed.
    await writer.abandon();
    const other = await write(storage, 'two');
    opfs.fail('blob', 'NotFoundError', 0);
    opfs.fail('move', 'UnknownError', 0);
    await expect(finish(other)).rejects.toThrow();
    await other.abandon();
    expect(opfs.names('corpora')).toEqual([]);
    expect(await storage.list()).toEqual([]);
  });

  it('begins in memory where no file can be made', async () => {
    const storage = await open();
    opfs.fail('createHandle', 'UnknownError', 0);
    const writer = await write(storage, 'one');
    expect(writer.note).toMatch(/does not let this page store files/);
    expect(await finish(writer)).toMatchObject({ kept: 'memory' });
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

  it('lets two read at once', async () => {
    const storage = await open();
    opfs.put('corpora/one.plyfold', bytes(3, 4));
    const [one, two] = [await storage.read('one'), await storage.read('one')];
    close(one);
    expect(all(two)).toEqual([3, 4]);
  });

  it('gives what is in memory', async () => {
    opfs.fail('open', 'SecurityError');
    const storage = await open();
    expect(storage.lasting).toBe(false);
    await finish(await write(storage, 'one'));
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
  });
});

describe('reading where a handle is exclusive, as in Firefox and WebKit', () => {
  beforeEach(() => void opfs.install({ shared: false }));

  it('holds nothing, so that several tabs read one corpus', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4, 5));
    const [here, there] = [await (await open()).read('one'), await (await open()).read('one')];
    expect([all(here), all(there), opfs.file('corpora/one.plyfold')?.handles]).toEqual([[3, 4, 5], [3, 4, 5], 0]);
  });

  it('reads while a page that was left still holds the file', async () => {
    const file = opfs.put('corpora/one.plyfold', bytes(3, 4, 5));
    await file.createSyncAccessHandle();
    expect(all(await (await open()).read('one'))).toEqual([3, 4, 5]);
  });

  it('says what failed', async () => {
    opfs.put('corpora/one.plyfold', bytes(3, 4, 5));
    const storage = await open();
    opfs.fail('blob', 'NotReadableError', 0);
    await expect(storage.read('one')).rejects.toMatchObject({ code: 'storage', message: expect.stringContaining('NotReadableError') });
  });

  it('writes a corpus as elsewhere', async () => {
    const storage = await open();
    await finish(await write(storage, 'one'));
    expect(all(await storage.read('one'))).toEqual([3, 4, 7, 8, 9]);
  });
});

it('a page that is left lets another tab delete the corpus meanwhile, and says so afterwards', async () => {
  opfs.put('corpora/one.plyfold', bytes(3, 4));
  const storage = await open();
  close(await storage.read('one'));
  await (await open()).remove('one');
  await expect(storage.read('one')).rejects.toMatchObject({ code: 'no-corpus' });
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
    await finish(await write(storage, 'one'));
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
    close(source);
    opfs.fail('remove', 'UnknownError', 0);
    await expect(storage.remove('one')).rejects.toMatchObject({ code: 'storage' });
    expect([opfs.names('corpora'), [...(await storage.sets('one')).keys()]]).toEqual([['one.plyfold'], ['a']]);
  });

  it('of a corpus in memory takes its sets along', async () => {
    opfs.fail('open', 'SecurityError');
    const storage = await open();
    await finish(await write(storage, 'one'));
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
  const finished = finish(writer).catch((error: unknown) => error);
  await writer.abandon();
  opfs.release();
  await finished;
  await vi.runAllTimersAsync();
  expect(opfs.names('corpora')).toEqual([]);
  expect(await storage.list()).toEqual([]);
});
