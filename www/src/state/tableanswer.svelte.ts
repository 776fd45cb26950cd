// What the tables say about one position. Late answers about another position are dropped.
import { TableError } from '../tables/client';
import type { TableVerdict } from '../tables/protocol';
import { tableSentence, type TableStore } from './tablestore.svelte';

export class TableAnswer {
  /** The position that was asked about last. */
  fen = $state('');
  /** Null while the answer is awaited, and where there is none. */
  verdict = $state.raw<TableVerdict | null>(null);
  /** The material whose table is missing, such as `KRvKR`; empty otherwise. */
  missing = $state('');
  /** Why no table can know the position, in one sentence; empty otherwise. */
  trouble = $state('');
  isAsking = $state(false);

  private readonly store: TableStore;
  private round = 0;

  constructor(store: TableStore) {
    this.store = store;
  }

  /** Asks about a position. Resolves with its verdict, or null if there is none or another position was asked meanwhile. */
  async ask(fen: string): Promise<TableVerdict | null> {
    const round = ++this.round;
    if (fen !== this.fen) this.verdict = null;
    this.fen = fen;
    this.isAsking = true;
    const answer = await this.answer(fen);
    if (round !== this.round) return null;
    Object.assign(this, { ...NONE, ...answer, isAsking: false });
    return this.verdict;
  }

  private async answer(fen: string): Promise<Partial<Pick<TableAnswer, 'verdict' | 'missing' | 'trouble'>>> {
    try {
      return { verdict: await this.store.client.call('verdict', { fen }) };
    } catch (error) {
      // A damaged table was removed, and can be made again.
      void this.store.refresh();
      return error instanceof TableError && error.code === 'missing' ? { missing: error.message } : { trouble: tableSentence(error) };
    }
  }
}

const NONE = { verdict: null, missing: '', trouble: '' };
