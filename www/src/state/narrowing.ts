// Narrows the matches: a click on a count, a move or a position joins a condition to the query, or a part to the selection.
// The engine composes the two; the click gets its entry in the history at once.
import type { Composition, Group, NextMove, Part } from '../engine/protocol';
import type { Tab } from './address';
import type { App } from './app.svelte';
import { bare } from './explorer.svelte';

export class Narrowing {
  private readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  /** Narrows the matches to those where `condition` holds too, and shows them on a tab. */
  async narrow(condition: string, tab: Tab): Promise<void> {
    const { search } = this.app;
    this.app.show(tab);
    await this.askBoth(search.answered, condition, search.question.parts);
  }

  /** Runs `query` and `condition` combined: at one position if one query can express that, otherwise each at its own. */
  async askBoth(query: string, condition: string, parts: readonly Part[] = []): Promise<void> {
    await this.askComposed(query, condition, parts, ({ together, apart }) => this.app.put(together ?? apart, parts, 'replace'));
  }

  /**
   * Shows the games of a count. If a condition of the language can express the value at the same position, this
   * condition joins the query; otherwise the value becomes a part of the selection.
   */
  async narrowToGroup(group: Group): Promise<void> {
    const { app } = this;
    const { answered, question, counted } = app.search;
    const parts: readonly Part[] = [...question.parts, { by: 'value', key: counted, value: group.name }];
    app.show('games');
    if (group.condition === null) await app.ask(answered, parts);
    else {
      await this.askComposed(answered, group.condition, question.parts, ({ together }) => {
        if (together === null) app.put(answered, parts, 'replace');
        else app.put(together, question.parts, 'replace');
      });
    }
  }

  /** Shows the games that continued with a move. */
  async narrowToMove(move: NextMove): Promise<void> {
    const { search, explorer } = this.app;
    const { position, among, condition } = explorer;
    const { answered, question } = search;
    const part: Part = { by: 'next', code: move.code, san: move.san, position: '' };
    this.app.show('games');
    if (position === '') {
      // Only next moves count the start of a game. A game that matches only there is no match of the
      // query, so the selection begins with all games.
      const starts = search.result !== null && (search.result.next?.games ?? 0) > search.result.games;
      if (starts) await this.app.ask(condition, [...question.parts, { ...part, position: answered }]);
      else await this.askGames(answered, condition, [...question.parts, part]);
    } else if (among) await this.askGames(answered, condition, [...question.parts, { ...part, position: `fen "${position}"` }]);
    else {
      search.within = '';
      await this.askGames(`fen "${bare(move.fen)}"`, condition, [{ ...part, position: `fen "${position}"` }]);
    }
  }

  /** Shows the games behind a cell of a table. */
  async narrowToCondition(condition: string): Promise<void> {
    const { answered, question } = this.app.search;
    this.app.show('games');
    await this.askGames(condition, answered, question.parts);
  }

  /** Searches for the position on the board or a part of it, alone or together with the present query. */
  async searchPosition(condition: string, how: 'replace' | 'add'): Promise<void> {
    const { app } = this;
    if (app.panels.isShown('explorer')) app.show('games');
    if (how === 'replace') await app.ask(condition);
    else await this.askBoth(app.search.query, condition, app.search.parts);
  }

  /** Runs a query on the games that fulfil a condition. */
  private async askGames(query: string, condition: string, parts: readonly Part[]): Promise<void> {
    if (condition === '') await this.app.ask(query, parts);
    else await this.askComposed(query, condition, parts, ({ apart }) => this.app.put(apart, parts, 'replace'));
  }

  /** Lets the engine compose a query and another condition, then runs what `put` makes of the two. */
  private async askComposed(query: string, condition: string, parts: readonly Part[], put: (composition: Composition) => void): Promise<void> {
    const { client, search } = this.app;
    const signal = search.expect();
    this.app.put(query, parts, 'push', true);
    // If the engine fails here, the search below fails too and reports it.
    const composition = await client.call('compose', { query, condition }, { signal }).catch(() => null);
    if (signal.aborted) return;
    if (composition) put(composition);
    await search.run();
  }
}
