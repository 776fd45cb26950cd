// Gives the engine the tables on this device, so that queries can ask them: when they are first known, and whenever they are
// others.
import type { EngineClient } from '../engine/client';
import type { TableStore } from './tablestore.svelte';

export class QueryTables {
  private readonly client: EngineClient;
  private readonly given: () => void;
  private giving: Promise<void> = Promise.resolve();
  private hasGiven = false;

  /** `given` is called whenever the engine has other tables. */
  constructor(client: EngineClient, given: () => void) {
    this.client = client;
    this.given = given;
  }

  follow(store: TableStore): void {
    store.onchange = () => {
      this.giving = this.giving.then(() => this.give(store));
    };
  }

  /** Resolves once the engine has all tables of a store. */
  async ready(store: TableStore): Promise<void> {
    await store.ready;
    await this.giving;
  }

  private async give(store: TableStore): Promise<void> {
    // The engine begins without tables.
    if (store.here.names.length === 0 && !this.hasGiven) return;
    this.hasGiven = true;
    try {
      await this.client.call('tables', { files: await store.client.call('files', {}) });
      this.given();
    } catch {
      // An engine or a worker that has stopped says so where it is asked.
    }
  }
}
