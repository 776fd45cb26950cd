// What the device keeps of a published library, and its parts that arrive in any order, or not.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Arrival, type Unpacking } from '../src/published/arrival';
import { LibraryDevice } from '../src/published/device';
import type { Host } from '../src/published/host';
import { FakeOpfs } from './opfs';
import { ADDRESS, corpusOf, digits, FakeHost, few, final, list, onPageOfClub, passing, settle, shard, unpacking } from './published';

onPageOfClub();

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
