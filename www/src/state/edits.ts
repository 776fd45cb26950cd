// Changes the conditions of the query, one change after the other: each begins with what the one before has made.
import type { Change, Condition } from '../engine/protocol';
import type { App } from './app.svelte';

export class Edits {
  private readonly app: App;
  private last: Promise<void> = Promise.resolve();

  constructor(app: App) {
    this.app = app;
  }

  /** Asks the query with a change; `make` gets the conditions as they are then, and returns null for none. */
  change(make: (conditions: readonly Condition[]) => Change | null): Promise<void> {
    const signal = this.app.search.expect();
    this.last = this.last.then(() => this.one(make, signal));
    return this.last;
  }

  private async one(make: (conditions: readonly Condition[]) => Change | null, signal: AbortSignal): Promise<void> {
    const { search } = this.app;
    const { query, text: before } = search;
    const text = await this.changed(query, make).catch(() => null);
    const conditions = text && text !== query ? await this.conditions(text).catch(() => []) : [];
    // Who types meanwhile means what is typed, even if it is a space yet.
    if (text !== null && text !== query && search.query === query && search.text === before) {
      void this.app.ask(text, search.parts);
      // The form and the cards go on from what is asked now.
      search.outline = { query: text, conditions };
    } else if (!signal.aborted && search.isAnswered()) search.cancel();
    else if (!signal.aborted) void search.run();
  }

  private async changed(query: string, make: (conditions: readonly Condition[]) => Change | null): Promise<string | null> {
    const change = make(await this.conditions(query));
    return change && this.app.client.call('changed', { query, change });
  }

  /** The conditions of a query; an error for a text that is none. */
  private async conditions(query: string): Promise<readonly Condition[]> {
    const conditions = query === '' ? [] : await this.app.client.call('conditions', { query });
    if (!conditions) throw new Error('this is no query');
    return conditions;
  }
}
