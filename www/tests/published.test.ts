// The published library as the worker sees it: what `library.json` may say, what hosts send, what the device keeps, and parts
// that arrive in any order, or not.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Arrival, type Unpacking } from '../src/published/arrival';
import { ArrivingCorpus, type GrowingCorpus } from '../src/published/arriving';
import { LibraryDevice } from '../src/published/device';
import { agreedHost, directHost, type Host, type HostFailure, type Received, type Wanted } from '../src/published/host';
import type { HostReply, HostRequest } from '../src/published/hostworker';
import { PublishedLibrary } from '../src/published/library';
import { fetchFile, sizeOfFile } from '../src/published/linkedfile';
import { readManifest, type PublishedCorpus } from '../src/published/manifest';
import { OtherHost, type HostPort } from '../src/published/otherhost';
import { PublishedTexts } from '../src/published/texts';
import type { Arrived } from '../src/engine/protocol';
import { FakeOpfs } from './opfs';

const ADDRESS = 'https://club.example/games/library.json';
const digits = (nth: number) => nth.toString(16).padStart(64, '0');
/** As the id of a corpus, and files in a library of version 1. */
const few = (nth: number) => nth.toString(16).padStart(16, '0');
const settle = () => new Promise((resolve) => setTimeout(resolve));

/** A shard of two games; the packed bytes are [nth, nth], the unpacked ones 64 times nth. */
const shard = (nth: number, changed: object = {}) => ({
  games: 2,
  plies: 20,
  bytes: 100,
  scan: { file: `library/${digits(nth)}.scan`, bytes: 2, unpacked: 64, unpacked_sha256: digits(1000 + nth) },
  text: { file: `library/${digits(nth + 100)}.text`, bytes: 30, offset: 70 },
  ...changed,
});
const list = (shards: object[] = [shard(1), shard(2), shard(3)], changed: object = {}) => ({
  format: 'plyfold library',
  version: 2,
  title: 'Club',
  updated: '2026-11-24',
  questions: [{ title: 'Queens off', query: 'queens_off' }],
  corpora: [{ name: 'games', id: few(7), games: 2 * shards.length, plies: 20 * shards.length, shards }],
  tables: { folder: 'tables/', names: ['KQvK'] },
  ...changed,
});
const corpusOf = (shards?: object[]): PublishedCorpus => readManifest(JSON.stringify(list(shards))).corpora[0] as PublishedCorpus;

const unpacking: Unpacking = {
  sha256Of: (bytes) => digits(bytes.length === 2 ? (bytes[0] ?? 0) : bytes.length === 64 ? 1000 + (bytes[0] ?? 0) : bytes.length),
  checksumOf: (bytes) => few(bytes.length === 2 ? (bytes[0] ?? 0) : bytes.length),
  unpackShards: (packed) => packed.map((one) => new Uint8Array(64).fill(one[0] ?? 0)),
};

/** A host that the test controls. */
class FakeHost implements Host {
  readonly asked: string[] = [];
  /** What is thrown instead of an answer, for addresses that contain a word. */
  readonly failing = new Map<string, HostFailure>();
  readonly waiting: (() => void)[] = [];
  isHeld = false;
  send = (wanted: Wanted): Received => {
    const nth = Number.parseInt(wanted.url.split('/').pop() ?? '', 16);
    return { bytes: Uint8Array.from([nth, nth]), isWhole: false };
  };
  async fetch(wanted: Wanted, signal: AbortSignal): Promise<Received> {
    const { range, url } = wanted;
    this.asked.push(`${new URL(url).pathname.split('/').pop()}${range ? ` ${range.from}+${range.length}` : ''}`);
    if (this.isHeld) await new Promise<void>((go) => this.waiting.push(go));
    if (signal.aborted) throw signal.reason;
    for (const [word, failure] of this.failing) if (url.includes(word)) throw failure;
    return this.send(wanted);
  }
}

const passing: HostFailure = { code: 'host', message: 'cut', isPassing: true };
const final: HostFailure = { code: 'host', message: 'gone', isPassing: false };

beforeEach(() => {
  vi.stubGlobal('location', { origin: 'https://club.example' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('library.json', () => {
  it('is read with everything that it says', () => {
    const { title, corpora, questions, tables, about } = readManifest(JSON.stringify(list(undefined, { about: `library/${digits(9)}.md` })));
    expect([title, corpora[0]?.name, corpora[0]?.shards.length, questions[0]?.query, tables?.folder, about?.digest]).toEqual(['Club', 'games', 3, 'queens_off', 'tables/', digits(9)]);
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

describe('a host', () => {
  const wanted = (changed: Partial<Wanted> = {}): Wanted => ({ url: 'https://club.example/library/a.text', bytes: 10, range: { from: 2, length: 3 }, cache: 'default', ...changed });
  const answers = (response: Response) => vi.stubGlobal('fetch', vi.fn(async () => response));
  const fetched = (changed?: Partial<Wanted>) => directHost.fetch(wanted(changed), new AbortController().signal);
  const bytes = (length: number) => Uint8Array.from({ length }, (_, nth) => nth);

  it('is asked for a range, without anything about the user', async () => {
    answers(new Response(bytes(3), { status: 206 }));
    const { bytes: got, isWhole } = await fetched();
    expect([[...got], isWhole]).toEqual([[0, 1, 2], false]);
    expect(fetch).toHaveBeenCalledWith('https://club.example/library/a.text', expect.objectContaining({ headers: { Range: 'bytes=2-4' }, credentials: 'omit', referrerPolicy: 'no-referrer' }));
  });

  it('may send the whole file instead, of which a large one is not kept', async () => {
    answers(new Response(bytes(10)));
    expect((await fetched()).isWhole).toBe(true);
    answers(new Response(bytes(10)));
    const cut = await fetched({ bytes: 20 << 20 });
    expect([[...cut.bytes], cut.isWhole]).toEqual([[2, 3, 4], false]);
  });

  it('may not send more than was said', async () => {
    answers(new Response(bytes(11)));
    await expect(fetched({ range: null })).rejects.toMatchObject({ code: 'host', isPassing: false, message: expect.stringContaining('sends more of a.text') });
    answers(new Response(bytes(4), { status: 206 }));
    await expect(fetched()).rejects.toMatchObject({ message: expect.stringContaining('sends more') });
  });

  it('may have lost the file, refuse it or not be there', async () => {
    answers(new Response('', { status: 404 }));
    await expect(fetched()).rejects.toMatchObject({ isPassing: false, message: expect.stringContaining('does not have a.text') });
    answers(new Response('', { status: 503 }));
    await expect(fetched()).rejects.toMatchObject({ isPassing: true, message: expect.stringContaining('status 503') });
    vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(new TypeError('failed'))));
    await expect(fetched()).rejects.toMatchObject({ isPassing: true, message: expect.stringMatching(/^the host of this page cannot be reached/) });
    await expect(fetched({ url: 'https://other.example/a.text' })).rejects.toMatchObject({ message: expect.stringMatching(/^other\.example .*\(CORS\)/) });
  });

  it('to which the user agreed sends nobody on to another', async () => {
    vi.stubGlobal('fetch', vi.fn(async (_: string, { redirect }: RequestInit) => ({ type: redirect === 'manual' ? 'opaqueredirect' : 'basic', ok: true, status: 206, headers: new Headers(), body: new Response(bytes(3)).body })));
    const agreed = agreedHost.fetch(wanted({ url: 'https://other.example/a.text' }), new AbortController().signal);
    await expect(agreed).rejects.toMatchObject({ code: 'host', isPassing: false, message: expect.stringMatching(/^other\.example sends this page on/) });
    expect((await fetched()).bytes.length).toBe(3);
  });

  it('that brings nothing for long is given up', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', vi.fn((_: string, { signal }: RequestInit) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError'))))));
    const failed = expect(fetched()).rejects.toMatchObject({ code: 'host', isPassing: true });
    await vi.advanceTimersByTimeAsync(30_000);
    await failed;
  });

  it('of another site is asked by a worker of its own', async () => {
    const said: HostRequest[] = [];
    const port: HostPort = { postMessage: (message) => void said.push(message), onmessage: null, onerror: null };
    const host = new OtherHost(port);
    const reply = (data: HostReply) => port.onmessage?.({ data });
    const one = host.fetch(wanted(), new AbortController().signal);
    const failing = host.fetch(wanted(), new AbortController().signal);
    const abort = new AbortController();
    const aborted = host.fetch(wanted(), abort.signal);
    abort.abort(new Error('over'));
    await expect(aborted).rejects.toThrow('over');
    reply({ number: 2, failure: final });
    await expect(failing).rejects.toBe(final);
    reply({ number: 1, received: { bytes: bytes(1), isWhole: false } });
    expect((await one).bytes.length).toBe(1);
    expect(said.map((request) => [request.number, 'wanted' in request])).toEqual([[1, true], [2, true], [3, true], [3, false]]);
    const told: number[] = [];
    const file = host.file({ url: ADDRESS, bytes: 10 }, new AbortController().signal, (bytes) => void told.push(bytes));
    const size = host.size(ADDRESS, new AbortController().signal);
    reply({ number: 4, bytes: 3 });
    reply({ number: 4, blob: new Blob(['1. e4']) });
    reply({ number: 5, size: 5 });
    expect([await (await file).text(), await size, told]).toEqual(['1. e4', 5, [3]]);
    const broken = host.fetch(wanted(), new AbortController().signal);
    port.onerror?.({ message: 'blocked' });
    await expect(broken).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('blocked') });
  });
});

describe('a file that a link names', () => {
  const answers = (response: () => Response) => vi.stubGlobal('fetch', vi.fn(async () => response()));
  const listener = { progress: () => undefined, isCancelled: () => false };
  const file = 'https://other.example/my%20games.pgn';

  it('has a size, if its host says so', async () => {
    answers(() => new Response('', { headers: { 'Content-Length': '123' } }));
    expect(await sizeOfFile(directHost, file)).toBe(123);
    for (const response of [() => new Response(null, { status: 405 }), () => new Response(''), () => new Response('', { headers: { 'Content-Length': '123', 'Content-Encoding': 'gzip' } })]) {
      answers(response);
      expect(await sizeOfFile(directHost, file)).toBeNull();
    }
    answers(() => new Response('', { status: 404 }));
    await expect(sizeOfFile(directHost, file)).rejects.toMatchObject({ code: 'host', message: 'other.example does not have my%20games.pgn' });
  });

  it('comes whole, with its name, and tells how far it is', async () => {
    answers(() => new Response('1. e4'));
    const told: number[] = [];
    const got = await fetchFile(directHost, file, { ...listener, progress: (bytes) => void told.push(bytes) });
    expect([got.name, await got.text(), told]).toEqual(['my games.pgn', '1. e4', [5]]);
    expect((await fetchFile(directHost, 'https://other.example/', listener)).name).toBe('games.pgn');
  });

  it('ends when the user cancels it, when it is too large, and when the host fails', async () => {
    answers(() => new Response('1. e4'));
    await expect(fetchFile(directHost, file, { ...listener, isCancelled: () => true })).rejects.toMatchObject({ code: 'cancelled' });
    await expect(directHost.file({ url: file, bytes: 4 }, new AbortController().signal, () => undefined)).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('too much for a page') });
    answers(() => new Response('', { status: 403 }));
    await expect(fetchFile(directHost, file, listener)).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('status 403') });
    vi.stubGlobal('fetch', vi.fn(async () => Promise.reject(new TypeError('offline'))));
    await expect(fetchFile(directHost, file, listener)).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('(CORS)') });
  });
});

describe('the device', () => {
  const folder = `library/${digits(ADDRESS.length)}`;
  const device = () => LibraryDevice.open(ADDRESS, unpacking);

  it('keeps parts, and removes those that its list does not name', async () => {
    const opfs = new FakeOpfs().install();
    const first = await device();
    for (const nth of [1, 9]) expect(await first.keepScanPart(digits(nth), new Uint8Array(64))).toBe(true);
    opfs.put(`${folder}/left.shard.part`, new Uint8Array(1));
    const next = await device();
    expect([next.hasScanPart(digits(1)), await next.list(), (await next.scanPart(digits(1)))?.length, await next.scanPart(digits(2))]).toEqual([true, null, 64, null]);
    await next.renewList(JSON.stringify(list()));
    expect(opfs.names(folder)).toEqual([`${digits(1)}.shard`, 'library.json']);
  });

  it('keeps each library apart from the others, and nothing of the store that all had together', async () => {
    const opfs = new FakeOpfs().install();
    opfs.put(`library/${few(1)}.shard`, new Uint8Array(64));
    const other = await LibraryDevice.open(`${ADDRESS}?`, unpacking);
    await other.keepScanPart(digits(1), new Uint8Array(64));
    await other.renewList(JSON.stringify(list()));
    const one = await device();
    expect([one.hasScanPart(digits(1)), await LibraryDevice.hasKept(ADDRESS, unpacking), await LibraryDevice.hasKept(`${ADDRESS}?`, unpacking)]).toEqual([false, false, true]);
    await one.renewList(JSON.stringify(list([])));
    expect([other.hasScanPart(digits(1)), (await other.scanPart(digits(1)))?.length, opfs.names('library')]).toEqual([true, 64, []]);
  });

  it('that is full keeps what it has, says so, and leaves no half file', async () => {
    const opfs = new FakeOpfs().install();
    const full = await device();
    opfs.writeShort(10);
    expect(await full.keepScanPart(digits(1), new Uint8Array(64))).toBe(false);
    expect([full.note, opfs.names(folder), full.hasScanPart(digits(1))]).toEqual([expect.stringContaining('no room left'), [], false]);
  });

  it('that refuses storage says so', async () => {
    new FakeOpfs().install().fail('open');
    const none = await device();
    expect([none.note, await none.keepScanPart(digits(1), new Uint8Array(64)), await none.list()]).toEqual([expect.stringContaining('does not let this page store files'), false, null]);
  });
});

describe('parts on their way', () => {
  const arrivalOf = async (host: Host, corpus = corpusOf()) => {
    const device = await LibraryDevice.open(ADDRESS, unpacking);
    return { device, arrival: new Arrival(corpus, { host, address: ADDRESS, device, threads: 2, most_bytes: Infinity, unpacking }) };
  };
  /** Takes whatever comes until nothing does. */
  const taken = async (arrival: Arrival) => {
    const all: number[] = [];
    while (!arrival.isComplete) {
      await arrival.settled();
      const bytes = arrival.take();
      if (!bytes) break;
      all.push(bytes[0] ?? -1);
    }
    return all;
  };

  beforeEach(() => void new FakeOpfs().install());

  it('come one, then a few at a time, and are taken in their order', async () => {
    const host = new FakeHost();
    host.isHeld = true;
    const { arrival } = await arrivalOf(host, corpusOf(Array.from({ length: 20 }, (_, nth) => shard(nth + 1))));
    arrival.start();
    await settle();
    expect(host.asked).toEqual([`${digits(1)}.scan`]);
    host.waiting.pop()?.();
    await settle();
    expect(host.asked.length).toBe(5);
    host.isHeld = false;
    // The second one comes last.
    for (const go of host.waiting.toReversed()) go();
    await settle();
    expect(await taken(arrival)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 1));
  });

  it('are not fetched far ahead of the one that is missing', async () => {
    const host = new FakeHost();
    const fetch = host.fetch.bind(host);
    const never = new Promise<never>(() => undefined);
    host.fetch = (wanted, signal) => (wanted.url.includes(digits(2)) ? never : fetch(wanted, signal));
    const { arrival } = await arrivalOf(host, corpusOf(Array.from({ length: 20 }, (_, nth) => shard(nth + 1))));
    arrival.start();
    for (let turn = 0; turn < 30; turn++) await settle();
    expect(host.asked.length).toBe(7);
  });

  it('are taken from the device, and only what is missing is fetched', async () => {
    const host = new FakeHost();
    const { arrival, device } = await arrivalOf(host);
    await device.keepScanPart(digits(2), new Uint8Array(64).fill(2));
    arrival.start();
    expect(await taken(arrival)).toEqual([1, 2, 3]);
    expect(host.asked.sort()).toEqual([`${digits(1)}.scan`, `${digits(3)}.scan`]);
  });

  it('that do not come are tried twice again, then said; a new start goes on there', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const host = new FakeHost();
    host.failing.set(digits(2), passing);
    const { arrival } = await arrivalOf(host);
    arrival.start();
    const [first] = await Promise.all([taken(arrival), vi.advanceTimersByTimeAsync(5000)]);
    expect(first).toEqual([1]);
    expect([arrival.failure, host.asked.filter((name) => name.startsWith(digits(2))).length]).toEqual([passing, 3]);
    host.failing.clear();
    arrival.start();
    expect(await taken(arrival)).toEqual([2, 3]);
    expect(arrival.failure).toBeNull();
  });

  it('that are gone are not tried again', async () => {
    const host = new FakeHost();
    host.failing.set(digits(1), final);
    const { arrival } = await arrivalOf(host);
    arrival.start();
    expect([await taken(arrival), arrival.failure, host.asked.filter((name) => name.startsWith(digits(1))).length]).toEqual([[], final, 1]);
  });

  it('on this device are not taken if they are others than were published', async () => {
    const host = new FakeHost();
    const { arrival, device } = await arrivalOf(host);
    await device.keepScanPart(digits(2), new Uint8Array(64).fill(9));
    arrival.start();
    expect([await taken(arrival), host.asked.length]).toEqual([[1, 2, 3], 3]);
  });

  it('with another digest or length are refused', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const host = new FakeHost();
    const send = host.send;
    host.send = (wanted) => (wanted.url.includes(digits(1)) ? { bytes: Uint8Array.from([5, 5]), isWhole: false } : send(wanted));
    const { arrival, device } = await arrivalOf(host);
    arrival.start();
    const [none] = await Promise.all([taken(arrival), vi.advanceTimersByTimeAsync(5000)]);
    expect([none, arrival.failure?.message]).toEqual([[], expect.stringContaining('came damaged from club.example')]);
    expect(device.hasScanPart(digits(1))).toBe(false);
  });

  it('that cannot be unpacked are refused', async () => {
    const host = new FakeHost();
    const device = await LibraryDevice.open(ADDRESS, unpacking);
    const torn: Unpacking = { ...unpacking, unpackShards: (packed) => packed.map((one) => (one[0] === 2 ? new Error('it is no packed scan part') : new Uint8Array(64))) };
    const arrival = new Arrival(corpusOf(), { host, address: ADDRESS, device, threads: 4, most_bytes: Infinity, unpacking: torn });
    arrival.start();
    expect([await taken(arrival), arrival.failure]).toEqual([[0], { code: 'host', isPassing: false, message: expect.stringContaining('cannot be unpacked: it is no packed scan part') }]);
    const short = new Arrival(corpusOf(), { host, address: ADDRESS, device, threads: 1, most_bytes: Infinity, unpacking: { ...unpacking, unpackShards: (packed) => packed.map(() => new Uint8Array(63)) } });
    short.start();
    expect([await taken(short), short.failure?.message]).toEqual([[], expect.stringContaining('not as large as library.json says')]);
  });

  it('stay when they are stopped', async () => {
    const host = new FakeHost();
    host.isHeld = true;
    const { arrival } = await arrivalOf(host);
    arrival.start();
    await settle();
    arrival.stop();
    await arrival.settled();
    expect([arrival.take(), arrival.isRunning]).toEqual([null, false]);
  });

  it('are not taken if there is no memory to unpack them', async () => {
    const full: Unpacking = {
      ...unpacking,
      unpackShards: () => {
        throw new Error('the browser gives this page no more memory');
      },
    };
    const arrival = new Arrival(corpusOf(), { host: new FakeHost(), address: ADDRESS, device: LibraryDevice.none(), threads: 1, most_bytes: Infinity, unpacking: full });
    arrival.start();
    await arrival.settled();
    expect([arrival.take(), arrival.failure?.message]).toEqual([null, 'the browser gives this page no more memory']);
  });
});

describe('the open corpus', () => {
  /** A corpus that counts: two games for each part; a part of fives is refused. */
  class Counting implements GrowingCorpus {
    parts: number[] = [];
    gamesOfPart = 2;
    refuses = 0;
    get games(): number {
      return this.parts.length * this.gamesOfPart;
    }
    get plies(): number {
      return this.parts.length * 20;
    }
    addShard(bytes: Uint8Array): void {
      if (bytes[0] === this.refuses) throw new Error('it is damaged');
      this.parts.push(bytes[0] ?? 0);
    }
    textRange(id: number): ArrayLike<number> {
      return id === 0 ? [64 + 70, 10] : [];
    }
  }

  const opened = async (host: Host, corpus = new Counting(), most_bytes = Infinity) => {
    const device = await LibraryDevice.open(ADDRESS, unpacking);
    const published = corpusOf();
    const notices: Arrived[] = [];
    const grown: boolean[] = [];
    const arriving = new ArrivingCorpus('library.games', corpus, new Arrival(published, { host, address: ADDRESS, device, threads: 2, most_bytes, unpacking }), new PublishedTexts(published, host, ADDRESS), {
      between: async (task) => task(),
      grown: (isWhole) => void grown.push(isWhole),
      notice: (arrived) => void notices.push(arrived),
      storageNote: () => device.note,
    });
    return { arriving, corpus, device, notices, grown };
  };

  beforeEach(() => void new FakeOpfs().install());

  it('is open with its first part, and says how it grows', async () => {
    const host = new FakeHost();
    const fetch = host.fetch.bind(host);
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    host.fetch = async (wanted, signal) => (wanted.url.includes(digits(1)) ? undefined : await held, fetch(wanted, signal));
    const { arriving, corpus, notices, grown } = await opened(host);
    await arriving.begin(() => false);
    expect([corpus.parts, arriving.isWhole]).toEqual([[1], false]);
    arriving.go();
    expect(notices.at(-1)).toMatchObject({ games: 2, parts: 1, running: true });
    go();
    await vi.waitFor(() => expect(arriving.isWhole).toBe(true));
    await settle();
    expect([corpus.parts, grown.at(-1), notices.at(-1)]).toEqual([[1, 2, 3], true, { corpus: 'library.games', games: 6, plies: 60, parts: 3, parts_fitting: 3, parts_total: 3, running: false, trouble: '', storage_note: '' }]);
  });

  it('loads no more than the device has memory for, and says so', async () => {
    const host = new FakeHost();
    const { arriving, corpus, notices, grown } = await opened(host, new Counting(), 2 * 64);
    await arriving.begin(() => false);
    arriving.go();
    await vi.waitFor(() => expect(corpus.parts).toEqual([1, 2]));
    await settle();
    expect([host.asked.length, arriving.isWhole, grown.at(-1) ?? false]).toEqual([2, false, false]);
    expect(notices.at(-1)).toMatchObject({ parts: 2, parts_fitting: 2, parts_total: 3, running: false, trouble: '' });
    // The first part is the least that an answer needs.
    const narrow = await opened(new FakeHost(), new Counting(), 1);
    await narrow.arriving.begin(() => false);
    expect(narrow.corpus.parts).toEqual([1]);
  });

  it('stops where the engine has no memory for more', async () => {
    const corpus = new Counting();
    const add = corpus.addShard.bind(corpus);
    corpus.addShard = (bytes) => {
      if (bytes[0] === 2) throw Object.assign(new Error('the browser gives this page no more memory'), { code: 'memory' });
      add(bytes);
    };
    const { arriving, notices } = await opened(new FakeHost(), corpus);
    await arriving.begin(() => false);
    arriving.go();
    await vi.waitFor(() => expect(notices.at(-1)).toMatchObject({ parts: 1, running: false, trouble: 'the browser gives this page no more memory' }));
    expect(corpus.parts).toEqual([1]);
  });

  it('cannot be opened without its first part', async () => {
    const host = new FakeHost();
    host.failing.set(digits(1), final);
    const { arriving } = await opened(host);
    await expect(arriving.begin(() => false)).rejects.toMatchObject({ code: 'host', message: 'gone' });
  });

  it('that is left before its first part is there ends at once', async () => {
    const host = new FakeHost();
    host.isHeld = true;
    const { arriving } = await opened(host);
    const begun = arriving.begin(() => false);
    await settle();
    arriving.close();
    await expect(begun).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('fetches again what the device has damaged, and gives up what is refused twice', async () => {
    const host = new FakeHost();
    const { arriving, corpus, device } = await opened(host);
    await device.keepScanPart(digits(1), new Uint8Array(64).fill(1));
    // The device gives what was published, and the engine refuses it once.
    const add = corpus.addShard.bind(corpus);
    corpus.addShard = () => {
      corpus.addShard = add;
      throw new Error('it is damaged');
    };
    await arriving.begin(() => true);
    expect([corpus.parts[0], host.asked[0] !== undefined]).toEqual([1, true]);
    const other = await opened(host);
    other.corpus.refuses = 1;
    await expect(other.arriving.begin(() => true)).rejects.toMatchObject({ message: 'part 1 of these games cannot be used: it is damaged' });
  });

  it('is not used with other games than library.json says', async () => {
    const corpus = new Counting();
    corpus.gamesOfPart = 3;
    const { arriving } = await opened(new FakeHost(), corpus);
    await expect(arriving.begin(() => false)).rejects.toMatchObject({ message: expect.stringContaining('has others than library.json says') });
    // It does not go on.
    arriving.go();
    await settle();
    expect(corpus.parts.length).toBe(1);
  });

  it('says that texts need the network', async () => {
    const host = new FakeHost();
    host.failing.set('.text', passing);
    const { arriving } = await opened(host);
    await expect(arriving.bringTexts([0])).rejects.toMatchObject({ code: 'host', message: expect.stringMatching(/^the moves are all here.*need the network: cut$/) });
    await arriving.bringTexts([1]);
  });
});

describe('texts', () => {
  const texts = (host: Host) => new PublishedTexts(corpusOf(), host, ADDRESS);
  /** A text section begins here in the corpus file. */
  const at = (nth: number) => 64 + nth * 100 + 70;
  const send = ({ range, bytes }: Wanted): Received => ({ bytes: Uint8Array.from({ length: range?.length ?? bytes }, (_, nth) => (range?.from ?? 0) + nth), isWhole: false });

  it('are fetched by range, once, and read at their offset in the corpus', async () => {
    const host = new FakeHost();
    host.send = send;
    const one = texts(host);
    await one.bring([[at(1) + 4, 10]]);
    await one.bring([[at(1) + 4, 10]]);
    const into = new Uint8Array(3);
    expect([one.read(into, at(1) + 6), [...into], host.asked]).toEqual([3, [6, 7, 8], [`${digits(102)}.text 4+10`]]);
    expect(() => one.read(into, at(0))).toThrow('comments of a published library are not searched');
  });

  it('on their way are not asked for again, and are if they did not come', async () => {
    const host = new FakeHost();
    host.send = send;
    host.isHeld = true;
    const one = texts(host);
    const both = [one.bring([[at(1) + 4, 10]]), one.bring([[at(1) + 5, 3], [at(0), 10]])];
    await settle();
    host.isHeld = false;
    host.waiting.forEach((go) => go());
    await Promise.all(both);
    expect([one.read(new Uint8Array(3), at(1) + 5), host.asked]).toEqual([3, [`${digits(102)}.text 4+10`, `${digits(101)}.text 0+10`]]);

    host.isHeld = true;
    host.failing.set(digits(103), passing);
    const failing = [one.bring([[at(2), 5]]), one.bring([[at(2), 5]])].map((bring) => bring.catch((thrown) => thrown));
    await settle();
    host.isHeld = false;
    host.waiting.forEach((go) => go());
    expect(await Promise.all(failing)).toEqual([passing, passing]);
    expect(host.asked.slice(2)).toEqual([`${digits(103)}.text 0+5`, `${digits(103)}.text 0+5`]);
  });

  it('that lie close together are one range, those of two shards are two', async () => {
    const host = new FakeHost();
    host.send = send;
    await texts(host).bring([[at(2), 5], [at(0) + 20, 10], [at(0), 10]]);
    expect(host.asked).toEqual([`${digits(101)}.text 0+30`, `${digits(103)}.text 0+5`]);
  });

  it('are kept as a whole if the host knows no ranges', async () => {
    const host = new FakeHost();
    host.send = ({ bytes }) => ({ bytes: Uint8Array.from({ length: bytes }, (_, nth) => nth), isWhole: true });
    const one = texts(host);
    await one.bring([[at(0) + 5, 5]]);
    await one.bring([[at(0) + 20, 10]]);
    const into = new Uint8Array(2);
    one.read(into, at(0) + 20);
    expect([host.asked.length, [...into]]).toEqual([1, [20, 21]]);
  });

  it('that are not where library.json says, or too short, are refused', async () => {
    const host = new FakeHost();
    await expect(texts(host).bring([[64 + 10, 5]])).rejects.toMatchObject({ code: 'bad-corpus' });
    host.send = () => ({ bytes: new Uint8Array(2), isWhole: false });
    await expect(texts(host).bring([[at(0), 5]])).rejects.toMatchObject({ code: 'host', message: expect.stringContaining('2 bytes of a text where 5 were expected') });
  });
});

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
    answering({ 'library.json': JSON.stringify(list(undefined, { about: `library/${digits(about.length)}.md` })), [`${digits(about.length)}.md`]: about });
    expect(await LibraryDevice.hasKept(ADDRESS, unpacking)).toBe(false);
    const first = await opened();
    await first.keeping;
    const info = first.info();
    expect(info).toMatchObject({ title: 'Club', about, tables: 'https://club.example/games/tables/', note: '', trust_note: '', corpora: [{ id: 'library.games', games: 6, size_bytes: 0, left_bytes: 6, kept: 'library' }] });
    expect(await LibraryDevice.hasKept(ADDRESS, unpacking)).toBe(true);
    answering({});
    const later = (await opened()).info();
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
