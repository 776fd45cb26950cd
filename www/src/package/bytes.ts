// The bytes of games: arrays in memory, or a file that the engine reads piece by piece.
import { chunksOf, Patience } from '../engine/patience';
import { decoded } from '../engine/percent';
import type { OpenProgress } from './api';
import type { Failure } from './protocol';

/** What an array of bytes holds in every browser. */
const MOST_BYTES = 2 ** 31 - 1;
/** What a corpus begins with. */
const MAGIC = 'plyfold\0';

export interface NamedBytes {
  readonly name: string;
  readonly size: number;
  readonly bytes: Blob | readonly Uint8Array[];
}

/** Whether these bytes begin as a corpus does. */
export async function isCorpus({ bytes }: NamedBytes): Promise<boolean> {
  // The first chunk of an answer may be shorter than the mark, so some are joined.
  const head = bytes instanceof Blob ? bytes : new Blob(bytes.slice(0, MAGIC.length).map((chunk) => chunk.slice(0, MAGIC.length)));
  return (await head.slice(0, MAGIC.length).text()) === MAGIC;
}

/** Fetches a whole file from a host that may be silent for so long. */
export async function fetchBytes(address: string, silence_ms: number, signal: AbortSignal, progress: (progress: OpenProgress) => void): Promise<NamedBytes> {
  const { host, pathname } = new URL(address);
  const name = decoded(pathname.split('/').pop() ?? '') || host;
  const patience = new Patience(address, silence_ms, signal);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    const response = await fetch(address, { signal: patience.signal, credentials: 'omit' });
    if (!response.ok) throw failure(`${host} does not send ${name} (status ${response.status})`);
    // What is compressed on the way has another length on arrival.
    const totalBytes = response.headers.get('Content-Encoding') ? 0 : Number(response.headers.get('Content-Length') ?? 0);
    for await (const chunk of chunksOf(response, patience)) {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) throw failure(`${name} is larger than 2 GiB, which do not fit into memory. Publish it as a library (plyfold publish)`);
      chunks.push(chunk);
      progress({ bytes, totalBytes: Math.max(totalBytes, totalBytes && bytes), games: 0 });
    }
  } catch (thrown) {
    if (patience.silence) throw failure(patience.silence.message);
    if (signal.aborted) throw signal.reason;
    if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'host') throw thrown;
    throw failure(`${host} cannot be reached, the connection was cut, or it does not let other pages read ${name} (CORS)`);
  } finally {
    patience.end();
  }
  return { name, size: bytes, bytes: chunks };
}

function failure(message: string): Failure {
  return { code: 'host', message, problem: null };
}
