// The shards of a published corpus on their way: from this device, or else from the host, a few at a time. Each is compared with
// the digest in its name, and, when it comes from this device, with that of its unpacked bytes. They are handed over in order, because the numbers of games follow from it, and unpacked only then, so
// that what comes later never holds up an answer.
import type { LibraryDevice } from './device';
import { isDigestOf, type Digesting } from './digest';
import { isHostFailure, type Host, type HostFailure } from './host';
import type { PublishedCorpus, PublishedShard, ScanPart } from './manifest';

const AT_ONCE = 4;
/** How many shards may wait for one that comes later. */
const MOST_AHEAD = 8;
const PAUSES_MS: readonly number[] = [400, 1500];

/** What the engine does for this module. */
export interface Unpacking extends Digesting {
  /** Unpacks several scan parts at once; `limits` has the most bytes of each. */
  unpackShards(packed: Uint8Array[], limits: Float64Array): (Uint8Array<ArrayBuffer> | Error)[];
}

/** Where shards come from, and where they are kept. */
export interface Ways {
  host: Host;
  /** The address of `library.json`. */
  address: string;
  device: LibraryDevice;
  unpacking: Unpacking;
  /** How many parts are unpacked at once. */
  threads: number;
  /** The most bytes of unpacked parts that this device has memory for. */
  most_bytes: number;
}

export class Arrival {
  readonly corpus: PublishedCorpus;
  /** How many shards fit into memory: all, or the first ones. */
  readonly fitting: number;
  /** The number of shards that were taken. */
  taken = 0;
  /** Why the next shard does not come; null while it may come. */
  failure: HostFailure | null = null;
  private readonly ways: Ways;
  /** What came from the host, as it came; it is unpacked when it is taken. */
  private readonly packed = new Map<number, Uint8Array>();
  /** What came from this device. */
  private readonly unpacked = new Map<number, Uint8Array>();
  private asked = 0;
  private running = 0;
  private abort: AbortController | null = null;
  private keeping: Promise<unknown> = Promise.resolve();
  private readonly waiting = new Set<() => void>();

  constructor(corpus: PublishedCorpus, ways: Ways) {
    this.corpus = corpus;
    this.ways = ways;
    this.fitting = fittingParts(corpus, ways.most_bytes);
  }

  /** Whether every shard that fits into memory was taken. */
  get isComplete(): boolean {
    return this.taken === this.fitting;
  }

  get isRunning(): boolean {
    return this.abort !== null && !this.isComplete;
  }

  /** The shard that is taken next. */
  get next(): PublishedShard | undefined {
    return this.corpus.shards[this.taken];
  }

  /** Begins, or goes on after `stop` and after a failure. */
  start(): void {
    if (this.abort && !this.failure) return;
    this.abort?.abort();
    this.abort = new AbortController();
    this.failure = null;
    this.asked = this.taken;
    this.running = 0;
    this.more();
  }

  /** Whatever came stays. */
  stop(): void {
    this.abort?.abort();
    this.abort = null;
    this.tell();
  }

  /** The next shard, if it has come. */
  take(): Uint8Array | null {
    if (!this.unpacked.has(this.taken)) this.unpack();
    const bytes = this.unpacked.get(this.taken);
    if (!bytes) return null;
    this.unpacked.delete(this.taken);
    this.taken++;
    this.more();
    return bytes;
  }

  /** The shard that was taken last cannot be used: it is removed from this device, and fetched again or given up. */
  async refuse(failure: HostFailure | null): Promise<void> {
    this.taken--;
    const digest = this.next?.scan.digest;
    await this.keeping;
    if (digest) await this.ways.device.removeScanParts([digest]);
    this.abort?.abort();
    this.abort = null;
    if (failure) this.failure = failure;
    else this.start();
    this.tell();
  }

  /** Waits until the next shard is there, or does not come. */
  async settled(): Promise<void> {
    while (this.isRunning && !this.failure && !this.packed.has(this.taken) && !this.unpacked.has(this.taken)) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  /** Waits until everything that was taken is on this device, or could not be kept. */
  async kept(): Promise<void> {
    await this.keeping;
  }

  private more(): void {
    const { abort } = this;
    const { shards } = this.corpus;
    const end = Math.min(this.fitting, this.taken + MOST_AHEAD);
    // The first one has the connection for itself, since the first answer waits for it.
    const most = this.taken + this.packed.size + this.unpacked.size > 0 ? AT_ONCE : 1;
    while (abort && this.running < most && this.asked < end) {
      const nth = this.asked++;
      const shard = shards[nth];
      if (!shard || this.packed.has(nth) || this.unpacked.has(nth)) continue;
      this.running++;
      void this.bring(nth, shard, abort);
    }
  }

  /** Brings the scan part of a shard, from this device or the host. */
  private async bring(nth: number, shard: PublishedShard, abort: AbortController): Promise<void> {
    try {
      const kept = await this.keptPart(shard.scan);
      const bytes = kept ?? (await this.fetchPatiently(shard, abort.signal));
      if (abort.signal.aborted) return;
      (kept ? this.unpacked : this.packed).set(nth, bytes);
    } catch (thrown) {
      if (abort.signal.aborted) return;
      // What came before the shard that failed is still taken; the others stop.
      abort.abort();
      this.failure = isHostFailure(thrown) ? thrown : { code: 'host', message: messageOf(thrown), isPassing: false };
    }
    if (abort === this.abort) {
      this.running--;
      if (!this.failure) this.more();
    }
    this.tell();
  }

  /** The scan part on this device; null if it is not there, or is another one. */
  private async keptPart(scan: ScanPart): Promise<Uint8Array<ArrayBuffer> | null> {
    const { device, unpacking } = this.ways;
    const bytes = await device.scanPart(scan.digest);
    const isIt = bytes?.length === scan.unpacked && (scan.unpacked_digest === null || isDigestOf(scan.unpacked_digest, bytes, unpacking));
    return isIt ? bytes : null;
  }

  private tell(): void {
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const go of waiting) go();
  }

  private async fetchPatiently(shard: PublishedShard, signal: AbortSignal): Promise<Uint8Array> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.fetch(shard, signal, attempt === 0 ? 'default' : 'reload');
      } catch (thrown) {
        const pause = PAUSES_MS[attempt];
        if (pause === undefined || !isHostFailure(thrown) || !thrown.isPassing) throw thrown;
        await new Promise((resolve) => setTimeout(resolve, pause));
        if (signal.aborted) throw signal.reason;
      }
    }
  }

  private async fetch({ scan }: PublishedShard, signal: AbortSignal, cache: RequestCache): Promise<Uint8Array> {
    const { host, address, unpacking } = this.ways;
    const { bytes: packed } = await host.fetch({ url: new URL(scan.file, address).href, bytes: scan.bytes, range: null, cache }, signal);
    if (packed.length !== scan.bytes || !isDigestOf(scan.digest, packed, unpacking)) {
      throw { code: 'host', message: `a part of this library (${scan.file}) came damaged from ${new URL(address).host}, three times`, isPassing: true } satisfies HostFailure;
    }
    return packed;
  }

  /** Unpacks the next shard and those after it that have come, one for each thread, and keeps them on this device afterwards. */
  private unpack(): void {
    const { device, unpacking, threads } = this.ways;
    const batch: Uint8Array[] = [];
    for (let bytes = this.packed.get(this.taken); bytes && batch.length < threads; bytes = this.packed.get(this.taken + batch.length)) batch.push(bytes);
    if (batch.length === 0) return;
    const shards = this.corpus.shards.slice(this.taken, this.taken + batch.length);
    let unpacked: ReturnType<Unpacking['unpackShards']>;
    try {
      unpacked = unpacking.unpackShards(batch, Float64Array.from(shards, ({ scan }) => scan.unpacked));
    } catch (thrown) {
      // The engine itself has stopped.
      if (thrown instanceof WebAssembly.RuntimeError) throw thrown;
      this.giveUp(messageOf(thrown));
      return;
    }
    for (const [nth, { scan }] of shards.entries()) {
      const bytes = unpacked[nth] ?? new Error('it is missing');
      const why = bytes instanceof Error ? bytes.message : bytes.length === scan.unpacked ? '' : 'it is not as large as library.json says';
      if (why !== '' || bytes instanceof Error) {
        // A later one is refused when its turn comes.
        if (nth === 0) this.giveUp(`a part of this library (${scan.file}) cannot be unpacked: ${why}. Tell its publisher`);
        return;
      }
      this.packed.delete(this.taken + nth);
      this.unpacked.set(this.taken + nth, bytes);
      this.keeping = this.keeping.then(() => device.keepScanPart(scan.digest, bytes));
    }
  }

  private giveUp(message: string): void {
    this.packed.delete(this.taken);
    this.abort?.abort();
    this.failure = { code: 'host', message, isPassing: false };
    this.tell();
  }
}

function messageOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown ? String(thrown.message) : String(thrown);
}

/** How many of the first shards have no more bytes than this. The first one always counts, since without it there is no answer. */
function fittingParts({ shards }: PublishedCorpus, bytes: number): number {
  let sum = 0;
  const over = shards.findIndex(({ scan }, nth) => (sum += scan.unpacked) > bytes && nth > 0);
  return over < 0 ? shards.length : over;
}
