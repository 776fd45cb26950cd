// Joins library, search and replay, and keeps the address in step with them. Views call the methods of
// this class. Only this class writes the address, and only this class reads it.
import type { EngineClient } from '../engine/client';
import type { Arrived, Composition, CorpusInfo, Group, Key, NextMove, Part, Predicate, Question } from '../engine/protocol';
import { Annotations } from './annotations.svelte';
import { FIRST_KEY, formatPlace, NOWHERE, parsePlace, type Place, type Tab } from './address';
import { bare, Explorer } from './explorer.svelte';
import type { Analysis } from './analysis.svelte';
import type { Evaluations } from './evaluations.svelte';
import { ANY } from './gamefilter';
import { AddressHistory } from './history';
import type { Language } from './language';
import { LanguageChoice } from './languagechoice.svelte';
import { isCalled, isDemo, Library } from './library.svelte';
import { LinkedFile } from './linkedfile.svelte';
import { OpeningName } from './openingname.svelte';
import { readPasted } from './paste';
import { Published } from './published.svelte';
import { QueryTables } from './querytables';
import { Replay, START_FEN } from './replay.svelte';
import type { Step } from './rules';
import { Saved } from './saved.svelte';
import { say } from './say';
import { hadTables } from './tablememory';
import type { Tablebase } from './tablestart';
import { isEverything, isSame, Search } from './search.svelte';
import { GameSets } from './sets.svelte';
import { ThemeChoice } from './theme.svelte';
import { isUntouched, Transforms } from './transforms.svelte';
import { Typing } from './typing.svelte';
import { Update } from './update.svelte';
import { counted } from './words';

/** The query that runs when the demo games open without a query. Other corpora show all their games. */
export const FIRST_QUERY = 'queens_off';

const LAST_CORPUS = 'plyfold.corpus';

export class App {
  readonly library: Library;
  readonly published: Published;
  readonly linked: LinkedFile;
  readonly search: Search;
  readonly replay: Replay;
  readonly annotations: Annotations;
  readonly explorer: Explorer;
  readonly openingName: OpeningName;
  readonly sets: GameSets;
  readonly transforms: Transforms;
  readonly saved = new Saved();
  readonly typing: Typing;
  readonly theme = new ThemeChoice();
  readonly update = new Update();
  readonly language = new LanguageChoice();
  /** The local engine and its evaluations of a result; null until the user asks for them. */
  analysis = $state.raw<Analysis | null>(null);
  evaluations = $state.raw<Evaluations | null>(null);
  /** Tables and their page; null until one is needed. */
  tablebase = $state.raw<Tablebase | null>(null);
  /** The page that is shown: the search, the transforms or the tables. */
  page = $state<'search' | 'transforms' | 'tablebase'>('search');
  tab = $state<Tab>('games');
  /** What stands below the board on a phone: the results or the moves of the game. */
  below = $state<'results' | 'moves'>('results');
  /** The game that the user selected; null while the board shows the first match by itself. */
  chosen = $state<number | null>(null);
  /** The place of a link to games that are not on this device; null if there is none. */
  missing = $state.raw<Place | null>(null);
  /** The game of a link that has not arrived yet, with its place; null if there is none. */
  awaited = $state.raw<{ id: number; ply: number | null; line: readonly string[] } | null>(null);
  /** False until the first place has been shown. */
  ready = $state(false);
  /** The text for screen readers; changes with every result. */
  announcement = $state('');

  /** Whether the page is in a frame of somebody's article (`?embed`): then it has no menus. */
  readonly isEmbedded = new URLSearchParams(location.search).has('embed');
  readonly client: EngineClient;
  private readonly address = new AddressHistory();
  private readonly queryTables: QueryTables;

  constructor(client: EngineClient) {
    this.client = client;
    this.library = new Library(client);
    this.published = new Published(client);
    this.linked = new LinkedFile(client);
    this.search = new Search(client);
    this.replay = new Replay(client);
    this.annotations = new Annotations(this.replay);
    this.explorer = new Explorer(client);
    this.openingName = new OpeningName(this.replay, this.explorer);
    this.sets = new GameSets(client);
    this.transforms = new Transforms(client);
    this.typing = new Typing(client);
    this.search.onanswer = () => this.answered();
    this.search.tables = () => this.bringTables();
    this.queryTables = new QueryTables(client, () => void this.search.tablesChanged());
    client.onarrived = (arrived) => void this.arrived(arrived);
  }

  async start(): Promise<void> {
    this.theme.apply();
    this.saved.follow();
    addEventListener('popstate', () => {
      this.address.drop();
      void this.visit(parsePlace(location.hash));
    });
    addEventListener('pagehide', () => this.leave());
    addEventListener('pageshow', (event) => event.persisted && void this.comeBack());
    await this.library.start(wantedThreads(location.search), this.published.ownAddress);
    this.search.kinds = this.library.engine?.outputs ?? [];
    if (this.library.engine) this.library.add(await this.published.start());
    await this.begun();
    this.ready = true;
  }

  /** Shows what the address says, unless its games are still at a host. */
  private async begun(): Promise<void> {
    const place = parsePlace(location.hash);
    const { linked, library } = this;
    if (linked.isWanted && library.engine && !library.find(place.corpus)) {
      if (library.find(linked.kept)) return this.visit({ ...place, corpus: linked.kept });
      await linked.begin();
    }
    if (this.awaitsLibrary || this.awaitsFile) this.search.text = place.query;
    else await this.visit(place);
  }

  /** Whether the page waits for a file that its address names. */
  get awaitsFile(): boolean {
    return this.linked.state.phase !== 'none';
  }

  /** The user wants the file that the address names: it is imported, and then the page shows the rest of what the address says. */
  async takeFile(): Promise<void> {
    const { linked, library } = this;
    const place = parsePlace(location.hash);
    if (!(await library.importFrom(linked.address, linked.file))) return;
    const id = library.current?.id ?? '';
    linked.end();
    linked.keep(id);
    remember(id);
    await this.visit({ ...place, corpus: id }, null);
  }

  /** The user does not want the file. */
  async declineFile(): Promise<void> {
    this.linked.end();
    await this.visit(parsePlace(location.hash));
  }

  /** Whether the page waits for a published library: the user is asked about its host, or it could not be fetched. */
  get awaitsLibrary(): boolean {
    const { phase } = this.published.state;
    return phase !== 'none' && phase !== 'here';
  }

  /** The user wants the published library after all; then the page shows what its address says. */
  async takeLibrary(): Promise<void> {
    await this.enter(await this.published.take());
  }

  /** The user does not want the published library. */
  async declineLibrary(): Promise<void> {
    this.published.decline();
    await this.enter([]);
  }

  private async enter(corpora: readonly CorpusInfo[]): Promise<void> {
    if (this.awaitsLibrary) return;
    this.library.add(corpora);
    await this.visit(parsePlace(location.hash));
  }

  /** Shows the first page of the published library. */
  showFirstPage(): void {
    this.library.leave();
    this.search.text = '';
    this.page = 'search';
    this.tab = this.search.tab = 'games';
    this.search.within = '';
    this.search.parts = [];
    this.clear();
    this.write('push');
  }

  /** More of the open corpus has arrived, or no more comes. */
  private async arrived(arrived: Arrived): Promise<void> {
    const before = this.published.arrived;
    this.published.arrived = arrived;
    if (arrived.corpus !== this.library.current?.id || (before?.corpus === arrived.corpus && before.games === arrived.games)) return;
    if (arrived.parts === arrived.parts_total) {
      // Sets belong to all games. The list says now how much is on this device.
      void this.sets.fetch();
      void this.library.refresh();
      this.published.settle();
    }
    await this.search.grown();
  }

  /** The browser may keep a page that is left, with its worker: other tabs must be able to use its corpus. */
  private leave(): void {
    this.address.flush();
    // If the browser ends the page instead, nobody waits for the reply.
    void this.client.call('release', {}).catch(() => null);
  }

  /** The user has come back to a page that the browser kept. Other tabs may have changed the list. */
  private async comeBack(): Promise<void> {
    const open = this.library.current;
    await this.library.refresh();
    if (!open || this.library.current !== open || this.library.corpora.some((corpus) => corpus.id === open.id)) return;
    this.library.leave(say(`"${open.name}" was deleted in another tab of this browser.`));
    this.forget();
  }

  /** Opens a corpus and runs the present query; without a query, shows all games. */
  async openCorpus(id: string): Promise<void> {
    await this.goTo(id, this.search.text.trim(), this.tab);
  }

  /** Runs a query on another corpus. */
  async askElsewhere(id: string, query: string, tab: Tab): Promise<void> {
    await this.goTo(id, query, tab);
  }

  /** Stores the matching games as a new corpus, which then appears in the list. */
  async collect(name: string): Promise<void> {
    await this.library.collect(this.search.order.slice(), name);
  }

  /** Imports files. The address changes only when the import is complete, since the corpus has no name before. */
  async importFiles(files: readonly File[]): Promise<void> {
    const { missing } = this;
    const before = this.library.current?.id ?? null;
    if (await this.library.importFiles(files)) await this.imported(missing, before);
  }

  async importDemo(query = ''): Promise<void> {
    if (query) this.search.text = query;
    const there = this.library.demo;
    if (there) {
      await this.goTo(there.id, this.search.text.trim() || FIRST_QUERY, this.tab);
      return;
    }
    const missing = query ? null : this.missing;
    const before = this.library.current?.id ?? null;
    if (!(await this.library.importDemo())) return;
    if (!missing) this.search.text ||= FIRST_QUERY;
    await this.imported(missing, before);
  }

  /** Shows the corpus that has just been imported: at the place of the link that waited for it, otherwise from the beginning. */
  private async imported(missing: Place | null, before: string | null): Promise<void> {
    const id = this.library.current?.id ?? '';
    if (missing && isCalled(id, missing.corpus)) {
      remember(id);
      await this.visit({ ...missing, corpus: id }, before);
    } else {
      this.begin();
      await this.opened('push');
    }
  }

  async removeCorpus(id: string): Promise<void> {
    await this.library.remove(id);
    if (!this.library.current) this.forget();
  }

  /** Shows that no corpus is open. */
  private forget(): void {
    this.clear();
    this.write('replace');
  }

  private clear(): void {
    this.begin();
    this.search.reset();
    this.replay.clear();
    this.chosen = null;
  }

  /** Runs a new query, for instance from an example or a click on a result. The set of games stays; the parts are replaced. */
  async ask(query: string, parts: readonly Part[] = []): Promise<void> {
    this.put(query, parts, 'push');
    await this.search.run();
  }

  /** Runs the query as typed, because the user says so. */
  async submit(): Promise<void> {
    await this.ask(this.search.text, this.search.parts);
  }

  /** Runs the present query on the games of an expression over sets; on all games if the expression is empty. */
  async askWithin(within: string): Promise<void> {
    this.search.within = within;
    await this.ask(this.search.text, this.search.parts);
  }

  /** Reacts to a set that was renamed or removed: if the search is within that set, searches all games instead. */
  async setChanged(name: string): Promise<void> {
    const named: string[] = this.search.within.match(/[A-Za-z0-9_.-]+/g) ?? [];
    if (named.includes(name)) await this.askWithin('');
  }

  /** Removes a part from the selection. */
  async widen(part: Part): Promise<void> {
    await this.ask(this.search.text, this.search.parts.filter((one) => one !== part));
  }

  /** Narrows the matches to those where `condition` holds too, and shows them on a tab. */
  async narrow(condition: string, tab: Tab): Promise<void> {
    this.show(tab);
    await this.askBoth(this.search.answered, condition, this.search.question.parts);
  }

  /** Runs `query` and `condition` combined: at one position if one query can express that, otherwise each at its own. */
  async askBoth(query: string, condition: string, parts: readonly Part[] = []): Promise<void> {
    await this.askComposed(query, condition, parts, ({ together, apart }) => this.put(together ?? apart, parts, 'replace'));
  }

  /**
   * Shows the games of a count. If a condition of the language can express the value at the same position, this
   * condition joins the query; otherwise the value becomes a part of the selection.
   */
  async narrowToGroup(group: Group): Promise<void> {
    const { answered, question, counted } = this.search;
    const parts: readonly Part[] = [...question.parts, { by: 'value', key: counted, value: group.name }];
    this.show('games');
    if (group.condition === null) await this.ask(answered, parts);
    else {
      await this.askComposed(answered, group.condition, question.parts, ({ together }) => {
        if (together === null) this.put(answered, parts, 'replace');
        else this.put(together, question.parts, 'replace');
      });
    }
  }

  /**
   * Lets the engine compose a query and another condition, then runs what `put` makes of the two. The click gets
   * its entry in the history at once; the composed query replaces the content of this entry.
   */
  private async askComposed(query: string, condition: string, parts: readonly Part[], put: (composition: Composition) => void): Promise<void> {
    const signal = this.search.expect();
    this.put(query, parts, 'push', true);
    // If the engine fails here, the search below fails too and reports it.
    const composition = await this.client.call('compose', { query, condition }, { signal }).catch(() => null);
    if (signal.aborted) return;
    if (composition) put(composition);
    await this.search.run();
  }

  /** Shows the games that continued with a move. */
  async narrowToMove(move: NextMove): Promise<void> {
    const { position, among, condition } = this.explorer;
    const { answered, question } = this.search;
    const part: Part = { by: 'next', code: move.code, san: move.san, position: '' };
    this.show('games');
    if (position === '') {
      // Only next moves count the start of a game. A game that matches only there is no match of the
      // query, so the selection begins with all games.
      const starts = this.search.result !== null && (this.search.result.next?.games ?? 0) > this.search.result.games;
      if (starts) await this.ask(condition, [...question.parts, { ...part, position: answered }]);
      else await this.askGames(answered, condition, [...question.parts, part]);
    } else if (among) await this.askGames(answered, condition, [...question.parts, { ...part, position: `fen "${position}"` }]);
    else {
      this.search.within = '';
      await this.askGames(`fen "${bare(move.fen)}"`, condition, [{ ...part, position: `fen "${position}"` }]);
    }
  }

  /** Shows the games of a number in the table of endgames. */
  async narrowToEndgames(condition: string): Promise<void> {
    const { answered, question } = this.search;
    this.show('games');
    await this.askGames(condition, answered, question.parts);
  }

  /** Runs a query on the games that fulfil a condition. */
  private async askGames(query: string, condition: string, parts: readonly Part[]): Promise<void> {
    if (condition === '') await this.ask(query, parts);
    else await this.askComposed(query, condition, parts, ({ apart }) => this.put(apart, parts, 'replace'));
  }

  /** Opens one of the explorer's best games at the explorer's position. Going back returns to the explorer. */
  async openGame(id: number, ply: number): Promise<void> {
    this.library.moveOn();
    this.show('games');
    this.chosen = id;
    this.write('push', { ply });
    await this.showGame(id, ply);
    // A result that arrived meanwhile wrote the address without the ply.
    if (this.chosen === id) this.write('replace');
  }

  /** Whether the board shows the explorer's position. */
  readonly exploring = $derived.by(() => this.tab === 'explorer' && this.explorer.here !== null);

  /** The position on the board; empty if the board shows none. */
  readonly position = $derived.by(() => (this.exploring ? (this.explorer.here?.fen ?? '') : this.replay.game ? this.replay.fen : ''));

  /** The position on the board, which is the start position if the board shows none. */
  readonly fen = $derived(this.position || START_FEN);

  /** Loads the local engine's part of the page, once. */
  async loadAnalysis(): Promise<void> {
    const { makeAnalysis, makeEvaluations } = await import('../analysis/start');
    this.analysis ??= makeAnalysis();
    this.evaluations ??= makeEvaluations();
  }

  /** Changes the explorer's position or its selection of games, then fetches the next moves. */
  async explore(change: (explorer: Explorer) => void, how: 'push' | 'replace' = 'push'): Promise<void> {
    this.library.moveOn();
    change(this.explorer);
    this.write(how);
    await this.askExplorer();
  }

  private async askExplorer(): Promise<void> {
    if (this.tab !== 'explorer' || !this.library.current) return;
    // Of all games, the moves from the start position are of interest, and not those from every position.
    if (this.explorer.follow(isEverything(this.search.wanted()))) this.write('replace');
    await this.explorer.ask(this.search.question);
    await this.explorer.askTop(this.search.result?.ids ?? null);
    await this.explorer.learn();
  }

  /** Lists all matching positions of each game, or only the first. */
  async listEvery(every: boolean): Promise<void> {
    const listed = this.search.listEvery(every);
    this.write('push');
    await listed;
  }

  /** Counts by another key. */
  async countBy(key: string): Promise<void> {
    const before = this.search.key;
    const counted = this.search.countBy(key);
    if (key !== before) this.write('push');
    await counted;
  }

  /** The keys that have names, fetched once. */
  keys(): Promise<Key[]> {
    this.keyed ??= this.client.call('keys', {});
    this.keyed.catch(() => (this.keyed = null));
    return this.keyed;
  }

  private keyed: Promise<Key[]> | null = null;

  /** Opens the page of transforms: with `fen`, or with the position that was there, or with the position on the board. */
  async openTransforms(fen = ''): Promise<void> {
    this.library.moveOn();
    const { transforms } = this;
    if (fen || isUntouched(transforms)) transforms.take(fen || this.fen);
    this.page = 'transforms';
    this.write('push');
    await this.askTransforms();
  }

  /** Loads everything about tables, once. */
  loadTablebase(): Promise<Tablebase> {
    this.loadingTables ??= import('./tablestart').then(({ makeTablebase }) => {
      this.tablebase = makeTablebase(wantedThreads(location.search));
      this.queryTables.follow(this.tablebase.store);
      const folder = this.published.info?.tables;
      if (folder) void this.tablebase.store.use({ folder, server: '' });
      return this.tablebase;
    });
    this.loadingTables.catch(() => (this.loadingTables = null));
    return this.loadingTables;
  }

  private loadingTables: Promise<Tablebase> | null = null;

  /** Loads the tables if this browser had some on the last visit. */
  recallTablebase(): void {
    // What cannot be loaded is said where tables are asked for.
    if (hadTables()) void this.loadTablebase().catch(() => null);
  }

  /** Lets the engine have the tables of this device before a query asks them. A browser that had none loads nothing of tables. */
  private async bringTables(): Promise<void> {
    if (!this.tablebase && !hadTables()) return;
    const tablebase = await this.loadTablebase().catch(() => null);
    if (tablebase) await this.queryTables.ready(tablebase.store);
  }

  /** Opens the page of tables: with `fen`, or as it was. */
  async openTablebase(fen = ''): Promise<void> {
    this.library.moveOn();
    this.page = 'tablebase';
    this.tabled = fen || this.tabled;
    this.write('push');
    const { board } = await this.loadTablebase();
    if (fen) board.show(fen);
  }

  /** The position on the page of tables has changed. */
  showTabled(fen: string): void {
    this.tabled = fen;
    if (this.page === 'tablebase') this.write('follow');
  }

  /** The position on the page of tables; empty before there is one. */
  private tabled = '';

  /** Returns to the search as it was. */
  closePage(): void {
    if (this.page === 'search') return;
    this.page = 'search';
    this.write('push');
  }

  /** Changes the position or the commands on the page of transforms. */
  async turn(change: (transforms: Transforms) => void, how: 'push' | 'replace' = 'push'): Promise<void> {
    change(this.transforms);
    if (this.page === 'transforms') this.write(how);
    await this.askTransforms();
  }

  /** Fetches the images. Afterwards the address has the position as the engine reads it. */
  private async askTransforms(): Promise<void> {
    await this.transforms.ask();
    if (this.page === 'transforms') this.write('replace');
  }

  /** Searches for a position and its images. Without a corpus, the query waits for one. */
  async searchTurned(query: string): Promise<void> {
    this.page = 'search';
    this.put(query, [], 'push');
    if (this.library.current) await this.search.run();
  }

  private show(tab: Tab): void {
    this.below = 'results';
    this.tab = tab;
    this.search.tab = tab;
  }

  /** All names that a query can use, fetched once. */
  predicates(): Promise<Predicate[]> {
    this.named ??= this.client.call('predicates', {});
    this.named.catch(() => (this.named = null));
    return this.named;
  }

  private named: Promise<Predicate[]> | null = null;

  async selectTab(tab: Tab): Promise<void> {
    this.below = 'results';
    if (tab === this.tab) return;
    this.library.moveOn();
    this.tab = tab;
    this.write('push');
    await this.search.show(tab);
    await this.askExplorer();
  }

  async selectGame(id: number, ply: number | null = null): Promise<void> {
    this.library.moveOn();
    const first = this.chosen === null;
    this.chosen = id;
    // Moving through the list with the keyboard makes one entry of the history, not hundreds.
    this.write(first ? 'push' : 'replace', { ply });
    await this.showGame(id, ply);
    // The ply of the game's first match is known only now.
    if (this.chosen === id) this.write('replace');
  }

  /**
   * Plays legal moves on the board: in the explorer, or from the game's position as a sideline. The matching positions
   * and a board without a game have no line, so a new one begins in the explorer.
   */
  playOnBoard(...steps: readonly Step[]): void {
    if (this.exploring) void this.explore((explorer) => steps.forEach((step) => explorer.play(step)));
    else if (this.tab === 'explorer' || (!this.replay.game && !this.replay.isAwaited)) void this.exploreFrom(this.replay.fen, steps);
    else this.step((replay) => steps.forEach((step) => replay.play(step)));
  }

  /** Shows the game again; false if the board shows no sideline. */
  leaveSideline(): boolean {
    if (this.exploring || !this.replay.sideline) return false;
    this.step((replay) => replay.go(replay.ply));
    return true;
  }

  /** Opens the explorer at a position, after the moves of a line. */
  async exploreFrom(fen: string, steps: readonly Step[] = []): Promise<void> {
    this.page = 'search';
    this.show('explorer');
    await this.explore((explorer) => {
      explorer.begin(fen);
      for (const step of steps) explorer.play(step);
    });
    // The matching positions are one click away.
    await this.search.show('explorer');
  }

  /** Searches for the position on the board or a part of it, alone or together with the present query. */
  async searchPosition(condition: string, how: 'replace' | 'add'): Promise<void> {
    if (this.tab === 'explorer') this.show('games');
    if (how === 'replace') await this.ask(condition);
    else await this.askBoth(this.search.text, condition, this.search.parts);
  }

  /** Shows the page in another language: at once, or when the user agrees to lose what a new page would lose. */
  chooseLanguage(wanted: Language): void {
    // The new page begins with the query of the address. A query with an error, or without a result yet, is not there.
    if (this.library.current && !isSame(this.addressed, this.search.wanted())) this.put(this.search.text, this.search.parts, 'replace');
    this.language.choose(wanted, this.library.loss !== null);
  }

  /** The address of exactly what the page shows, also where the board shows the first match by itself. */
  link(): string {
    if (this.page === 'search' && !this.exploring && this.replay.game) this.step(() => undefined);
    this.address.flush();
    return location.href;
  }

  /** Takes a pasted text: games, a position or moves. Returns a sentence for the user, empty if the import tells all. */
  async paste(text: string): Promise<string> {
    const pasted = readPasted(text, this.fen);
    if (pasted.kind === 'unknown') return pasted.says;
    if (pasted.kind === 'games') {
      await this.importFiles([new File([pasted.text], 'Pasted games.pgn', { type: 'application/x-chess-pgn' })]);
      return '';
    }
    const { current } = this.library;
    if (pasted.kind === 'position') {
      if (current && this.page === 'search') void this.exploreFrom(pasted.fen);
      else void this.openTransforms(pasted.fen);
      return current ? 'The position is on the board.' : 'The position is on the board. To search for it, import games.';
    }
    if (!current) return 'Import games first; then pasted moves become a line on the board.';
    void this.exploreFrom(pasted.from, pasted.steps);
    const moves = counted(pasted.steps.length, ['# move', '# moves']);
    return pasted.rest.length === 0 ? say(`${moves} on the board.`) : say(`${moves} on the board; ${pasted.rest[0]} is not possible after that.`);
  }

  /** Moves through the game on the board; does nothing while another game is being fetched. */
  step(change: (replay: Replay) => void): void {
    if (this.replay.isAwaited) return;
    this.library.moveOn();
    change(this.replay);
    if (this.replay.game) this.chosen = this.replay.game.row.id;
    this.write('follow');
  }

  /**
   * Opens another corpus and runs a query on all its games. The address changes at once, and changes back if the
   * corpus cannot be opened.
   */
  private async goTo(id: string, query: string, tab: Tab): Promise<void> {
    const turn = this.begin();
    this.write('push', { corpus: id, query, within: '', parts: [], tab, game: null });
    this.search.expect();
    const isOpen = await this.library.choose(id);
    if (turn !== this.round) return;
    if (!isOpen) {
      this.search.cancel();
      this.write('replace');
      // The search was cancelled for nothing, so it runs again.
      if (this.library.current && !this.search.isAnswered()) await this.search.run();
      return;
    }
    this.show(tab);
    this.search.text = query;
    await this.opened('replace');
  }

  /** Shows the corpus that has just been opened. */
  private async opened(how: 'push' | 'replace'): Promise<void> {
    remember(this.library.current?.id ?? '');
    this.search.reset();
    this.explorer.reset();
    // Sets and parts belong to the previous corpus.
    this.search.within = '';
    this.search.parts = [];
    this.replay.clear();
    this.chosen = null;
    this.addressed = this.search.wanted();
    this.write(how);
    void this.sets.fetch();
    await this.search.run();
    // The explorer's position needs no result: the query may name somebody whom this corpus does not know.
    await this.askExplorer();
  }

  /**
   * Makes the page show a place: at the start, and when the user goes back. The state changes before the engine
   * gets a request. `before` is the corpus whose results are on the page.
   */
  private async visit(place: Place, before = this.library.current?.id ?? null): Promise<void> {
    if (this.library.engine && place.corpus && !place.turned && place.tabled === null && !this.find(place.corpus)) {
      await this.visitMissing(place);
      return;
    }
    const turn = this.begin();
    const line = lineOf(history.state);
    this.search.expect();
    this.tab = place.tab;
    this.page = place.turned ? 'transforms' : place.tabled !== null ? 'tablebase' : 'search';
    this.chosen = place.game;
    const { library } = this;
    const { info } = this.published;
    // The empty address of a published library is its first page; a question without a corpus is about its first one.
    const first = info ? (place.query || place.turned || place.tabled !== null ? info.corpora[0] : undefined) : (library.find(remembered()) ?? library.corpora[0]);
    if (info && formatPlace(place) === '') library.leave();
    const wanted = this.find(place.corpus) ?? (library.current ?? first)?.id;
    this.search.text = place.query;
    this.search.within = place.within;
    this.search.parts = place.parts;
    this.search.tab = place.tab;
    this.search.key = place.key;
    this.search.keyTrouble = '';
    this.explorer.among = place.among;
    this.explorer.filter = { rating: place.rating, years: place.years };
    this.search.everyPosition = place.every;
    this.search.everywhere = place.everywhere;
    this.explorer.visit(place.position, line);
    this.addressed = this.search.wanted();
    this.opening = wanted ?? null;
    if (place.turned) {
      this.transforms.visit(place.turned);
      void this.transforms.ask();
    }
    if (place.tabled !== null) void this.visitTabled(place.tabled);
    const isOpen = wanted !== undefined && (await this.library.choose(wanted));
    if (turn !== this.round) return;
    this.opening = null;
    if (!isOpen) {
      this.search.cancel();
      this.search.text = place.query;
      return;
    }
    if (before !== wanted) {
      this.search.reset();
      this.explorer.reset();
      this.replay.clear();
      void this.sets.fetch();
    }
    // If the address left out what is shown, the entry would later lead to something else.
    if (before === null) this.write('replace', { ply: place.ply, line: place.line });
    await this.showPlace(place, turn);
  }

  /** The id of the corpus that an address means, if it is here: one, or several of a library together. */
  private find(id: string): string | undefined {
    return this.library.find(id)?.id ?? (this.published.has(id) ? id : undefined);
  }

  private async visitTabled(fen: string): Promise<void> {
    this.tabled = fen;
    const tablebase = await this.loadTablebase().catch(() => null);
    if (tablebase && fen !== '' && fen !== tablebase.board.fen) tablebase.board.show(fen);
  }

  /**
   * Shows that a link leads to games that this browser does not have. It imports the demo games by itself; other
   * games wait until the user imports their file.
   */
  private async visitMissing(place: Place): Promise<void> {
    const turn = this.begin();
    this.library.leave();
    this.search.reset();
    this.explorer.reset();
    this.replay.clear();
    this.search.text = place.query;
    this.page = 'search';
    this.tab = place.tab;
    this.chosen = null;
    this.missing = place;
    if (!isDemo(place.corpus)) return;
    this.ready = true;
    const isImported = await this.library.importDemo();
    if (isImported && turn === this.round) await this.imported(place, null);
  }

  /** Fetches what a place shows, without undoing what the user does meanwhile. */
  private async showPlace(place: Place, turn: number): Promise<void> {
    const asked = !this.search.isAnswered();
    this.search.cancel();
    this.visiting = place;
    // If only the tab differs, the result may already be there.
    await (asked ? this.search.run() : this.search.show(this.search.tab));
    // If the user has chosen another key meanwhile, that key stays.
    if (turn === this.round && place.tab === 'counts' && place.key !== FIRST_KEY && this.search.key === place.key) await this.search.countBy(place.key);
    if (turn !== this.round) return;
    this.visiting = null;
    await this.askExplorer();
    if (asked || turn !== this.round || this.chosen !== place.game) return;
    const game = place.game ?? this.search.order[0];
    const { replay } = this;
    const isSamePly = place.ply === replay.ply && place.line.length === 0 && replay.sideline === null;
    const isThere = game === replay.game?.row.id && !replay.isAwaited && (place.game === null || isSamePly);
    if (game !== undefined && !isThere) await this.showGame(game, place.ply, place.line);
  }

  /** Begins with another place. Whatever was begun for the previous place stops. */
  private begin(): number {
    this.visiting = null;
    this.opening = null;
    this.missing = null;
    this.awaited = null;
    return ++this.round;
  }

  private round = 0;
  /** The place that the page is going to, while its results are fetched. The address already has it. */
  private visiting: Place | null = null;
  /** The corpus of that place, while it is being opened. */
  private opening: string | null = null;
  /** The question that the address has. */
  private addressed: Question = NOWHERE;

  /** Sets the question and writes it into the address at once, before the engine gets a request. */
  private put(query: string, parts: readonly Part[], how: 'push' | 'replace', isAlwaysNew = false): void {
    this.library.moveOn();
    this.visiting = null;
    this.below = 'results';
    this.search.text = query;
    this.search.parts = parts;
    this.addressed = this.search.wanted();
    this.write(how, {}, isAlwaysNew);
  }

  /** Shows a game with the positions that match the question of the result. */
  private async showGame(id: number, ply: number | null, line: readonly string[] = []): Promise<void> {
    if (this.published.isAwaited(this.library.current?.id, id)) {
      this.awaited = { id, ply, line };
      this.replay.clear();
      return;
    }
    const { query, everywhere } = this.search.question;
    await this.replay.show(id, query, ply, line, everywhere);
    if (this.awaited?.id === id) this.awaited = null;
  }

  /** Lets positions match wherever the conditions hold, or only where the windows of the query were fulfilled. */
  async matchEverywhere(everywhere: boolean): Promise<void> {
    this.library.moveOn();
    this.search.everywhere = everywhere;
    this.addressed = this.search.wanted();
    this.write('push');
    await this.search.run();
  }

  private answered(): void {
    const { result, order, question } = this.search;
    if (!result) return;
    this.announcement = say(`${counted(result.games, ['# game', '# games'])}, ${counted(result.positions, ['# position', '# positions'])} match.`);
    const visiting = this.visiting;
    if (this.chosen !== null) {
      const { replay } = this;
      const linked = visiting?.game === this.chosen ? visiting : this.awaited?.id === this.chosen ? this.awaited : null;
      if (linked) void this.showGame(this.chosen, linked.ply, linked.line);
      else if (replay.game?.row.id === this.chosen) void this.showGame(this.chosen, replay.ply, replay.movesOfSideline);
      else void this.showGame(this.chosen, null);
    } else if (order[0] !== undefined) void this.showGame(order[0], null);
    else this.replay.clear();
    if (visiting) return;
    // A query that was only typed enters the address together with its result.
    const isNew = !isSame(this.addressed, question);
    this.addressed = question;
    this.write(isNew && this.page === 'search' ? 'push' : 'replace');
    void this.askExplorer();
  }

  /**
   * Writes the address of what is shown, except for what `change` replaces. If the address does not change, this
   * makes no entry of the history, unless `isAlwaysNew`. `follow` replaces the entry, with a pause after the last time.
   */
  private write(how: 'push' | 'replace' | 'follow', change: Partial<Place> = {}, isAlwaysNew = false): void {
    const { search, explorer, replay } = this;
    const { query, within, parts, everywhere } = search.result ? this.addressed : search.wanted();
    const isOnBoard = this.chosen !== null && this.chosen === replay.game?.row.id;
    const awaited = this.awaited?.id === this.chosen ? this.awaited : null;
    const place: Place = {
      corpus: this.opening ?? this.library.current?.id ?? '',
      query,
      within,
      parts,
      everywhere,
      tab: this.tab,
      key: this.tab === 'counts' ? search.key : FIRST_KEY,
      position: this.tab === 'explorer' ? explorer.position : '',
      among: this.tab === 'explorer' && explorer.among,
      rating: this.tab === 'explorer' ? explorer.filter.rating : ANY,
      years: this.tab === 'explorer' ? explorer.filter.years : ANY,
      every: this.tab === 'positions' && search.everyPosition,
      game: this.chosen,
      ply: isOnBoard ? replay.ply : (awaited?.ply ?? null),
      line: isOnBoard ? replay.movesOfSideline : (awaited?.line ?? []),
      turned: this.page === 'transforms' ? this.transforms.turned : null,
      tabled: this.page === 'tablebase' ? this.tabled : null,
      ...change,
    };
    const fragment = formatPlace(place);
    if (fragment === this.address.fragment && !isAlwaysNew) return;
    // The history entry stores the line, so that going back takes moves back.
    const state = place.position ? { line: $state.snapshot(explorer.line) } : null;
    this.address[how](fragment, state);
  }
}

/** The explorer's line in an entry of the history; empty for any other state. */
function lineOf(state: unknown): readonly Step[] {
  const line: unknown = typeof state === 'object' && state !== null && 'line' in state ? state.line : null;
  return Array.isArray(line) ? (line as Step[]) : [];
}

function remember(corpus: string): void {
  try {
    localStorage.setItem(LAST_CORPUS, corpus);
  } catch {
    // Storage is switched off: the next visit starts with the first corpus of the list.
  }
}

function remembered(): string {
  try {
    return localStorage.getItem(LAST_CORPUS) ?? '';
  } catch {
    return '';
  }
}

/**
 * `?threads=4` in the address asks for 4 threads, `?threads=0` for the build without threads; for measurements
 * and debugging.
 */
function wantedThreads(search: string): number | null {
  const text = new URLSearchParams(search).get('threads');
  return text !== null && /^\d{1,2}$/.test(text) ? Number(text) : null;
}
