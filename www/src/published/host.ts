// Fetching the files of a published library from its host: bounded, in whole or a range of bytes, with one sentence for each
// way in which it can fail. The engine's worker asks the site's own host by this; any other host is asked by `hostworker.ts`.

/** A file, or a part of it. */
export interface Wanted {
  url: string;
  /** Bytes of the whole file, if they are known; otherwise the most that it may have. */
  bytes: number;
  /** The part that is needed; null for the whole file. */
  range: { from: number; length: number } | null;
  /** How the browser's cache is used. Files that are named after their checksum never change. */
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

/** A file up to this size is kept as a whole when a host sends it instead of a part. */
const MOST_KEPT_BYTES = 16 << 20;
/** A connection that brings nothing for so long is given up. */
const PATIENCE_MS = 30_000;

/** Asks hosts from here, as far as the policy of this script lets it. */
export const directHost: Host = { fetch: fetchFrom };

async function fetchFrom(wanted: Wanted, signal: AbortSignal): Promise<Received> {
  const { host, origin, pathname } = new URL(wanted.url);
  // A program without a page has no host of its own.
  const isOwn = origin === globalThis.location?.origin;
  const place = isOwn ? 'the host of this page' : host;
  const name = pathname.split('/').pop() ?? '';
  const patience = new Patience(signal);
  try {
    const response = await answerOf(wanted, patience.signal);
    if (response.status === 404 || response.status === 410) throw failure(`${place} does not have ${name}. If the library was published anew, reload the page`, false);
    if (!response.ok) throw failure(`${place} refuses ${name} (status ${response.status})`, response.status >= 500 || response.status === 429);
    return await contentOf(response, wanted, patience, `${place} sends more of ${name} than library.json says`);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (isHostFailure(thrown)) throw thrown;
    throw failure(isOwn ? `${place} cannot be reached, or the connection was cut` : `${place} cannot be reached, the connection was cut, or it does not let other pages read its files (CORS)`, true);
  } finally {
    patience.end();
  }
}

function answerOf({ url, range, cache }: Wanted, signal: AbortSignal): Promise<Response> {
  const headers = range ? { Range: `bytes=${range.from}-${range.from + range.length - 1}` } : undefined;
  return fetch(url, { ...(headers ? { headers } : {}), signal, cache, referrerPolicy: 'no-referrer', credentials: 'omit' });
}

/** The bytes of a response. Of a whole file that nobody can keep, no more is read than the part that was wanted. */
async function contentOf(response: Response, { bytes, range }: Wanted, patience: Patience, tooMuch: string): Promise<Received> {
  const isPart = range !== null && response.status === 206;
  const isCut = range !== null && !isPart && bytes > MOST_KEPT_BYTES;
  const most = isPart ? range.length : isCut ? range.from + range.length : bytes;
  const chunks: Uint8Array[] = [];
  let got = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || !value) break;
    patience.renew();
    // Of a file that is cut, the bytes before the part are not kept.
    chunks.push(isCut ? value.subarray(Math.max(0, Math.min(value.length, range.from - got))) : value);
    got += value.length;
    if (got >= most && isCut) {
      await reader?.cancel();
      break;
    }
    if (got > most) {
      await reader?.cancel();
      throw failure(tooMuch, false);
    }
  }
  const all = joined(chunks);
  return isCut ? { bytes: all.subarray(0, range.length), isWhole: false } : { bytes: all, isWhole: range !== null && !isPart };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Aborts when its signal does, and when nothing has come for a long time. */
class Patience {
  private readonly controller = new AbortController();
  private readonly outer: AbortSignal;
  private readonly abort = () => this.controller.abort();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal) {
    this.outer = outer;
    if (outer.aborted) this.abort();
    outer.addEventListener('abort', this.abort);
    this.renew();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  renew(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.abort, PATIENCE_MS);
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.abort);
  }
}

function failure(message: string, isPassing: boolean): HostFailure {
  return { code: 'host', message, isPassing };
}

export function isHostFailure(thrown: unknown): thrown is HostFailure {
  return typeof thrown === 'object' && thrown !== null && (thrown as { code?: unknown }).code === 'host';
}
