// The worker of tables: it makes them, keeps them, and answers questions about positions. It is the only part of the site
// that may send requests to another host, and does so only after the user has named that host.
import { loadTables, type Tables, type TablesBuild } from './build';
import type { Need, TableFailure, TableMethod, TableMethods, TableReply, TableRequest, TablesHere, TableValue } from './protocol';
import { TableServer } from './server';

/** How many pieces the tables that are made here have at most. */
const MADE_PIECES = 4;

interface Running {
  build: TablesBuild;
  tables: Tables;
}

/** A server that is tried is asked about it. */
const ANY_POSITION = '8/8/8/8/8/2k5/1R6/K7 w - - 0 1';

let running: Running | null = null;
let server: TableServer | null = null;
let names: string[] = [];
let bytes = 0;
/** Whether the tables that are being made shall stop; null while none are made. */
let isStopping: boolean | null = null;

type Handlers = { [M in TableMethod]: (params: TableMethods[M]['params'], report: (progress: TableReply & { state: 'progress' }) => void, number: number) => Promise<TableMethods[M]['result']> };

const handlers: Handlers = {
  async hello({ threads }) {
    const build = await loadTables(threads);
    running = { build, tables: new build.wasm.Tables() };
    const { buffer } = build.memory;
    const stop = buffer instanceof ArrayBuffer ? null : new Uint8Array(buffer, build.wasm.stopAddress(), 1);
    return { threads: build.threads, stop, here: here() };
  },

  async list() {
    return here();
  },

  async make(_, report, number) {
    const { build, tables } = started();
    if (isStopping !== null) throw { code: 'bad-input', message: 'tables are being made already' } satisfies TableFailure;
    isStopping = false;
    const start = performance.now();
    try {
      const plan = build.wasm.Tables.plan(MADE_PIECES).filter(({ name }) => !names.includes(name));
      const whole = plan.reduce((sum, { weight }) => sum + weight, 0);
      let weight = 0;
      for (const [done, table] of plan.entries()) {
        const elapsed = performance.now() - start;
        const left_ms = weight > 0 ? (elapsed * (whole - weight)) / weight : null;
        report({ number, state: 'progress', progress: { done, total: plan.length, name: table.name, left_ms } });
        // Messages are read between two tables, among them the one that stops this.
        await new Promise((resolve) => setTimeout(resolve));
        if (isStopping) throw { code: 'cancelled', message: 'cancelled' } satisfies TableFailure;
        bytes += tables.make(table.name);
        names = [...names, table.name];
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

  async take() {
    return here();
  },

  async remove() {
    const { build } = started();
    running?.tables.free();
    running = { build, tables: new build.wasm.Tables() };
    [names, bytes] = [[], 0];
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

function here(): TablesHere {
  const plan = started().build.wasm.Tables.plan(MADE_PIECES);
  return { names, bytes, missing: plan.filter(({ name }) => !names.includes(name)).length, kept: 'memory', notes: [] };
}

/** Asks the tables on this device until they have what they need; if one is missing, asks the server. */
async function answered<T extends object>(ask: (tables: Tables) => T | Need[], askServer?: (other: TableServer) => Promise<T>): Promise<T> {
  try {
    const answer = ask(started().tables);
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
  return values.map((value, nth) => value ?? found.values[nth] ?? null);
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
