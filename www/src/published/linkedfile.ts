// A file of games at any host, which a link names: its size, and the file itself. It is fetched here, and read by the import like a
// file of the user's own.
import { decoded } from '../engine/percent';
import { isHostFailure, type FileHost } from './host';

/** Larger files are for the command line. */
const MOST_BYTES = 4 * 2 ** 30;

/** How the loading of a file goes on. */
export interface FileListener {
  progress(bytes_done: number): void;
  /** Whether the user has cancelled it. */
  isCancelled(): boolean;
}

/** The size of a file in bytes; null if its host does not say. */
export async function sizeOfFile(host: FileHost, address: string): Promise<number | null> {
  return host.size(address, new AbortController().signal);
}

/** Fetches a file. It is called as its address calls it. */
export async function fetchFile(host: FileHost, address: string, listener: FileListener): Promise<File> {
  const abort = new AbortController();
  try {
    const blob = await host.file({ url: address, bytes: MOST_BYTES }, abort.signal, (bytes) => {
      listener.progress(bytes);
      if (listener.isCancelled()) abort.abort();
    });
    abort.signal.throwIfAborted();
    return new File([blob], nameOf(address));
  } catch (thrown) {
    if (abort.signal.aborted) throw { code: 'cancelled', message: 'cancelled' };
    if (isHostFailure(thrown)) throw { code: 'host', message: thrown.message };
    throw thrown;
  }
}

function nameOf(address: string): string {
  return decoded(new URL(address).pathname.split('/').pop() ?? '') || 'games.pgn';
}
