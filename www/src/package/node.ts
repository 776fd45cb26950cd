// The package `plyfold` in Node: the same engine in the program's own thread, without threads of its own. Files are read by path.
import { open as openFile, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadSingle, SINGLE_ADDRESS } from '../engine/build';
import { decoded } from '../engine/percent';
import { patientHost, type Host, type HostFailure } from '../published/host';
import { loadSingleTables, SINGLE_TABLES_ADDRESS } from '../tables/single';
import { TableFolder } from '../tables/ranges';
import { PlyfoldError, type Games, type GameSource, type OpenOptions, type Tables, type TablesOptions } from './api.js';
import { errorOf } from './client';
import { openGames, silenceOf } from './games';
import type { Engine, Failure, Listener, Method, Methods, Opening } from './protocol';
import { Session } from './session';
import { ProbedTables, type TableReader } from './tables';

export * from './api.js';

/** Opens games. Those of a published library are open as soon as the first part has arrived; the others follow. */
export async function open(source: GameSource, options: OpenOptions = {}): Promise<Games> {
  return openGames((listener) => new OwnThread(listener), await openingOf(source), options);
}

/** Opens the packed endgame tables in a folder of this machine, or of a host that sends files in parts. */
export function openTables(folder: URL | string, options: TablesOptions = {}): Tables {
  const silence_ms = silenceOf(options.silenceMs);
  const address = addressOf(folder instanceof URL || folder.endsWith('/') ? folder : `${folder}/`);
  return new ProbedTables(async () => loadSingleTables(silence_ms, await readFile(ownFile(SINGLE_TABLES_ADDRESS))), address.protocol === 'file:' ? filesOf(address) : new TableFolder(address.href, silence_ms));
}

class OwnThread implements Engine {
  private readonly session: Session;
  private next = 1;
  private isClosed = false;

  constructor(listener: Listener) {
    this.session = new Session(
      {
        loadBuild: async () => loadSingle(await readFile(ownFile(SINGLE_ADDRESS))),
        host: fileHost,
        readOwnFile: (address) => readFile(ownFile(address), 'utf8').catch(() => null),
        bytesOf: async (data, name) => {
          const bytes = data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data;
          return { name, size: bytes.length, bytes: [bytes] };
        },
      },
      listener,
    );
  }

  async call<M extends Method>(method: M, params: Methods[M]['params'], signal: AbortSignal = new AbortController().signal): Promise<Methods[M]['result']> {
    try {
      return await this.session.run(this.next++, method, params, signal);
    } catch (thrown) {
      if (signal.aborted) throw signal.reason;
      throw this.isClosed ? new PlyfoldError('closed', 'these games are closed') : errorOf(thrown as Failure);
    }
  }

  close(): void {
    this.isClosed = true;
    this.session.close();
  }
}

function ownFile(address: string): URL {
  return new URL(address, import.meta.url);
}

function addressOf(text: URL | string): URL {
  if (text instanceof URL) return text;
  if (!/^(https?|file):/.test(text)) return pathToFileURL(text);
  if (!URL.canParse(text)) throw new PlyfoldError('bad-input', `"${text}" is no address`);
  return new URL(text);
}

/** The path that an address of a file stands for. */
function pathOf(address: URL): string {
  try {
    return fileURLToPath(address);
  } catch (error) {
    throw new PlyfoldError('bad-input', `${address.href} is no file of this machine (${messageOf(error)})`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function openingOf(source: GameSource): Promise<Opening> {
  if (source instanceof Blob) return { data: source, name: source instanceof File ? source.name : 'the file' };
  // The program may change its bytes later.
  if (source instanceof Uint8Array) return { data: source.slice(), name: 'the file' };
  const address = addressOf(source);
  if (address.protocol !== 'file:' || address.pathname.endsWith('.json')) return { address: address.href };
  const path = pathOf(address);
  try {
    return { data: await readFile(path), name: basename(path) };
  } catch (error) {
    throw new PlyfoldError('bad-input', `${path} cannot be read (${messageOf(error)})`);
  }
}

/** Published libraries in folders, too. */
function fileHost(silence_ms: number): Host {
  return {
    async fetch(wanted, signal) {
      const address = new URL(wanted.url);
      if (address.protocol !== 'file:') return patientHost(silence_ms).fetch(wanted, signal);
      signal.throwIfAborted();
      try {
        const { from, length } = wanted.range ?? { from: 0, length: wanted.bytes };
        return { bytes: await partOf(address, from, length), isWhole: false };
      } catch (error) {
        throw { code: 'host', message: `${decoded(address.pathname)} cannot be read (${messageOf(error)})`, isPassing: false } satisfies HostFailure;
      }
    },
  };
}

/** The tables of a folder. */
function filesOf(folder: URL): TableReader {
  return {
    async read(name, offset, length) {
      try {
        return await partOf(new URL(`${name}.egp`, folder), offset, length);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw { code: 'host', message: `${name}.egp cannot be read (${messageOf(error)})` };
      }
    },
  };
}

/** Bytes of a file, fewer if it ends there. */
async function partOf(file: URL, from: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const opened = await openFile(file);
  try {
    const bytes = new Uint8Array(Math.min(length, Math.max(0, (await opened.stat()).size - from)));
    const { bytesRead } = await opened.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await opened.close();
  }
}
