// Fetching the files of a published library from its host: bounded, in whole or a range of bytes, with one sentence for each
// way in which it can fail. The engine's worker asks the site's own host by `directHost`; any other host is asked by `hostworker.ts`,
// and by no redirect, because the user has agreed to that host and to no other.

import { chunksOf, joined, Patience, PATIENCE_MS } from '../engine/patience';

/** A file, or a part of it. */
export interface Wanted {
  url: string;
  /** Bytes of the whole file, if they are known; otherwise the most that it may have. */
  bytes: number;
  /** The part that is needed; null for the whole file. */
  range: { from: number; length: number } | null;
  /** How the browser's cache is used. Files that are named after their digest never change. */
  cache: RequestCache;
}

export interface Received {
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether `bytes` is the whole file although a part was wanted: the host knows no ranges. */
  isWhole: boolean;
}

/** Why a file did not come. */
export interface HostFailure {
  code: 'host';
  message: string;
  /** Whether it may come if it is asked for again. */
  isPassing: boolean;
}

export interface Host {
  /** Fails with a `HostFailure`, or with what the signal was aborted with. */
  fetch(wanted: Wanted, signal: AbortSignal): Promise<Received>;
}

/** A host of files that are not parts of a library. Fails as `Host` does. */
export interface FileHost {
  /** The size of a file in bytes; null if the host does not say. */
  size(url: string, signal: AbortSignal): Promise<number | null>;
  /** A whole file of at most so many bytes, which the browser keeps on disk if it likes. `progress` is told how many have come. */
  file(wanted: Pick<Wanted, 'url' | 'bytes'>, signal: AbortSignal, progress: (bytes: number) => void): Promise<Blob>;
}

/** A file up to this size is kept as a whole when a host sends it instead of a part. */
const MOST_KEPT_BYTES = 16 << 20;
/** A file is handed to the browser in pieces of this size. */
const PIECE_BYTES = 8 << 20;

/** Asks hosts from here, as far as the policy of this script lets it. */
export const directHost = patientHost(PATIENCE_MS);
/** The same, but a host that sends the request on to another address is asked no further. */
export const agreedHost = patientHost(PATIENCE_MS, 'manual');

/** Asks hosts from here, each of which may be silent for so long. */
export function patientHost(silence_ms: number, redirect: RequestRedirect = 'follow'): Host & FileHost {
  return {
    fetch: (wanted, signal) =>
      asked(wanted.url, new Patience(wanted.url, silence_ms, signal), async ({ place, name }, patience) => {
        const { range } = wanted;
        const response = await answerOf(wanted.url, { redirect, cache: wanted.cache, ...(range && { headers: { Range: `bytes=${range.from}-${range.from + range.length - 1}` } }) }, patience);
        if (isMissing(response)) throw failure(`${place} does not have ${name}. If the library was published anew, reload the page`, false);
        if (!response.ok) throw refused(place, name, response);
        return contentOf(response, wanted, patience, `${place} sends more of ${name} than library.json says`);
      }),

    size: (url, signal) =>
      asked(url, new Patience(url, silence_ms, signal), async ({ place, name }, patience) => {
        const response = await answerOf(url, { redirect, method: 'HEAD' }, patience);
        if (isMissing(response)) throw failure(`${place} does not have ${name}`, false);
        const length = response.headers.get('Content-Length');
        // A host may answer no such question and send the file all the same. The length of what is compressed on the way is not the file's.
        return response.ok && length !== null && !response.headers.has('Content-Encoding') ? Number(length) : null;
      }),

    file: ({ url, bytes: most }, signal, progress) =>
      asked(url, new Patience(url, silence_ms, signal), async ({ place, name }, patience) => {
        const response = await answerOf(url, { redirect }, patience);
        if (isMissing(response)) throw failure(`${place} does not have ${name}`, false);
        if (!response.ok) throw refused(place, name, response);
        return blobOf(response, patience, progress, () => failure(`${name} at ${place} has more than ${Math.round(most / 2 ** 30)} GiB, which is too much for a page. Load it by other means, and search it with the program plyfold`, false), most);
      }),
  };
}

/** Asks a host. Whatever goes wrong is a `HostFailure`, unless the signal was aborted. */
async function asked<T>(url: string, patience: Patience, ask: (at: { place: string; name: string }, patience: Patience) => Promise<T>): Promise<T> {
  const { host, origin, pathname } = new URL(url);
  // A program without a page has no host of its own.
  const isOwn = origin === globalThis.location?.origin;
  const place = isOwn ? 'the host of this page' : host;
  try {
    return await ask({ place, name: pathname.split('/').pop() ?? '' }, patience);
  } catch (thrown) {
    if (patience.silence) throw failure(patience.silence.message, true);
    if (patience.signal.aborted) throw patience.signal.reason;
    if (isHostFailure(thrown)) throw thrown;
    throw failure(isOwn ? `${place} cannot be reached, or the connection was cut` : `${place} cannot be reached, the connection was cut, or it does not let other pages read its files (CORS)`, true);
  } finally {
    patience.end();
  }
}

async function answerOf(url: string, init: RequestInit, { signal }: Patience): Promise<Response> {
  const response = await fetch(url, { ...init, signal, referrerPolicy: 'no-referrer', credentials: 'omit' });
  // A browser does not say where a redirect leads that it was told not to follow.
  if (response.type === 'opaqueredirect') throw failure(`${new URL(url).host} sends this page on to another address. Nobody has agreed to ask that one: open the address to which it leads`, false);
  return response;
}

function isMissing({ status }: Response): boolean {
  return status === 404 || status === 410;
}

function refused(place: string, name: string, { status }: Response): HostFailure {
  return failure(`${place} refuses ${name} (status ${status})`, status >= 500 || status === 429);
}

/** The content of a response as a Blob. It is handed to the browser in pieces, so that not all of it is in memory. */
async function blobOf(response: Response, patience: Patience, progress: (bytes: number) => void, tooMuch: () => HostFailure, most: number): Promise<Blob> {
  const pieces: Blob[] = [];
  let chunks: Uint8Array<ArrayBuffer>[] = [];
  let got = 0;
  let held = 0;
  for await (const chunk of chunksOf(response, patience)) {
    got += chunk.length;
    held += chunk.length;
    if (got > most) throw tooMuch();
    chunks.push(chunk);
    if (held >= PIECE_BYTES) {
      pieces.push(new Blob(chunks));
      chunks = [];
      held = 0;
    }
    progress(got);
  }
  return new Blob([...pieces, ...chunks]);
}

/** The bytes of a response. Of a whole file that nobody can keep, no more is read than the part that was wanted. */
async function contentOf(response: Response, { bytes, range }: Wanted, patience: Patience, tooMuch: string): Promise<Received> {
  const isPart = range !== null && response.status === 206;
  const isCut = range !== null && !isPart && bytes > MOST_KEPT_BYTES;
  const most = isPart ? range.length : isCut ? range.from + range.length : bytes;
  const chunks: Uint8Array[] = [];
  let got = 0;
  for await (const value of chunksOf(response, patience)) {
    // Of a file that is cut, the bytes before the part are not kept.
    chunks.push(isCut ? value.subarray(Math.max(0, Math.min(value.length, range.from - got))) : value);
    got += value.length;
    if (got >= most && isCut) break;
    if (got > most) throw failure(tooMuch, false);
  }
  const all = joined(chunks);
  return isCut ? { bytes: all.subarray(0, range.length), isWhole: false } : { bytes: all, isWhole: range !== null && !isPart };
}

function failure(message: string, isPassing: boolean): HostFailure {
  return { code: 'host', message, isPassing };
}

export function isHostFailure(thrown: unknown): thrown is HostFailure {
  return typeof thrown === 'object' && thrown !== null && (thrown as { code?: unknown }).code === 'host';
}
