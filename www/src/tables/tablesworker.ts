// The worker of tables: it makes them, keeps them, and answers questions about positions. It is the only part of the site
// that may send requests to another host, and does so only after the user has named that host.
import { loadTables, type Tables, type TablesBuild } from './build';
import type { Need, TableFailure, TableMethod, TableMethods, TableReply, TableRequest, TablesHere, TableValue } from './protocol';
import { TableServer } from './server';
import { TableStorage } from './storage';

/** How many pieces the tables that are made here have at most. */
const MADE_PIECES = 4;

interface Running {
  build: TablesBuild;
  tables: Tables;
  storage: TableStorage;
}

/** A server that is tried is asked about it. */
const ANY_POSITION = '8/8/8/8/8/2k5/1R6/K7 w - - 0 1';

let running: Running | null = null;
let server: TableServer | null = null;
/** Bytes of the tables that are in memory alone. */
const unkept = new Map<string, number>();
/** The tables in the memory of the worker. */
const loaded = new Set<string>();
/** What went wrong with tables, one sentence each. */
const notes = new Set<string>();
/** Whether the tables that are being made shall stop; null while none are made. */
let isStopping: boolean | null = null;

type Handlers = { [M in TableMethod]: (params: TableMethods[M]['params'], report: (progress: TableReply & { state: 'progress' }) => void, number: number) => Promise<TableMethods[M]['result']> };

const handlers: Handlers = {
  async hello({ threads }) {
    const [build, storage] = await Promise.all([loadTables(threads), TableStorage.open()]);
    running = { build, tables: new build.wasm.Tables(), storage };
    const { buffer } = build.memory;
    const stop = buffer instanceof ArrayBuffer ? null : new Uint8Array(buffer, build.wasm.stopAddress(), 1);
    return { threads: build.threads, stop, here: here() };
  },

  async list() {
    return here();
  },

  async make(_, report, number) {
    const { build } = started();
    if (isStopping !== null) throw { code: 'bad-input', message: 'tables are being made already' } satisfies TableFailure;
    isStopping = false;
    const start = performance.now();
    try {
      const plan = build.wasm.Tables.plan(MADE_PIECES).filter(({ name }) => !isHere(name));
      const whole = plan.reduce((sum, { weight }) => sum + weight, 0);
      let weight = 0;
      for (const [done, table] of plan.entries()) {
        const elapsed = performance.now() - start;
        const left_ms = weight > 0 ? (elapsed * (whole - weight)) / weight : null;
        report({ number, state: 'progress', progress: { done, total: plan.length, name: table.name, left_ms } });
        // Messages are read between two tables, among them the one that stops this.
        await new Promise((resolve) => setTimeout(resolve));
        if (isStopping) throw { code: 'cancelled', message: 'cancelled' } satisfies TableFailure;
        await keep(table.name, await withTables((tables) => tables.make(table.name)));
        weight += table.weight;
      }
      return { ...here(), elapsed_ms: performance.now() - start, memory_bytes: build.memory.buffer.byteLength };
    } finally {
      isStopping = null;
    }
  },

  async stop() {
    if (isStopping !== null) isStopping = true;
    return null;
  },

  async take({ files }) {
    notes.clear();
    for (const file of files) {
      try {
        const bytes = new Uint8Array(await file.arrayBuffer());
        await keep(started().tables.add(bytes, file.name), bytes);
      } catch (thrown) {
        // The other files go on.
        notes.add(failure(thrown).message);
      }
    }
    return here();
  },

  async remove() {
    const { build, storage, tables } = started();
    if (isStopping !== null) throw { code: 'bad-input', message: 'tables are being made; stop that first' } satisfies TableFailure;
    for (const name of storage.names) await storage.remove(name);
    tables.free();
    running = { build, storage, tables: new build.wasm.Tables() };
    for (const gone of [loaded, unkept, notes]) gone.clear();
    return here();
  },

  async use({ server: address }) {
    const next = address === '' ? null : new TableServer(address);
    // A server that has no such table is a server all the same.
    await next?.verdict(ANY_POSITION).catch((thrown: unknown) => (failure(thrown).code === 'missing' ? null : Promise.reject(thrown)));
    server = next;
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
    const map = await withStored(() => answered((tables) => tables.map(fen, square)));
    return { ...map, squares: await completed(map.squares, Tables.elsewhere(fen, square)) };
  },

  async values({ fens }) {
    const found = await withStored(() => answered((tables) => tables.values(fens)));
    return { ...found, values: await completed(found.values, fens) };
  },

  async statistics({ material }) {
    return answered((tables) => tables.statistics(material));
  },
};

function started(): Running {
  if (!running) throw { code: 'engine', message: 'the tables are not running. Reload the page' } satisfies TableFailure;
  return running;
}

const isHere = (name: string) => unkept.has(name) || started().storage.names.includes(name);

function here(): TablesHere {
  const { build, storage } = started();
  const plan = build.wasm.Tables.plan(MADE_PIECES);
  const sizes = [...unkept.values()].reduce((sum, size) => sum + size, storage.bytes);
  return {
    names: [...storage.names, ...unkept.keys()],
    bytes: sizes,
    missing: plan.filter(({ name }) => !isHere(name)).length,
    kept: unkept.size > 0 || !storage.lasting ? 'memory' : 'device',
    notes: [...notes],
  };
}

/** Keeps a table on the device, or else in memory, and says why. */
async function keep(name: string, bytes: Uint8Array): Promise<void> {
  const { storage } = started();
  loaded.add(name);
  unkept.delete(name);
  if (await storage.keep(name, bytes)) return;
  unkept.set(name, bytes.length);
  notes.add(storage.note);
}

/** Does something with the tables; if one is missing that is on the device, brings it into memory and tries again. */
async function withTables<T>(act: (tables: Tables) => T): Promise<T> {
  for (;;) {
    try {
      return act(started().tables);
    } catch (thrown) {
      const { code, message: name } = failure(thrown);
      if (code !== 'missing' || loaded.has(name) || !(await bring(name))) throw thrown;
    }
  }
}

/** Asks again as long as a table that is missing can be brought into memory. */
async function withStored<T extends { missing: string[] }>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const answer = await ask();
    let isOneBrought = false;
    for (const name of answer.missing) isOneBrought = (await bring(name)) || isOneBrought;
    if (!isOneBrought) return answer;
  }
}

/** Brings a stored table into memory; false if there is none. A damaged one is removed, so that it can be made again. */
async function bring(name: string): Promise<boolean> {
  const { storage, tables } = started();
  const bytes = await storage.read(name);
  if (!bytes) return false;
  try {
    tables.add(bytes, `${name}.egt`);
    loaded.add(name);
    return true;
  } catch (thrown) {
    await storage.remove(name);
    notes.add(`${failure(thrown).message}. It was removed`);
    return false;
  }
}

/** Asks the tables on this device until they have what they need; if one is missing, asks the server. */
async function answered<T extends object>(ask: (tables: Tables) => T | Need[], askServer?: (other: TableServer) => Promise<T>): Promise<T> {
  try {
    const answer = await withTables(ask);
    if (Array.isArray(answer)) throw { code: 'damaged', message: 'a table needs bytes that nobody has' } satisfies TableFailure;
    return answer as T;
  } catch (thrown) {
    if (!server || !askServer || failure(thrown).code !== 'missing') throw thrown;
    return askServer(server);
  }
}

/** Values, those that this device does not know from the server. */
async function completed(values: (TableValue | null)[], fens: readonly (string | null)[]): Promise<(TableValue | null)[]> {
  const unknown = fens.map((fen, nth) => (values[nth] ? null : fen));
  if (!server || unknown.every((fen) => fen === null)) return values;
  const found = await server.values(unknown);
  return values.map((value, nth) => value ?? found[nth] ?? null);
}

const CODES: readonly TableFailure['code'][] = ['cancelled', 'missing', 'damaged', 'bad-input', 'host', 'engine'];

/** Anything thrown, as a code and a sentence. */
function failure(thrown: unknown): TableFailure {
  const { code, message } = typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown; message?: unknown }) : {};
  const text = typeof message === 'string' && message !== '' ? message : String(thrown);
  return { code: CODES.find((known) => known === code) ?? 'engine', message: text };
}

async function serve<M extends TableMethod>(request: { number: number; method: M; params: TableMethods[M]['params'] }): Promise<void> {
  const { number, method, params } = request;
  try {
    post({ number, state: 'done', result: await handlers[method](params, post, number) });
  } catch (thrown) {
    post({ number, state: 'failed', failure: failure(thrown) });
  }
}

function post(reply: TableReply): void {
  self.postMessage(reply);
}

self.onmessage = ({ data }: MessageEvent<TableRequest>) => void serve(data);
