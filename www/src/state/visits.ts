// Makes the page show a place: at the start, when the user goes back, and when another corpus is opened or imported. The state
// changes before the engine gets a request, and nothing that comes late undoes what the user does meanwhile.
import { FIRST_KEY, formatPlace, NOWHERE, type Place, type Tab } from './address';
import { remember, remembered } from './lastcorpus';
import { isPasted } from './paste';
import type { App } from './app.svelte';
import { isCalled, isDemo } from './library.svelte';
import { showPlace } from './placefields';
import { LANGUAGE, mayHaveChanged } from './queryversion';

export class Visits {
  private readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  /** Shows a place. `before` is the corpus whose results are on the page. */
  async visit(address: Place, before = this.app.library.current?.id ?? null): Promise<void> {
    const { app } = this;
    let place = address;
    if (mayHaveChanged(address.query, address.language)) {
      const isLate = app.route.begin();
      place = { ...address, query: await app.inThisLanguage(address.query, address.language), language: LANGUAGE };
      if (isLate()) return;
    }
    const { explorer, library, route, search, transforms } = app;
    const isHere = this.find(place.corpus) !== undefined && !(place.carried && isPasted(place.corpus));
    if (library.engine && place.corpus && !place.turned && place.tabled === null && !isHere) {
      if (place.carried && (await this.visitCarried(place))) return;
      await this.visitMissing(place);
      return;
    }
    const { info } = app.published;
    // The empty address of a published library is its first page; a question without a corpus is about its first one.
    const first = info ? (place.query || place.turned || place.tabled !== null ? info.corpora[0] : undefined) : (library.find(remembered()) ?? library.corpora[0]);
    if (info && formatPlace(place) === '') library.leave();
    const wanted = this.find(place.corpus) ?? (library.current ?? first)?.id;
    const isLate = route.begin(wanted === undefined ? { phase: 'settled' } : { phase: 'opening', corpus: wanted });
    search.expect();
    showPlace(app, place);
    route.addressed = search.wanted();
    if (place.turned) void transforms.ask();
    if (place.tabled !== null) void this.fetchTables(place.tabled);
    const isOpen = wanted !== undefined && (await library.choose(wanted));
    if (isLate()) return;
    route.settle();
    if (!isOpen) {
      search.cancel();
      search.take(place.query, place.words);
      return;
    }
    if (before !== wanted) {
      search.reset();
      explorer.reset();
      app.replay.clear();
      void app.sets.fetch();
    }
    // If the address left out what is shown, or says it in older words, the entry would later lead to something else.
    if (before === null || place !== address) route.write('replace', { ply: place.ply, line: place.line });
    await this.fetch(place, isLate);
  }

  /** The id of the corpus that an address means, if it is here: one, or several of a library together. */
  private find(id: string): string | undefined {
    return this.app.library.find(id)?.id ?? (this.app.published.has(id) ? id : undefined);
  }

  private async fetchTables(fen: string): Promise<void> {
    const tablebase = await this.app.loadTablebase().catch(() => null);
    if (tablebase && fen !== '' && fen !== tablebase.board.fen) tablebase.board.show(fen);
  }

  /**
   * Shows that a link leads to games that this browser does not have. It imports the demo games by itself; other
   * games wait until the user imports their file.
   */
  private async visitMissing(place: Place): Promise<void> {
    const { app } = this;
    const isLate = app.route.begin({ phase: 'missing', place });
    app.library.leave();
    app.search.reset();
    app.explorer.reset();
    app.replay.clear();
    app.search.take(place.query, place.words);
    app.page = 'search';
    app.show(place.tab);
    app.chosen = null;
    if (!isDemo(place.corpus)) return;
    app.ready = true;
    const isImported = await app.library.importDemo();
    if (isImported && !isLate()) await this.imported(place, null);
  }

  /** Shows the game that a link carries, as a collection of its own; false if it carries none that can be read. */
  private async visitCarried(place: Place): Promise<boolean> {
    const { library } = this.app;
    const { unpackGame } = await import('./linkedgame');
    const game = unpackGame(place.carried);
    if (!game) return false;
    this.app.ready = true;
    const there = library.find(game.name)?.id;
    if (there === undefined && !(await library.importFiles([new File([game.pgn], `${game.name}.pgn`, { type: 'application/x-chess-pgn' })], game.name))) return false;
    const corpus = there ?? library.current?.id ?? '';
    remember(corpus);
    const { tab, position, follow, ply, line } = place;
    await this.visit({ ...NOWHERE, corpus, tab, position, follow, game: 0, ply, line }, null);
    return true;
  }

  /** Fetches what a place shows, without undoing what the user does meanwhile. */
  private async fetch(place: Place, isLate: () => boolean): Promise<void> {
    const { replay, route, search } = this.app;
    const asked = !search.isAnswered();
    search.cancel();
    route.visit = { phase: 'fetching', place };
    // If only the tab differs, the result may already be there.
    await (asked ? search.run() : search.show(search.tab, search.beside));
    // If the user has chosen another key meanwhile, that key stays.
    if (!isLate() && this.app.panels.isShown('counts') && place.key !== FIRST_KEY && search.key === place.key) await search.countBy(place.key);
    if (isLate()) return;
    route.settle();
    await this.app.askExplorer();
    if (asked || isLate() || this.app.chosen !== place.game) return;
    const game = place.game ?? search.order[0];
    const isSamePly = place.ply === replay.ply && place.line.length === 0 && replay.sideline === null;
    const isThere = game === replay.game?.row.id && !replay.isAwaited && (place.game === null || isSamePly);
    if (game !== undefined && !isThere) await this.app.showGame(game, place.ply, place.line);
  }

  /**
   * Opens another corpus and runs a query on all its games. The address changes at once, and changes back if the
   * corpus cannot be opened.
   */
  async goTo(id: string, query: string, tab: Tab): Promise<void> {
    const { library, route, search } = this.app;
    const isLate = route.begin();
    route.write('push', { corpus: id, query, within: '', parts: [], tab, game: null });
    search.expect();
    const isOpen = await library.choose(id);
    if (isLate()) return;
    if (!isOpen) {
      search.cancel();
      route.write('replace');
      // The search was cancelled for nothing, so it runs again.
      if (library.current && !search.isAnswered()) await search.run();
      return;
    }
    this.app.show(tab);
    search.text = query;
    await this.opened('replace');
  }

  /**
   * Shows the corpus that has just been imported: at the place of the link that waited for it, otherwise from the beginning. It is asked
   * the question that waited for games, and not one about other games.
   */
  async imported(missing: Place | null, before: string | null, question = before === null ? this.app.search.text : ''): Promise<void> {
    const id = this.app.library.current?.id ?? '';
    if (missing && isCalled(id, missing.corpus)) {
      remember(id);
      await this.visit({ ...missing, corpus: id }, before);
    } else {
      this.app.route.begin();
      this.app.search.take(question);
      await this.opened('push');
    }
  }

  /** Shows the corpus that has just been opened. */
  private async opened(how: 'push' | 'replace'): Promise<void> {
    const { app } = this;
    const { explorer, route, search } = app;
    remember(app.library.current?.id ?? '');
    search.reset();
    explorer.reset();
    // Sets and parts belong to the previous corpus.
    search.within = '';
    search.parts = [];
    app.replay.clear();
    app.chosen = null;
    route.addressed = search.wanted();
    route.write(how);
    void app.sets.fetch();
    await search.run();
    // The explorer's position needs no result: the query may name somebody whom this corpus does not know.
    await app.askExplorer();
  }
}
