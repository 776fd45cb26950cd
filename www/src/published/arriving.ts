// The open corpus of a published library: the engine's corpus, to which shards are added as they arrive. The worker adds them
// between two requests, so a request never sees half a corpus.
import type { Arrived } from '../engine/protocol';
import type { Arrival } from './arrival';
import { isHostFailure, type HostFailure } from './host';
import type { PublishedTexts, Span } from './texts';

/** The engine's corpus, as far as this module needs it. */
export interface GrowingCorpus {
  readonly games: number;
  readonly plies: number;
  addShard(scanPart: Uint8Array): void;
  textRange(id: number): ArrayLike<number>;
}

/** What the worker does for this module. */
export interface Surroundings {
  /** Runs a task when no request is waiting, or at the latest after a short time. */
  between(task: () => void | Promise<void>): Promise<void>;
  /** The corpus has more games than before. */
  grown(isWhole: boolean): void;
  notice(arrived: Arrived): void;
  /** Why something could not be stored; empty if all was. */
  storageNote(): string;
}

/** How long parts are added before the next request has its turn. */
const TURN_MS = 100;
/** The page asks its question again whenever it is told of new parts, so it is told no more often than this. */
const TELL_EVERY_MS = 500;
/** How long an opened corpus waits for further parts that are on this device. */
const FIRST_TURN_MS = 50;

export class ArrivingCorpus {
  readonly id: string;
  private readonly corpus: GrowingCorpus;
  private readonly arrival: Arrival;
  private readonly texts: PublishedTexts;
  private readonly around: Surroundings;
  /** The shards that the engine has refused once. */
  private readonly refused = new Set<number>();
  /** Why no further part can be used; null if all were right. */
  private broken: HostFailure | null = null;
  private isClosed = false;
  private told = 0;
  private telling: ReturnType<typeof setTimeout> | undefined;
  private isFollowing = false;

  constructor(id: string, corpus: GrowingCorpus, arrival: Arrival, texts: PublishedTexts, around: Surroundings) {
    this.id = id;
    this.corpus = corpus;
    this.arrival = arrival;
    this.texts = texts;
    this.around = around;
  }

  /** Whether the corpus has all its games. */
  get isWhole(): boolean {
    const { taken, corpus } = this.arrival;
    return taken === corpus.shards.length;
  }

  /** Waits for the first part, and for further ones that come at once. Fails if the first one does not come. */
  async begin(isHere: (digest: string) => boolean): Promise<void> {
    const { arrival } = this;
    const until = performance.now() + FIRST_TURN_MS;
    arrival.start();
    while (!arrival.isComplete) {
      const { next } = arrival;
      if (arrival.taken > 0 && (performance.now() > until || !next || !isHere(next.scan.digest))) break;
      await arrival.settled();
      if (this.isClosed) throw { code: 'cancelled', message: 'cancelled' };
      await this.add();
      if (arrival.failure && arrival.taken === 0) throw { code: arrival.failure.code, message: arrival.failure.message };
      if (arrival.failure) break;
    }
  }

  /** Lets the parts come, and says so. */
  go(): void {
    if (!this.broken) this.arrival.start();
    this.tell();
    void this.follow();
  }

  stop(): void {
    this.arrival.stop();
    this.tell();
  }

  close(): void {
    this.isClosed = true;
    this.arrival.stop();
    this.texts.close();
  }

  /** Fetches the texts of these games. */
  async bringTexts(ids: Iterable<number>): Promise<void> {
    const spans: Span[] = [];
    for (const id of ids) {
      const [at, length] = Array.from(this.corpus.textRange(id));
      if (at !== undefined && length !== undefined) spans.push([at, length]);
    }
    try {
      await this.texts.bring(spans);
    } catch (thrown) {
      if (!isHostFailure(thrown)) throw thrown;
      throw { code: 'host', message: `the moves are all here, but comments and variations are at the library's host and need the network: ${thrown.message}` } satisfies Pick<HostFailure, 'code' | 'message'>;
    }
  }

  private tell(): void {
    const { arrival, corpus, around } = this;
    clearTimeout(this.telling);
    this.telling = undefined;
    if (this.isClosed) return;
    this.told = performance.now();
    around.notice({
      corpus: this.id,
      games: corpus.games,
      plies: corpus.plies,
      parts: arrival.taken,
      parts_fitting: arrival.fitting,
      parts_total: arrival.corpus.shards.length,
      running: arrival.isRunning && !arrival.failure,
      trouble: arrival.failure?.message ?? '',
      storage_note: around.storageNote(),
    });
  }

  private async follow(): Promise<void> {
    if (this.isFollowing) return;
    this.isFollowing = true;
    const { arrival } = this;
    while (!this.isClosed && arrival.isRunning && !arrival.failure) {
      await arrival.settled();
      if (this.isClosed || !arrival.isRunning) break;
      await this.around.between(async () => {
        if (this.isClosed) return;
        const before = arrival.taken;
        await this.add();
        // Whoever is told that all is here finds it on this device.
        if (arrival.isComplete) await arrival.kept();
        if (arrival.taken > before) this.around.grown(this.isWhole);
        this.tellSoon();
      });
    }
    this.isFollowing = false;
  }

  /** Says how much has come: at once if there is an end to it, otherwise not too often. */
  private tellSoon(): void {
    const wait = this.told + TELL_EVERY_MS - performance.now();
    if (wait <= 0 || this.arrival.isComplete || this.arrival.failure) this.tell();
    else this.telling ??= setTimeout(() => this.tell(), wait);
  }

  /** Adds the parts that are there, for a short time. */
  private async add(): Promise<void> {
    const { arrival } = this;
    const until = performance.now() + TURN_MS;
    for (let bytes = arrival.take(); bytes; bytes = performance.now() < until ? arrival.take() : null) {
      const nth = arrival.taken - 1;
      try {
        this.put(bytes, nth);
      } catch (thrown) {
        // The engine itself has stopped.
        if (thrown instanceof WebAssembly.RuntimeError) throw thrown;
        if (isFull(thrown)) this.broken = { code: 'host', message: thrown.message, isPassing: false };
        const again = !this.refused.has(nth);
        this.refused.add(nth);
        const message = thrown instanceof Error ? thrown.message : String(thrown);
        const failure: HostFailure = { code: 'host', message: `part ${nth + 1} of these games cannot be used: ${message}`, isPassing: false };
        await arrival.refuse(this.broken ?? (again ? null : failure));
        return;
      }
    }
  }

  private put(bytes: Uint8Array, nth: number): void {
    const { corpus, arrival } = this;
    const shard = arrival.corpus.shards[nth];
    const before = { games: corpus.games, plies: corpus.plies };
    corpus.addShard(bytes);
    if (shard && (corpus.games - before.games !== shard.games || corpus.plies - before.plies !== shard.plies)) {
      this.broken = { code: 'host', message: `part ${nth + 1} of these games has others than library.json says. Tell its publisher`, isPassing: false };
      throw this.broken;
    }
  }
}

/** Whether the engine has no memory for a part. */
function isFull(thrown: unknown): thrown is Error {
  return thrown instanceof Error && (thrown as { code?: unknown }).code === 'memory';
}
