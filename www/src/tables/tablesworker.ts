// The worker of tables: it makes them, keeps them, and answers questions about positions. It is the only part of the site
// that may send requests to another host, and does so only after the user has named that host.
import { FirstTrap } from '../engine/trap';
import { loadTables, type Tables, type TablesBuild } from './build';
import { stoppedBecause, type MakingProgress, type Need, type TableFailure, type TableMethod, type TableMethods, type TableReply, type TableRequest, type TablesHere, type TableValue } from './protocol';
import { TableFolder } from './ranges';
import { TableServer } from './server';
import { TableStorage } from './storage';

/** How many pieces the tables that are made here have at most. */
const MADE_PIECES = 4;
/** A host that is tried is asked about it. */
const ANY_POSITION = '8/8/8/8/8/2k5/1R6/K7 w - - 0 1';
const ANY_TABLE = 'KQvK';
const HEADER_BYTES = 64;
/** A file with more bytes is checked at its beginning only, and each block when it is read. */
const CHECKED_BYTES = 32 << 20;
/** The bytes of tables that are fetched for a query at most. */
const MOST_FETCHED_BYTES = 256 << 20;
/** The most rounds of one question: the longest line asks twice for each of its moves. */
const MOST_ROUNDS = 1200;
/** The message of a panic ends before. */
const MOST_PANIC_BYTES = 240;

interface Running {
  build: TablesBuild;
  tables: Tables;
  storage: TableStorage;
  /** Where the module keeps the message of a panic. */
  panicAt: number;
}

let running: Running | null = null;
let folder: TableFolder | null = null;
let server: TableServer | null = null;
/** Tables that could not be stored. */
const unkept = new Map<string, Blob>();
/** Tables that nobody had when they were needed. */
const absent = new Set<string>();
/** What went wrong with tables, one sentence each. */
const notes = new Set<string>();
/** Whether the tables that are being made shall stop; null while none are made. */
let isStopping: boolean | null = null;

type Handlers = { [M in TableMethod]: (params: TableMethods[M]['params'], report: (progress: MakingProgress) => void) => Promise<TableMethods[M]['result']> };

const handlers: Handlers = {
  async hello({ threads }) {
    const [build, storage] = await Promise.all([loadTables(threads), TableStorage.open()]);
    running = { build, tables: new build.wasm.Tables(), storage, panicAt: build.wasm.panicAddress() };
    const { buffer } = build.memory;
    const stop = buffer instanceof ArrayBuffer ? null : new Uint8Array(buffer, build.wasm.stopAddress(), 1);
    return { threads: build.threads, stop, here: here() };
  },

  async list() {
    return here();
  },

  async make(_, report) {
    const { build, tables } = started();
    if (isStopping !== null) throw { code: 'bad-input', message: 'tables are being made already' } satisfies TableFailure;
    isStopping = false;
    const start = performance.now();
    try {
      const plan = build.wasm.Tables.plan(MADE_PIECES).filter(({ name }) => !isHere(name));
      const whole = plan.reduce((sum, { weight }) => sum + weight, 0);
      let weight = 0;
      for (const [done, table] of plan.entries()) {
        const elapsed = performance.now() - start;
        report({ done, total: plan.length, name: table.name, left_ms: weight > 0 ? (elapsed * (whole - weight)) / weight : null });
        await generate(tables, table.name);
        await pause();
        await keep(table.name, new Blob([tables.pack(table.name) as Uint8Array<ArrayBuffer>]));
        weight += table.weight;
      }
      return { ...here(), memory_bytes: build.memory.buffer.byteLength };
    } catch (thrown) {
      // A trap is noted before anything else fails because of it.
      throw failure(thrown);
    } finally {
      isStopping = null;
      tables.forgetGenerated();
    }
  },

  async stop() {
    if (isStopping !== null) isStopping = true;
    return null;
  },

  async take({ files }) {
    notes.clear();
    const { Tables } = started().build.wasm;
    for (const file of files) {
      try {
        const head = new Uint8Array(await file.slice(0, CHECKED_BYTES).arrayBuffer());
        await keep(Tables.check(head, file.name, file.size), file);
      } catch (thrown) {
        // The other files go on.
        notes.add(failure(thrown).message);
      }
    }
    return here();
  },

  async files() {
    // Without a call to the module: this is also asked after it has stopped.
    return names().flatMap((name) => {
      const content = unkept.get(name) ?? started().storage.file(name);
      return content ? [{ name, content }] : [];
    });
  },

  async fetch({ materials }) {
    if (!folder) throw { code: 'host', message: 'no folder of tables is in use' } satisfies TableFailure;
    const { Tables } = started().build.wasm;
    notes.clear();
    let left = MOST_FETCHED_BYTES;
    for (const name of Tables.neededBy(materials).filter((one) => !isHere(one))) {
      const file = await folder.whole(name, left);
      if (!file) continue;
      left -= file.size;
      await keep(Tables.check(new Uint8Array(await file.slice(0, CHECKED_BYTES).arrayBuffer()), `${name}.egp`, file.size), file);
    }
    return here();
  },

  async remove() {
    const { storage, tables } = started();
    if (isStopping !== null) throw { code: 'bad-input', message: 'tables are being made; stop that first' } satisfies TableFailure;
    for (const name of storage.names) await storage.remove(name);
    tables.free();
    running = { ...started(), tables: new (started().build.wasm.Tables)() };
    for (const gone of [absent, unkept, notes]) gone.clear();
    return here();
  },

  async use({ folder: place, server: address }) {
    const nextFolder = place === '' ? null : new TableFolder(place);
    const nextServer = address === '' ? null : new TableServer(address);
    // A host that has no such table is a host all the same.
    await nextFolder?.read(ANY_TABLE, 0, HEADER_BYTES);
    await nextServer?.verdict(ANY_POSITION).catch((thrown: unknown) => (failure(thrown).code === 'missing' ? null : Promise.reject(thrown)));
    [folder, server] = [nextFolder, nextServer];
    for (const name of absent) started().tables.forget(name);
    absent.clear();
    return null;
  },

  async verdict({ fen }) {
    return answered((tables) => tables.verdict(fen), (other) => other.verdict(fen));
  },

  async line({ fen }) {
    const { Tables } = started().build.wasm;
    return answered((tables) => tables.line(fen), (other) => other.line(fen, (from, uci) => Tables.after(from, uci)));
  },

  async map({ fen, square }) {
    const { Tables } = started().build.wasm;
    const { squares } = await answered((tables) => tables.map(fen, square));
    return { squares: await completed(squares, Tables.elsewhere(fen, square)) };
  },

  async values({ fens }) {
    const { values } = await answered((tables) => tables.values(fens));
    return { values: await completed(values, fens) };
  },

  async statistics({ material }) {
    return answered((tables) => tables.statistics(material));
  },
};

function started(): Running {
  if (!running) throw { code: 'engine', message: 'the tables are not running. Reload the page' } satisfies TableFailure;
  return running;
}

const isHere = (name: string) => unkept.has(name) || started().storage.file(name) !== null;

const names = () => [...started().storage.names, ...unkept.keys()];

function here(): TablesHere {
  const { build, storage } = started();
  const plan = build.wasm.Tables.plan(MADE_PIECES);
  return {
    names: names(),
    bytes: [...unkept.values()].reduce((sum, { size }) => sum + size, storage.bytes),
    missing: plan.filter(({ name }) => !isHere(name)).length,
    kept: unkept.size > 0 || !storage.lasting ? 'memory' : 'device',
    notes: [...notes],
  };
}

/** Keeps a table on the device, or else in memory, and says why. */
async function keep(name: string, content: Blob): Promise<void> {
  const { storage, tables } = started();
  unkept.delete(name);
  if (!(await storage.keep(name, content))) {
    unkept.set(name, content);
    notes.add(storage.note);
  }
  absent.delete(name);
  tables.forget(name);
}

/** Lets the worker read its messages, among them the one that stops tables from being made. */
async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  if (isStopping) throw { code: 'cancelled', message: 'cancelled' } satisfies TableFailure;
}

/** Generates a table, and first what it needs: that may have been made and stored before. */
async function generate(tables: Tables, name: string): Promise<void> {
  for (;;) {
    await pause();
    try {
      return tables.generate(name);
    } catch (thrown) {
      const { code, message } = failure(thrown);
      if (code !== 'missing' || message === name) throw thrown;
      await generate(tables, message);
    }
  }
}

/** The bytes of a table, from this device or the folder; null if nobody has the table. */
async function bytesOf({ table, offset, length }: Need): Promise<Uint8Array<ArrayBuffer> | null> {
  const kept = unkept.get(table) ?? started().storage.file(table);
  if (kept) return new Uint8Array(await kept.slice(offset, offset + length).arrayBuffer());
  return folder ? folder.read(table, offset, length) : null;
}

/** Supplies what a question needs. A table on this device that is damaged is removed, so that it can be made again. */
async function supply(need: Need): Promise<void> {
  const { tables, storage } = started();
  const { table, offset } = need;
  try {
    const bytes = await bytesOf(need);
    if (bytes) return tables.supply(table, offset, bytes);
    absent.add(table);
    tables.setAbsent(table);
  } catch (thrown) {
    const { code, message } = failure(thrown);
    tables.forget(table);
    // A file that was deleted or replaced in another tab cannot be read any more.
    if (!isHere(table) || (code !== 'damaged' && !(thrown instanceof DOMException))) throw thrown;
    unkept.delete(table);
    await storage.remove(table);
    notes.add(`${message}. The table was removed`);
  }
}

/** Questions one after another: what one of them needs is asked for and supplied before the next one begins. */
let last: Promise<unknown> = Promise.resolve();

/** Asks the tables until they have what they need; if a table is missing, asks the server. */
async function answered<T extends object>(ask: (tables: Tables) => T | Need[], askServer?: (other: TableServer) => Promise<T>): Promise<T> {
  const answer = last.then(() => supplied(ask));
  last = answer.catch(() => undefined);
  try {
    return await answer;
  } catch (thrown) {
    if (!server || !askServer || failure(thrown).code !== 'missing') throw thrown;
    return askServer(server);
  }
}

async function supplied<T extends object>(ask: (tables: Tables) => T | Need[]): Promise<T> {
  let isReplaced = false;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const answer = ask(started().tables);
    if (!Array.isArray(answer)) return answer;
    const failures = await Promise.all(answer.map((need) => supply(need).then(() => null, failure)));
    const failed = failures.find((one) => one !== null);
    // A table of a host may have been replaced while it was read; then it is read anew, once.
    if (failed && (failed.code !== 'damaged' || isReplaced)) throw failed;
    isReplaced ||= failed !== undefined;
  }
  throw { code: 'damaged', message: 'the tables do not end with what they need; remove them and make them again' } satisfies TableFailure;
}

/** Values, those that no table here knows from the server. */
async function completed(values: (TableValue | null)[], fens: readonly (string | null)[]): Promise<(TableValue | null)[]> {
  const unknown = fens.map((fen, nth) => (values[nth] ? null : fen));
  if (!server || unknown.every((fen) => fen === null)) return values;
  const found = await server.values(unknown);
  return values.map((value, nth) => value ?? found[nth] ?? null);
}

const CODES: readonly TableFailure['code'][] = ['cancelled', 'missing', 'damaged', 'bad-input', 'host', 'engine'];

const trap = new FirstTrap();

/** What a panic of the module said; empty if there was none. */
function panicMessage(): string {
  if (!running) return '';
  const { build, panicAt } = running;
  const bytes = new Uint8Array(build.memory.buffer, panicAt, MOST_PANIC_BYTES).slice();
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

/** Anything thrown, as a code and a sentence. */
function failure(thrown: unknown): TableFailure {
  const cause = trap.causeOf(thrown);
  if (cause !== null) return { code: 'engine', message: stoppedBecause(panicMessage() || cause) };
  const { code, message } = typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown; message?: unknown }) : {};
  const text = typeof message === 'string' && message !== '' ? message : String(thrown);
  return { code: CODES.find((known) => known === code) ?? 'engine', message: text };
}

async function serve<M extends TableMethod>(request: { number: number; method: M; params: TableMethods[M]['params'] }): Promise<void> {
  const { number, method, params } = request;
  try {
    post({ number, state: 'done', result: await handlers[method](params, (progress) => post({ number, state: 'progress', progress })) });
  } catch (thrown) {
    post({ number, state: 'failed', failure: failure(thrown) });
  }
}

function post(reply: TableReply): void {
  self.postMessage(reply);
}

self.onmessage = ({ data }: MessageEvent<TableRequest>) => void serve(data);
