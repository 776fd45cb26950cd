// What the tests of published libraries share: a list of games, a host that the test controls, and the page of a club.
import { afterEach, beforeEach, vi } from 'vitest';
import type { Unpacking } from '../src/published/arrival';
import type { Host, HostFailure, Received, Wanted } from '../src/published/host';
import { readManifest, type PublishedCorpus } from '../src/published/manifest';

export const ADDRESS = 'https://club.example/games/library.json';
export const digits = (nth: number) => nth.toString(16).padStart(64, '0');
/** As the id of a corpus, and files in a library of version 1. */
export const few = (nth: number) => nth.toString(16).padStart(16, '0');
export const settle = () => new Promise((resolve) => setTimeout(resolve));

/** A shard of two games; the packed bytes are [nth, nth], the unpacked ones 64 times nth. */
export const shard = (nth: number, changed: object = {}) => ({
  games: 2,
  plies: 20,
  bytes: 100,
  scan: { file: `library/${digits(nth)}.scan`, bytes: 2, unpacked: 64, unpacked_sha256: digits(1000 + nth) },
  text: { file: `library/${digits(nth + 100)}.text`, bytes: 30, offset: 70 },
  ...changed,
});
export const list = (shards: object[] = [shard(1), shard(2), shard(3)], changed: object = {}) => ({
  format: 'plyfold library',
  version: 2,
  title: 'Club',
  updated: '2026-11-24',
  questions: [{ title: 'Queens off', query: 'queens_off' }],
  corpora: [{ name: 'games', id: few(7), games: 2 * shards.length, plies: 20 * shards.length, shards }],
  tables: { folder: 'tables/', names: ['KQvK'] },
  ...changed,
});
export const corpusOf = (shards?: object[]): PublishedCorpus => readManifest(JSON.stringify(list(shards))).corpora[0] as PublishedCorpus;

export const unpacking: Unpacking = {
  sha256Of: (bytes) => digits(bytes.length === 2 ? (bytes[0] ?? 0) : bytes.length === 64 ? 1000 + (bytes[0] ?? 0) : bytes.length),
  checksumOf: (bytes) => few(bytes.length === 2 ? (bytes[0] ?? 0) : bytes.length),
  unpackShards: (packed) => packed.map((one) => new Uint8Array(64).fill(one[0] ?? 0)),
};

/** A host that the test controls. */
export class FakeHost implements Host {
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

export const passing: HostFailure = { code: 'host', message: 'cut', isPassing: true };
export const final: HostFailure = { code: 'host', message: 'gone', isPassing: false };

/** Each test of the file is on the page of the club. */
export function onPageOfClub(): void {
  beforeEach(() => {
    vi.stubGlobal('location', { origin: 'https://club.example' });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}
