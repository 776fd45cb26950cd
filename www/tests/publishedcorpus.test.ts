// The open corpus of a published library, which grows by its parts, and the texts of its games.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Arrived } from '../src/engine/protocol';
import { Arrival } from '../src/published/arrival';
import { ArrivingCorpus, type GrowingCorpus } from '../src/published/arriving';
import { LibraryDevice } from '../src/published/device';
import type { Host, Received, Wanted } from '../src/published/host';
import { PublishedTexts } from '../src/published/texts';
import { FakeOpfs } from './opfs';
import { ADDRESS, corpusOf, digits, FakeHost, final, onPageOfClub, passing, settle, unpacking } from './published';

onPageOfClub();

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
