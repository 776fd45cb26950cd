// Hosts that fall silent are given up, whatever they are asked for, and addresses say what they say.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchOwn, imported, Silence } from '../src/engine/patience';
import { decoded } from '../src/engine/percent';
import { fetchBytes } from '../src/package/bytes';
import { patientHost } from '../src/published/host';
import { TableFolder } from '../src/tables/ranges';
import { TableServer } from '../src/tables/server';

const ADDRESS = 'https://club.example/games.pgn';
const never = new AbortController().signal;

/** A host that sends so many bytes, one after each pause, and then nothing; it may not even begin to answer. */
function sends(bytes: number, pause_ms: number, { begins = true, ends = false, status = 200 } = {}): void {
  vi.stubGlobal('fetch', async (_: unknown, { signal }: { signal: AbortSignal }) => {
    const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    aborted.catch(() => undefined);
    if (!begins) return aborted;
    let left = bytes;
    const pull = async (controller: ReadableStreamDefaultController) => {
      if (left === 0) return ends ? controller.close() : aborted;
      await Promise.race([aborted, new Promise((resolve) => setTimeout(resolve, pause_ms))]);
      left--;
      controller.enqueue(Uint8Array.of(7));
    };
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status });
  });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** What becomes of a request after so long; undefined if it still waits. */
async function after(ms: number, request: Promise<unknown>): Promise<unknown> {
  let became: unknown;
  request.then((result) => (became = result), (thrown: unknown) => (became = thrown));
  await vi.advanceTimersByTimeAsync(ms);
  return became;
}

describe('a host', () => {
  const requests: [string, RegExp, () => Promise<unknown>][] = [
    ['a file', /^nothing has come from https:\/\/club\.example\/games\.pgn for 2 seconds$/, () => fetchBytes(ADDRESS, 2_000, never, () => undefined)],
    ['a part of a library', /games\.pgn for 2 seconds$/, () => patientHost(2_000).fetch({ url: ADDRESS, bytes: 10, range: null, cache: 'default' }, never)],
    ['a table', /^nothing has come from https:\/\/club\.example\/KRvK\.egp for 2 seconds$/, () => new TableFolder('https://club.example/', 2_000).read('KRvK', 0, 10)],
  ];
  for (const [what, message, request] of requests) {
    for (const begins of [false, true]) {
      it(`that falls silent ${begins ? 'in the midst of' : 'before'} ${what} is given up`, async () => {
        sends(3, 1_500, { begins, status: what === 'a table' ? 206 : 200 });
        const asked = request();
        expect(await after(begins ? 6_000 : 1_900, asked)).toBeUndefined();
        expect(await after(600, asked)).toMatchObject({ code: 'host', message: expect.stringMatching(message) });
      });
    }
  }

  it('that is slow may go on for long', async () => {
    sends(100, 1_500, { ends: true });
    expect(await after(151_000, fetchBytes(ADDRESS, 2_000, never, () => undefined))).toMatchObject({ size: 100 });
    sends(100, 1_500, { ends: true, status: 206 });
    expect(await after(151_000, new TableFolder('https://club.example/', 2_000).read('KRvK', 0, 100))).toHaveLength(100);
  });

  it('may be silent for ever, if the program says so', async () => {
    sends(0, 0);
    expect(await after(10 ** 9, fetchBytes(ADDRESS, Infinity, never, () => undefined))).toBeUndefined();
  });

  it('of tables that sends more than it was asked for is not read on', async () => {
    sends(100, 0, { status: 206 });
    expect(await after(1_000, new TableFolder('https://club.example/', 2_000).read('KRvK', 0, 10))).toMatchObject({ message: 'club.example sends more of KRvK.egp than it was asked for' });
  });

  it('of positions is given up after 30 seconds', async () => {
    sends(0, 0, { begins: false });
    const asked = new TableServer('https://club.example').verdict('8/8/8/8/8/2k5/8/K6R w - - 0 1');
    expect(await after(30_000, asked)).toMatchObject({ code: 'host', message: expect.stringMatching(/^nothing has come from https:\/\/club\.example\/.* for 30 seconds$/) });
  });

  it('is not asked on by whoever has gone', async () => {
    sends(0, 0);
    const abort = new AbortController();
    const asked = fetchBytes(ADDRESS, 2_000, abort.signal, () => undefined);
    abort.abort(new Error('gone'));
    expect(await after(0, asked)).toMatchObject({ message: 'gone' });
  });
});

describe('a file of the program itself', () => {
  it('is given up as others are, until it begins to come', async () => {
    sends(0, 0, { begins: false });
    expect(await after(2_000, fetchOwn(ADDRESS, 2_000))).toBeInstanceOf(Silence);
    sends(0, 0);
    const response = fetchOwn(ADDRESS, 2_000);
    expect(await after(2_000, response)).toBeInstanceOf(Response);
    const text = (await response).text();
    expect(await after(17_000, text)).toBeUndefined();
    expect(await after(1_100, text)).toMatchObject({ message: `${ADDRESS} has not come as a whole within 20 seconds` });
  });

  it('is given up if it is a script', async () => {
    expect(await after(2_000, imported(new Promise(() => undefined), 2_000))).toMatchObject({ code: 'host', message: expect.stringMatching(/^nothing has come from .*\/src\/engine\/ for 2 seconds$/) });
    expect(await after(0, imported(Promise.resolve('here'), 2_000))).toBe('here');
  });
});

describe('a part of an address', () => {
  it('is text, if its percent signs begin no characters, too', async () => {
    expect(['my%20games', '%C3%A9', '%', '%ff', '100%.pgn', '%zz'].map(decoded)).toEqual(['my games', 'é', '%', '%ff', '100%.pgn', '%zz']);
    sends(1, 0, { ends: true });
    expect(await after(10, fetchBytes('https://club.example/%ff.pgn', 2_000, never, () => undefined))).toMatchObject({ name: '%ff.pgn', size: 1 });
  });
});
