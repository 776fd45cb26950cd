// The published library of this page: where its address comes from, what the host is asked before and after the user agrees, and
// how much of the open corpus has arrived.
import { EngineError, type EngineClient } from '../engine/client';
import { publishedId, publishedNames } from '../engine/corpusid';
import type { Arrived, CorpusInfo, PublishedInfo } from '../engine/protocol';
import { hostAddress } from './hostaddress';
import { sentence } from './library.svelte';

export type PublishedState =
  | { phase: 'none' }
  /** The address names another host, which this browser has not asked before. */
  | { phase: 'asking'; host: string }
  | { phase: 'loading' }
  /** The user agreed to the host, and now sees how much there is. */
  | { phase: 'sized'; info: PublishedInfo }
  | { phase: 'here'; info: PublishedInfo }
  | { phase: 'failed'; message: string };

export class Published {
  state = $state.raw<PublishedState>({ phase: 'none' });
  /** How much of the open corpus has come; null if it is no corpus of a library. */
  arrived = $state.raw<Arrived | null>(null);

  /** What the first page shows; null before `library.json` is here. */
  readonly info = $derived.by((): PublishedInfo | null => (this.state.phase === 'here' ? this.state.info : null));

  /** What waits until the open corpus is on this device. */
  private waiting: (() => void)[] = [];
  private readonly client: EngineClient;
  private readonly address: string;

  constructor(client: EngineClient) {
    this.client = client;
    this.address = addressOfLibrary();
  }

  /** Whether the page belongs to a library, or was asked for one. */
  get isWanted(): boolean {
    return this.address !== '';
  }

  /** The address of the library if its host is this page's own; otherwise empty. */
  get ownAddress(): string {
    return this.isWanted && this.otherHost === '' ? this.address : '';
  }

  /** The host of the library; empty if it is this page's own. */
  get otherHost(): string {
    const { origin, host } = new URL(this.address);
    return origin === location.origin ? '' : host;
  }

  /** Takes up the library, unless the user must be asked first. Returns its corpora. */
  async start(): Promise<readonly CorpusInfo[]> {
    if (!this.isWanted) return [];
    const host = this.otherHost;
    if (host !== '' && !(await this.client.call('isKept', { address: this.address }).catch(() => false))) {
      this.state = { phase: 'asking', host };
      return [];
    }
    return this.load('here');
  }

  /** The user agrees to the host: its list of games is fetched, and nothing else. */
  async agree(): Promise<void> {
    await this.load('sized');
  }

  /** The user wants the library, or wants to try again. */
  async take(): Promise<readonly CorpusInfo[]> {
    if (this.state.phase !== 'sized') return this.load('here');
    const { info } = this.state;
    this.state = { phase: 'here', info };
    await this.client.call('keepLibrary', {}).catch(() => null);
    return info.corpora;
  }

  /** The user does not want the library. Nothing of it has been kept, so the next visit asks as this one did. */
  decline(): void {
    this.state = { phase: 'none' };
  }

  private async load(phase: 'sized' | 'here'): Promise<readonly CorpusInfo[]> {
    this.state = { phase: 'loading' };
    try {
      const info = await this.client.call('library', { address: this.address, keep: phase === 'here' });
      this.state = { phase, info };
      return info.corpora;
    } catch (error) {
      this.state = { phase: 'failed', message: sentence(error) };
      return [];
    }
  }

  /** Goes on where the arrival of the open corpus has ended, or ends it. */
  async arrive(go: boolean): Promise<void> {
    await this.client.call('arrive', { go }).catch((error: unknown) => {
      if (this.arrived && !(error instanceof EngineError && error.code === 'cancelled')) this.arrived = { ...this.arrived, running: false, trouble: sentence(error) };
    });
  }

  /** Whether an id means corpora of this library: one, several together, or all. */
  has(id: string): boolean {
    const listed = this.info?.corpora ?? [];
    const names = publishedNames(id);
    return listed.some((corpus) => corpus.id === id) || (names.length > 1 && names.every((name) => listed.some((corpus) => corpus.id === publishedId([name]))));
  }

  /** Calls back once a corpus of the library is on this device whole. */
  onceSettled(call: () => void): void {
    this.waiting.push(call);
  }

  /** The open corpus is on this device: asks the browser not to delete it when the device runs out of space. */
  settle(): void {
    for (const call of this.waiting.splice(0)) call();
    void navigator.storage?.persist?.().catch(() => false);
  }

  /** Whether a game has not arrived yet but may. */
  isAwaited(corpus: string | undefined, game: number): boolean {
    const { arrived } = this;
    return arrived !== null && arrived.corpus === corpus && arrived.parts < arrived.parts_total && game >= arrived.games;
  }
}

/**
 * The address of `library.json`: the one that the address of the page names, or the one that the publisher wrote into the page;
 * empty if there is none.
 */
function addressOfLibrary(): string {
  const words = new URLSearchParams(location.search);
  // A link to a file of games is about these, also on the page of a library.
  const named = words.get('library') || (words.get('corpus') ? '' : document.documentElement.dataset['library']) || '';
  const address = hostAddress(named);
  if (!address) return '';
  // The folder of a library means its list.
  if (address.pathname.endsWith('/')) address.pathname += 'library.json';
  return address.href;
}
