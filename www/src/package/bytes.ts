// The bytes of games in memory, or of a file that the browser reads piece by piece.
import { chunksOf, Patience } from '../engine/patience';
import { decoded } from '../engine/percent';
import type { Source } from '../engine/types';
import type { OpenProgress } from './api';
import type { Failure } from './protocol';

/** Bytes fetched from a file at a time. Each read costs a round trip to another process. */
const AHEAD_BYTES = 4 << 20;
/** What an array of bytes holds in every browser. */
const MOST_BYTES = 2 ** 31 - 1;
const MAGIC = 'plyfold\0';

export interface NamedBytes extends Source {
  readonly name: string;
  readonly size: number;
}

export class BytesInMemory implements NamedBytes {
  readonly name: string;
  readonly size: number;
  private readonly chunks: readonly Uint8Array[];

  constructor(chunks: readonly Uint8Array[], name: string) {
    this.chunks = chunks;
    this.name = name;
    this.size = chunks.reduce((sum, { length }) => sum + length, 0);
  }

  read(into: Uint8Array, at: number): number {
    let begins = 0;
    for (const chunk of this.chunks) {
      if (at < begins + chunk.length) {
        const piece = chunk.subarray(at - begins, at - begins + into.length);
        into.set(piece);
        return piece.length;
      }
      begins += chunk.length;
    }
    return 0;
  }
}

/** A file, read synchronously, as only a worker can. */
export class BytesOfBlob implements NamedBytes {
  readonly name: string;
  readonly size: number;
  private readonly blob: Blob;
  private readonly reader = new FileReaderSync();
  private ahead = new Uint8Array();
  private begins = 0;

  constructor(blob: Blob, name: string) {
    this.blob = blob;
    this.name = name;
    this.size = blob.size;
  }

  read(into: Uint8Array, at: number): number {
    if (at < this.begins || at >= this.begins + this.ahead.length) {
      this.ahead = new Uint8Array(this.reader.readAsArrayBuffer(this.blob.slice(at, at + AHEAD_BYTES)));
      this.begins = at;
    }
    const piece = this.ahead.subarray(at - this.begins, at - this.begins + into.length);
    into.set(piece);
    return piece.length;
  }
}

/** Whether these bytes begin as a corpus does. */
export function isCorpus(bytes: NamedBytes): boolean {
  const head = new Uint8Array(MAGIC.length);
  return bytes.read(head, 0) === MAGIC.length && String.fromCharCode(...head) === MAGIC;
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
  return new BytesInMemory(chunks, name);
}

function failure(message: string): Failure {
  return { code: 'host', message, problem: null };
}
