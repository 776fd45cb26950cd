// A folder of packed tables on a static host: the parts that a position needs are fetched as ranges of bytes, only from the
// address that the user has named.
import { chunksOf, joined, Patience, PATIENCE_MS } from '../engine/patience';
import type { TableFailure } from './protocol';

/** Bytes of a file that are fetched at once. */
const PIECE_BYTES = 4 << 20;

export class TableFolder {
  /** Ends with a slash. */
  private readonly address: URL;
  private readonly silence_ms: number;

  /** The host of the folder may be silent for so long. */
  constructor(address: string, silence_ms = PATIENCE_MS) {
    let url: URL;
    try {
      url = new URL(address.endsWith('/') ? address : `${address}/`, globalThis.location?.origin);
    } catch {
      throw { code: 'host', message: `"${address}" is not an address; an example is https://example.org/tables/` } satisfies TableFailure;
    }
    this.address = url;
    this.silence_ms = silence_ms;
  }

  /** A table's whole file, in pieces; null if there is no such table. `most` is the number of bytes that are fetched at most. */
  async whole(name: string, most: number): Promise<Blob | null> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for (let offset = 0; ; offset += PIECE_BYTES) {
      const piece = await this.read(name, offset, PIECE_BYTES);
      if (!piece) return null;
      pieces.push(piece);
      if (piece.length < PIECE_BYTES) return new Blob(pieces);
      if (offset + 2 * PIECE_BYTES > most) throw { code: 'host', message: `${name}.egp would make more than 256 MB at once; download it and choose the file instead` } satisfies TableFailure;
    }
  }

  /** Bytes of a table's file, fewer if it ends there; null if there is no such table. */
  async read(name: string, offset: number, length: number): Promise<Uint8Array<ArrayBuffer> | null> {
    const { host } = this.address;
    const { href } = new URL(`${name}.egp`, this.address);
    const patience = new Patience(href, this.silence_ms);
    try {
      const response = await fetch(href, {
        signal: patience.signal,
        headers: { Range: `bytes=${offset}-${offset + length - 1}` },
        referrerPolicy: 'no-referrer',
        credentials: 'omit',
        redirect: 'error',
        // A range in the browser's cache may be of a file that has been replaced.
        cache: 'no-store',
      });
      return await rangeOf(response, { host, name, length }, patience);
    } catch (thrown) {
      if (patience.silence) throw { code: 'host', message: patience.silence.message } satisfies TableFailure;
      if (thrown instanceof Error) throw { code: 'host', message: `${host} does not answer, sends this page on to another address, or does not let it read its files (CORS)` } satisfies TableFailure;
      throw thrown;
    } finally {
      patience.end();
    }
  }
}

/** The bytes that a host answers with when it is asked for so many of a table; null if it does not have the table. */
async function rangeOf(response: Response, { host, name, length }: { host: string; name: string; length: number }, patience: Patience): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.status === 404 || response.status === 410) return null;
  // The range begins behind the end of the file.
  if (response.status === 416) return new Uint8Array();
  if (response.status === 200) {
    await response.body?.cancel();
    throw { code: 'host', message: `${host} sends whole files and no parts of them (byte ranges), so its tables cannot be read from here` } satisfies TableFailure;
  }
  if (response.status !== 206) throw { code: 'host', message: `${host} refuses ${name}.egp (status ${response.status})` } satisfies TableFailure;
  const chunks: Uint8Array[] = [];
  let got = 0;
  for await (const chunk of chunksOf(response, patience)) {
    chunks.push(chunk);
    got += chunk.length;
    if (got > length) throw { code: 'host', message: `${host} sends more of ${name}.egp than it was asked for` } satisfies TableFailure;
  }
  return joined(chunks);
}
