// Endgame tables of the package: positions are probed where the package is called, with parts of tables that a reader brings.
import type { TablesBuild } from '../tables/single';
import { PlyfoldError, type ErrorCode, type Tables, type Verdict } from './api';

/** A position and its moves need a few parts of a few tables. */
const MOST_ROUNDS = 100;

/** Where tables come from. */
export interface TableReader {
  /** Bytes of a table's file, fewer if it ends there; null if there is no such table. */
  read(name: string, offset: number, length: number): Promise<Uint8Array | null>;
}

export class ProbedTables implements Tables {
  private readonly reader: TableReader;
  private readonly load: () => Promise<TablesBuild>;
  private tables: Promise<InstanceType<TablesBuild['wasm']['Tables']>> | null = null;
  /** Positions are probed one after another: what one needs is there for the next. */
  private last: Promise<unknown> = Promise.resolve();
  private isClosed = false;

  constructor(load: () => Promise<TablesBuild>, reader: TableReader) {
    this.load = load;
    this.reader = reader;
  }

  probe(fen: string): Promise<Verdict> {
    const verdict = this.last.then(() => this.probed(fen)).catch((thrown: unknown) => Promise.reject(errorOf(thrown)));
    this.last = verdict.catch(() => undefined);
    return verdict;
  }

  close(): void {
    this.isClosed = true;
    void this.last.then(async () => (await this.tables)?.free());
  }

  private async probed(fen: string): Promise<Verdict> {
    this.tables ??= this.load().then(({ wasm }) => new wasm.Tables());
    // Loading is tried again when it has failed.
    const tables = await this.tables.catch((error: unknown) => {
      this.tables = null;
      throw error;
    });
    for (let round = 0; round < MOST_ROUNDS; round++) {
      if (this.isClosed) throw new PlyfoldError('closed', 'these tables are closed');
      const answer = tables.verdict(fen);
      if (!Array.isArray(answer)) {
        return { material: answer.material, ...answer.value, replies: answer.moves.map(({ uci, value }) => ({ uci, ...value })) };
      }
      for (const { table, offset, length } of answer) {
        const bytes = await this.reader.read(table, offset, length);
        if (bytes) tables.supply(table, offset, bytes);
        else tables.setAbsent(table);
      }
    }
    throw new PlyfoldError('bad-corpus', 'the tables do not end with what they need');
  }
}

const CODES: Record<string, ErrorCode> = { missing: 'no-table', damaged: 'bad-corpus', 'bad-input': 'bad-input', host: 'host' };

/** Anything thrown, as an error of the package. */
function errorOf(thrown: unknown): PlyfoldError {
  if (thrown instanceof PlyfoldError) return thrown;
  const { code, message } = typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown; message?: unknown }) : {};
  const known = CODES[String(code)] ?? 'engine';
  return new PlyfoldError(known, known === 'no-table' ? `there is no table ${String(message)} in this folder` : typeof message === 'string' && message !== '' ? message : String(thrown));
}
