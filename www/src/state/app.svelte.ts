// Joins library, search and replay. Views call the methods of this class; each changes the state and the address before the
// engine gets a request. `Route` keeps the address, `Visits` shows places, `Gate` waits for other hosts, and `Narrowing`
// composes queries.
import type { EngineClient } from '../engine/client';
import type { Arrived, Change, Condition, Group, Key, NextMove, Part, Predicate } from '../engine/protocol';
import type { Aliases } from './aliases.svelte';
import { Annotations } from './annotations.svelte';
import type { Place, Tab } from './address';
import { Explorer } from './explorer.svelte';
import { Edits } from './edits';
import { Follower } from './follower';
import type { Analysis } from './analysis.svelte';
import type { Evaluations } from './evaluations.svelte';
import type { GameEdits } from './gameedits.svelte';
import type { GameScores } from './gamescores.svelte';
import { Gate } from './gate';
import { Imports } from './imports';
import type { HeatLayer } from './heatlayer.svelte';
import type { Language } from './language';
import { LanguageChoice } from './languagechoice.svelte';
import { isFirstVisit, isReturn } from './lastcorpus';
import { Library } from './library.svelte';
import { LinkedFile } from './linkedfile.svelte';
import { looks } from './looks.svelte';
import { Me } from './me.svelte';
import type { MovesEditor } from './moveseditor.svelte';
import { Narrowing } from './narrowing';
import { OwnSide } from './ownside.svelte';
import { Pages } from './pages';
import { isOfBoard, Panels } from './panels.svelte';
import { OpeningName } from './openingname.svelte';
import { mayHaveChanged } from './queryversion';
import { isSearch, showPlace, type PageName, type Shown } from './placefields';
import { Published } from './published.svelte';
import { Replay, START_FEN } from './replay.svelte';
import { Route, type AwaitedGame } from './route.svelte';
import type { Step } from './rules';
import { Saved } from './saved.svelte';
import { say } from './say';
import { TableLoader } from './tableloader.svelte';
import type { Tablebase } from './tablestart';
import type { TagColumns } from './tagcolumns.svelte';
import { isEverything, isSame, Search } from './search.svelte';
import { GameSets } from './sets.svelte';
import type { Training } from './training.svelte';
import { Transforms } from './transforms.svelte';
import { Typing } from './typing.svelte';
import { Update } from './update.svelte';
import { Visits } from './visits';
import { counted } from './words';

export class App implements Shown {
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
  readonly me = new Me();
  readonly own = new OwnSide(this);
  readonly follower = new Follower(this);
  readonly panels = new Panels();
  readonly pages = new Pages(this);
  readonly imports = new Imports(this);
  readonly typing: Typing;
  readonly update = new Update();
  readonly language = new LanguageChoice();
  /** The local engine and its evaluations of a result; null until the user asks for them. */
  analysis = $state.raw<Analysis | null>(null);
  evaluations = $state.raw<Evaluations | null>(null);
  /** Its evaluations of whole games; null until the search page is shown. */
  scores = $state.raw<GameScores | null>(null);
  /** The lines that are trained; null until the page of training is shown. */
  training: Training | null = null;
  /** The edits of the open games; null until the search page is shown. */
  gameEdits = $state.raw<GameEdits | null>(null);
  /** The tags that are columns of the table of games; null until that is shown. */
  tagColumns = $state.raw<TagColumns | null>(null);
  /** The names that stand for others in the open games; null until their dialog is shown. */
  aliases = $state.raw<Aliases | null>(null);
  /** The game whose moves are being edited; null if none is. */
  movesEditor = $state.raw<MovesEditor | null>(null);
  /** The heatmap on the board; null until the heatmap is shown. */
  heat = $state.raw<HeatLayer | null>(null);
  /** The page that is shown: the search, the transforms or the tables. */
  page = $state<PageName>('search');
  /** What stands below the board on a phone: the results or the moves of the game. */
  below = $state<'results' | 'moves'>('results');
  /** The game that the user selected; null while the board shows the first match by itself. */
  chosen = $state<number | null>(null);
  /** The position on the page of tables; empty before there is one. */
  tabled = '';
  /** False until the first place has been shown. */
  ready = $state(false);
  /** Whether the welcome page need not wait for the engine. */
  readonly isFirstVisit = isFirstVisit();
  /** Whether the search page is shown until `ready`, though its games are not open yet: they are those of the last visit. */
  isReturning = $state(false);
  /** The text for screen readers; changes with every result. */
  announcement = $state('');

  /** Whether the page is in a frame of somebody's article (`?embed`): then it has no menus. */
  readonly isEmbedded = new URLSearchParams(location.search).has('embed');
  readonly client: EngineClient;
  readonly route: Route;
  readonly visits: Visits;
  readonly gate: Gate;
  private readonly narrowing: Narrowing;
  private readonly edits: Edits;
  private readonly tables: TableLoader;

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
    this.route = new Route(this, this.library);
    this.visits = new Visits(this);
    this.gate = new Gate(this);
    this.narrowing = new Narrowing(this);
    this.edits = new Edits(this);
    this.search.onanswer = () => this.answered();
    this.search.own = () => this.me.name;
    this.sets.corpus = () => this.library.current?.id ?? '';
    this.tables = new TableLoader(client, this.published, wantedThreads(location.search), () => void this.search.tablesChanged());
    this.search.tables = () => this.tables.bring();
    client.onarrived = (arrived) => void this.arrived(arrived);
  }

  async start(): Promise<void> {
    looks.apply();
    this.panels.follow();
    this.saved.follow();
    addEventListener('popstate', () => {
      this.route.drop();
      void this.visits.visit(this.route.read());
    });
    addEventListener('pagehide', () => this.leave());
    addEventListener('pageshow', (event) => event.persisted && void this.comeBack());
    const place = this.route.read();
    if (isSearch(place) && isReturn(place.corpus)) {
      this.isReturning = true;
      showPlace(this, place);
    }
    await this.library.start(wantedThreads(location.search), this.published.ownAddress);
    this.search.kinds = this.library.engine?.outputs ?? [];
    if (this.library.engine) void this.saved.renew((query, language) => this.client.call('inThisLanguage', { query, language }));
    if (this.library.engine) this.library.add(await this.published.start());
    // Whoever has begun an import on the welcome page wants to see that, and not what the address says.
    if (this.library.importing.phase === 'idle') await this.gate.begin();
    this.ready = true;
  }

  /** A kept query in the words of this version of the language. */
  async inThisLanguage(query: string, language: number): Promise<string> {
    return mayHaveChanged(query, language) ? this.client.call('inThisLanguage', { query, language }).catch(() => query) : query;
  }

  /** The place of a link to games that are not on this device; null if there is none. */
  get missing(): Place | null {
    return this.route.missing;
  }

  /** The game of a link that has not arrived yet; null if there is none. */
  get awaited(): AwaitedGame | null {
    return this.route.awaited;
  }

  /** Shows the first page of the published library. */
  showFirstPage(): void {
    this.library.leave();
    this.search.text = '';
    this.page = 'search';
    this.show('games');
    this.search.within = '';
    this.search.parts = [];
    this.clear();
    this.route.write('push');
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
    this.route.flush();
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
    await this.visits.goTo(id, this.search.text.trim(), this.tab);
  }

  /** Runs a query on another corpus. */
  async askElsewhere(id: string, query: string, tab: Tab): Promise<void> {
    await this.visits.goTo(id, query, tab);
  }

  /** Shows that no corpus is open. */
  forget(): void {
    this.clear();
    this.route.write('replace');
  }

  private clear(): void {
    this.route.begin();
    this.search.reset();
    this.replay.clear();
    this.chosen = null;
  }

  /** Runs a new query, for instance from an example or a click on a result. The set of games stays; the parts are replaced. */
  async ask(query: string, parts: readonly Part[] = []): Promise<void> {
    this.put(query, parts, 'push');
    await this.search.run();
  }

  /** Changes a condition of the present query, after the changes before it: `make` gets its conditions. */
  change(make: (conditions: readonly Condition[]) => Change | null): Promise<void> {
    return this.edits.change(make);
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
  narrow(condition: string, tab: Tab): Promise<void> {
    return this.narrowing.narrow(condition, tab);
  }

  /** Runs `query` and `condition` combined. */
  askBoth(query: string, condition: string): Promise<void> {
    return this.narrowing.askBoth(query, condition);
  }

  /** Shows the games of a count. */
  narrowToGroup(group: Group): Promise<void> {
    return this.narrowing.narrowToGroup(group);
  }

  /** Shows the games that continued with a move. */
  narrowToMove(move: NextMove): Promise<void> {
    return this.narrowing.narrowToMove(move);
  }

  /** Shows the games behind a cell of a table. */
  narrowToCondition(condition: string): Promise<void> {
    return this.narrowing.narrowToCondition(condition);
  }

  /** Searches for the position on the board or a part of it, alone or together with the present query. */
  searchPosition(condition: string, how: 'replace' | 'add'): Promise<void> {
    return this.narrowing.searchPosition(condition, how);
  }

  /** Opens one of the explorer's best games at the explorer's position. Going back returns to the explorer. */
  async openGame(id: number, ply: number): Promise<void> {
    this.library.moveOn();
    this.chosen = id;
    this.explorer.following = true;
    this.route.write('push', { ply });
    await this.showGame(id, ply);
    // A result that arrived meanwhile wrote the address without the ply.
    if (this.chosen === id) this.route.write('replace');
  }

  /** The view that was chosen last. */
  get tab(): Tab {
    return this.panels.tab;
  }

  /** Whether the board shows the explorer's position. */
  readonly exploring = $derived.by(() => this.panels.hasExplorer && this.explorer.here !== null && !(this.explorer.following && this.replay.game !== null));

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
    this.route.write(how);
    await this.askExplorer();
  }

  /** Fetches the explorer's moves and games if its tab is shown. */
  async askExplorer(): Promise<void> {
    if (!this.panels.isShown('explorer') || !this.library.current) return;
    // Of all games, the moves from the start position are of interest, and not those from every position.
    if (this.explorer.beginFor(isEverything(this.search.wanted()))) this.route.write('replace');
    await this.explorer.ask(this.search.question);
    await this.explorer.askTop(this.search.result?.ids ?? null);
    await this.explorer.learn();
  }

  /** Lists all matching positions of each game, or only the first. */
  async listEvery(every: boolean): Promise<void> {
    const listed = this.search.listEvery(every);
    this.route.write('push');
    await listed;
  }

  /** Counts by another key. */
  async countBy(key: string): Promise<void> {
    const before = this.search.key;
    const counted = this.search.countBy(key);
    if (key !== before) this.route.write('push');
    await counted;
  }

  /** The keys that have names, fetched once. */
  keys(): Promise<Key[]> {
    this.keyed ??= this.client.call('keys', {});
    this.keyed.catch(() => (this.keyed = null));
    return this.keyed;
  }

  private keyed: Promise<Key[]> | null = null;

  /** Tables and their page; null until one is needed. */
  get tablebase(): Tablebase | null {
    return this.tables.tablebase;
  }

  loadTablebase(): Promise<Tablebase> {
    return this.tables.load();
  }

  recallTablebase(): void {
    this.tables.recall();
  }

  /** Shows a tab; the next run of the search collects its outputs. */
  show(tab: Tab): void {
    this.below = 'results';
    // Results are about games; the board leaves the explorer's own position to show them.
    if (!isOfBoard(tab)) this.showGames();
    this.panels.choose(tab);
    this.search.tab = this.panels.tab;
    this.search.beside = this.panels.other;
  }

  /** If the board shows the explorer's own position beside the results, it goes back to their games, and the explorer follows it. */
  private showGames(): void {
    if (this.panels.areTwo && this.exploring) this.explorer.following = true;
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
    if (this.panels.isShown(tab)) return;
    this.library.moveOn();
    if (tab === 'moves') this.showGames();
    this.panels.choose(tab);
    if (tab === 'explorer') this.follower.begin();
    this.route.write('push');
    await this.search.show(this.panels.tab, this.panels.other);
    await this.askExplorer();
  }

  /** Shows the game before or after the present one of the list. */
  async nextGame(step: 1 | -1): Promise<void> {
    const { order } = this.search;
    const at = order.indexOf(this.chosen ?? this.replay.game?.row.id ?? -1);
    const id = order[at + step];
    if (at >= 0 && id !== undefined) await this.selectGame(id);
  }

  async selectGame(id: number, ply: number | null = null): Promise<void> {
    this.library.moveOn();
    const first = this.chosen === null;
    this.showGames();
    this.chosen = id;
    // Moving through the list with the keyboard makes one entry of the history, not hundreds.
    this.route.write(first ? 'push' : 'replace', { ply });
    await this.showGame(id, ply);
    // The ply of the game's first match is known only now.
    if (this.chosen === id) this.route.write('replace');
  }

  /**
   * Plays legal moves on the board: in the explorer, or from the game's position as a sideline. The matching positions
   * and a board without a game have no line, so a new one begins in the explorer.
   */
  playOnBoard(...steps: readonly Step[]): void {
    if (this.exploring) void this.explore((explorer) => steps.forEach((step) => explorer.play(step)));
    else if ((this.panels.isShown('explorer') && !this.explorer.following) || (!this.replay.game && !this.replay.isAwaited)) void this.exploreFrom(this.replay.fen, steps);
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
    await this.search.show(this.panels.tab, this.panels.other);
  }

  /** Shows the page in another language: at once, or when the user agrees to lose what a new page would lose. */
  chooseLanguage(wanted: Language): void {
    // The new page begins with the query of the address. A query with an error, or without a result yet, is not there.
    if (this.library.current && !isSame(this.route.addressed, this.search.wanted())) this.put(this.search.text, this.search.parts, 'replace');
    this.language.choose(wanted, this.library.loss !== null);
  }

  /** The address of exactly what the page shows, also where the board shows the first match by itself. */
  link(): string {
    if (this.page === 'search' && !this.exploring && this.replay.game) this.step(() => undefined);
    this.route.flush();
    return location.href;
  }

  /** Moves through the game on the board; does nothing while another game is being fetched. */
  step(change: (replay: Replay) => void): void {
    if (this.replay.isAwaited) return;
    this.library.moveOn();
    change(this.replay);
    if (this.replay.game) this.chosen = this.replay.game.row.id;
    this.route.write('follow');
  }

  /** Moves through the game by a key, which waits for a game that is being fetched: a quick user means that game. */
  key(change: (replay: Replay) => void): void {
    if (this.replay.isAwaited) this.replay.onceShown(() => this.step(change));
    else this.step(change);
  }

  /** Sets the question and writes it into the address at once, before the engine gets a request. */
  put(query: string, parts: readonly Part[], how: 'push' | 'replace', isAlwaysNew = false): void {
    this.library.moveOn();
    this.route.overtake();
    this.below = 'results';
    this.search.text = query;
    this.search.parts = parts;
    this.route.addressed = this.search.wanted();
    this.route.write(how, {}, isAlwaysNew);
  }

  /** Shows a game with the positions that match the question of the result. */
  async showGame(id: number, ply: number | null, line: readonly string[] = []): Promise<void> {
    if (this.published.isAwaited(this.library.current?.id, id)) {
      this.route.awaited = { id, ply, line };
      this.replay.clear();
      return;
    }
    const { query, everywhere } = this.search.question;
    const isAboutAll = this.search.isAboutGames;
    const before = this.replay.game?.row.id;
    await this.replay.show(id, isAboutAll ? '' : query, ply, line, everywhere);
    if (before !== id) this.own.turnToMe();
    if (isAboutAll && ply === null) void this.follower.skipOpening(id);
    if (this.route.awaited?.id === id) this.route.awaited = null;
  }

  /** Lets positions match wherever the conditions hold, or only where the windows of the query were fulfilled. */
  async matchEverywhere(everywhere: boolean): Promise<void> {
    this.library.moveOn();
    this.search.everywhere = everywhere;
    this.route.addressed = this.search.wanted();
    this.route.write('push');
    await this.search.run();
  }

  private answered(): void {
    const { result, order, question } = this.search;
    if (!result) return;
    this.announcement = say(`${counted(result.games, ['# game', '# games'])}, ${counted(result.positions, ['# position', '# positions'])} match.`);
    const visiting = this.route.fetched;
    if (this.chosen !== null) {
      const { replay } = this;
      const linked = visiting?.game === this.chosen ? visiting : this.route.awaited?.id === this.chosen ? this.route.awaited : null;
      if (linked) void this.showGame(this.chosen, linked.ply, linked.line);
      else if (replay.game?.row.id === this.chosen) void this.showGame(this.chosen, replay.ply, replay.movesOfSideline);
      else void this.showGame(this.chosen, null);
    } else if (order[0] !== undefined) void this.showGame(order[0], null);
    else this.replay.clear();
    if (visiting) return;
    // A query that was only typed enters the address together with its result.
    // While plain words are read, the address has the words in the place of their query.
    const isRead = this.search.words !== '' && this.route.addressed.query === this.search.words;
    const isNew = !isRead && !isSame(this.route.addressed, question);
    this.route.addressed = question;
    this.route.write(isNew && this.page === 'search' ? 'push' : 'replace');
    void this.askExplorer();
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
