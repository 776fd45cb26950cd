// A file of games that the address of the page names (`?corpus=`): the user is asked before its host is, sees how large it is, and
// then lets it come. It is imported like a file of the user's own.
import type { EngineClient } from '../engine/client';
import { decoded } from '../engine/percent';
import { hostAddress } from './hostaddress';
import { keepValue, keptValue } from './kept';
import { sentence } from './library.svelte';

export type LinkedState =
  | { phase: 'none' }
  /** The user has not agreed to ask the host. */
  | { phase: 'asking' }
  | { phase: 'sizing' }
  /** `bytes` is null if the host does not say. */
  | { phase: 'sized'; bytes: number | null }
  | { phase: 'failed'; message: string };

/** Which corpora came from which addresses. */
const KEPT = 'plyfold.linked';
const MOST_KEPT = 100;

export class LinkedFile {
  state = $state.raw<LinkedState>({ phase: 'none' });
  /** Empty if the address of the page names no file. */
  readonly address: string;
  readonly host: string;
  readonly isOwnHost: boolean;
  /** The last part of its address. */
  readonly file: string;
  private readonly client: EngineClient;

  constructor(client: EngineClient) {
    this.client = client;
    this.address = addressOfFile();
    const { host, origin, pathname } = new URL(this.address || location.href);
    this.host = host;
    this.isOwnHost = origin === location.origin;
    this.file = decoded(pathname.split('/').pop() ?? '');
  }

  get isWanted(): boolean {
    return this.address !== '';
  }

  /** How large the file is, 0 if that is not known. */
  get bytes(): number {
    return this.state.phase === 'sized' ? (this.state.bytes ?? 0) : 0;
  }

  /** The id of the corpus that the file became on an earlier visit; empty if it is not known. */
  get kept(): string {
    return keptIds()[this.address] ?? '';
  }

  /** Asks the user, or the page's own host at once, which has been asked for the page anyway. */
  async begin(): Promise<void> {
    if (this.isOwnHost) await this.agree();
    else this.state = { phase: 'asking' };
  }

  /** The user agrees to the host: its answer is the size of the file. */
  async agree(): Promise<void> {
    this.state = { phase: 'sizing' };
    try {
      const { bytes } = await this.client.call('sizeOf', { address: this.address });
      this.state = { phase: 'sized', bytes };
    } catch (error) {
      this.state = { phase: 'failed', message: sentence(error) };
    }
  }

  /** The file is not wanted, or it is here. */
  end(): void {
    this.state = { phase: 'none' };
  }

  /** The file has become a corpus. */
  keep(id: string): void {
    const others = Object.entries(keptIds()).filter(([address]) => address !== this.address);
    keepValue(KEPT, Object.fromEntries([...others.slice(1 - MOST_KEPT), [this.address, id]]));
  }
}

function keptIds(): Record<string, string> {
  const ids = keptValue(KEPT);
  return typeof ids === 'object' && ids !== null ? (ids as Record<string, string>) : {};
}

/** The address of the file; empty if the page's address names none, or none that a browser fetches. */
function addressOfFile(): string {
  return hostAddress(new URLSearchParams(location.search).get('corpus') ?? '')?.href ?? '';
}
