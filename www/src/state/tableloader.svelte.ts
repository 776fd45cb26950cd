// Loads the page's part about tables when it is first needed, and lets queries have its tables.
import type { EngineClient } from '../engine/client';
import type { Published } from './published.svelte';
import { QueryTables } from './querytables';
import { hadTables } from './tablememory';
import type { Tablebase } from './tablestart';

export class TableLoader {
  /** Null until tables are needed. */
  tablebase = $state.raw<Tablebase | null>(null);

  private readonly client: EngineClient;
  private readonly published: Published;
  private readonly threads: number | null;
  private readonly queryTables: QueryTables;
  private loading: Promise<Tablebase> | null = null;

  /** `threads` as for the engine. `given` is called whenever the engine has other tables. */
  constructor(client: EngineClient, published: Published, threads: number | null, given: () => void) {
    this.client = client;
    this.published = published;
    this.threads = threads;
    this.queryTables = new QueryTables(client, given);
  }

  /** Loads everything about tables, once. */
  load(): Promise<Tablebase> {
    this.loading ??= import('./tablestart').then(({ makeTablebase }) => {
      this.tablebase = makeTablebase(this.threads, this.client);
      this.queryTables.follow(this.tablebase.store);
      const folder = this.published.info?.tables;
      if (folder) void this.tablebase.store.use({ folder, server: '' });
      return this.tablebase;
    });
    this.loading.catch(() => (this.loading = null));
    return this.loading;
  }

  /** Loads the tables if this browser had some on the last visit. */
  recall(): void {
    // What cannot be loaded is said where tables are asked for.
    if (hadTables()) void this.load().catch(() => null);
  }

  /** Lets the engine have the tables of this device before a query asks them. A browser that had none loads nothing of tables. */
  async bring(): Promise<void> {
    if (!this.tablebase && !hadTables()) return;
    const tablebase = await this.load().catch(() => null);
    if (tablebase) await this.queryTables.ready(tablebase.store);
  }
}
