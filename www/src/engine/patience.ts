// A limit on silence: a request whose host sends nothing for so long is given up. A host that is slow may go on.

/** How long a host may send nothing, unless a program says otherwise. */
export const PATIENCE_MS = 30_000;
/** Timers of browsers count no further. */
const MOST_MS = 2 ** 31 - 1;
/** What the browser reads by itself is given up after so many times the limit, since nobody hears how it comes. */
const UNHEARD_TIMES = 10;

/** Why a request was given up: a sentence with its address. */
export class Silence extends Error {
  readonly code = 'host';
}

/** Aborts when its outer signal does, and when nothing has come for too long. */
export class Patience {
  /** Set once the host was silent for too long. */
  silence: Silence | null = null;
  private readonly address: string;
  private readonly ms: number;
  private readonly outer: AbortSignal | undefined;
  private readonly controller = new AbortController();
  private readonly abort = () => this.controller.abort(this.outer?.reason);
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(address: string, ms: number, outer?: AbortSignal) {
    this.address = address;
    this.ms = ms;
    this.outer = outer;
    if (outer?.aborted) this.abort();
    outer?.addEventListener('abort', this.abort);
    this.renew();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Something has come. */
  renew(): void {
    this.giveUpAfter(this.ms, (seconds) => `nothing has come from ${this.address} for ${seconds} seconds`);
  }

  /** From now on nobody says that something has come. */
  hearNoMore(): void {
    this.giveUpAfter(this.ms * UNHEARD_TIMES, (seconds) => `${this.address} has not come as a whole within ${seconds} seconds`);
  }

  private giveUpAfter(ms: number, why: (seconds: number) => string): void {
    clearTimeout(this.timer);
    if (ms > MOST_MS) return;
    this.timer = setTimeout(() => {
      this.silence = new Silence(why(ms / 1000));
      this.controller.abort(this.silence);
    }, ms);
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.abort);
  }
}

/** The body of a response as it comes. Whoever stops early ends the connection. */
export async function* chunksOf({ body }: Response, patience: Patience): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !value) return;
      patience.renew();
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

/** Fetches a file of this program itself. The browser reads it, because only then does it keep what it has compiled. */
export async function fetchOwn(address: string, ms: number): Promise<Response> {
  const { href } = new URL(address, import.meta.url);
  const patience = new Patience(href, ms);
  try {
    const response = await fetch(href, { signal: patience.signal });
    patience.hearNoMore();
    return response;
  } catch (error) {
    patience.end();
    throw patience.silence ?? error;
  }
}

/** Waits for a script of this program that is imported. */
export async function imported<T>(script: Promise<T>, ms: number): Promise<T> {
  const patience = new Patience(import.meta.url.replace(/[^/]*$/, ''), ms);
  const over = new Promise<never>((_, reject) => patience.signal.addEventListener('abort', () => reject(patience.signal.reason)));
  try {
    return await Promise.race([script, over]);
  } finally {
    patience.end();
  }
}
