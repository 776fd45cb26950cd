// The query, the games that it selects from, and its result. A query is checked and run after a short
// pause in typing, and at once on Enter. The newest run replaces the last, and a late result of an older
// run is dropped.
import { EngineError, type EngineClient } from '../engine/client';
import type { Condition, GameRow, OutputKind, Outputs, Part, PositionHit, QueryProblem, QueryResult, Question, SortKey } from '../engine/protocol';
import { FIRST_KEY, type Tab } from './address';
import { mayAskTables } from './askstables';
import { sentence } from './library.svelte';
import { linkedReading, readText, type Reading } from './reading';
import { say } from './say';
import { isTable } from './tableoutputs';

/** Positions shown at first. Each "more" adds four times as many. */
export const POSITIONS_STEP = 240;
export const STRUCTURES_SHOWN = 60;
const PAUSE_MS = 300;
const ROWS_AT_ONCE = 100;

/** A query and its conditions. */
export interface Outline {
  query: string;
  conditions: readonly Condition[];
}

export class Search {
  text = $state('');
  /** An expression over named sets, empty for all games. */
  within = $state('');
  /** The parts to which the selection of games is narrowed. */
  parts = $state.raw<readonly Part[]>([]);
  /** Whether positions match wherever the conditions hold, also if the query has windows. */
  everywhere = $state(false);
  /** The key that matches are counted by. */
  key = $state(FIRST_KEY);
  /** Why there are no counts by this key: one sentence, empty if all is well. */
  keyTrouble = $state('');
  problem = $state.raw<QueryProblem | null>(null);
  /** The last text that was read as a query, and its conditions. */
  outline = $state.raw<Outline>({ query: '', conditions: [] });
  /** What a text of plain words means, once it was read; for the present text if it has that text. */
  reading = $state.raw<Reading | null>(null);
  running = $state(false);
  /** Whether a result for the present text is still to come: from the first letter until it arrives, fails or is cancelled. */
  pending = $state(false);
  result = $state.raw<QueryResult | null>(null);
  /** The query of `result`. */
  answered = $state('');
  /** The conditions of `answered`. */
  answeredConditions = $state.raw<readonly Condition[]>([]);
  /** The whole question of `result`. */
  question = $state.raw<Question>(WHOLE_CORPUS);
  /** The key of the groups of `result`. */
  counted = $state('');
  /** Why a run failed, if its text was not at fault: one sentence. */
  trouble = $state('');
  sortKey = $state<SortKey>('number');
  descending = $state(false);
  /** Matching games in the order shown. */
  order = $state.raw<Uint32Array>(new Uint32Array());
  /** Header rows fetched so far, by game. The map is replaced, not changed, so that views notice. */
  rows = $state.raw<ReadonlyMap<number, GameRow>>(new Map());
  positionsWanted = $state(POSITIONS_STEP);
  /** Whether to list all matching positions of a game, or only the first. */
  everyPosition = $state(false);
  /** What was asked for when the listed positions were fetched. */
  listed = $state.raw({ most: 0, every: false });
  /** What the engine can make of matches, once it runs. */
  kinds = $state.raw<readonly OutputKind[]>([]);
  /** The name of the user in the games, whom `my` means; empty if it is not known. */
  own = (): string => '';
  /** The tab whose outputs the next run collects. */
  tab: Tab = 'games';
  /** The tab in the other panel, whose outputs it collects too; empty if there is none that needs any. */
  beside: Tab = '';

  /** Whether the result is not that of the present question, and none is on its way: the text has an error, or its run ended early. */
  readonly isStale = $derived.by(() => this.result !== null && (this.problem !== null || !this.pending) && !this.isAnswered());

  /** What the plain words of the present text mean; null for a query, and until they are read. */
  readonly presentReading = $derived.by(() => (this.reading?.text === this.text ? this.reading : null));
  /** The query of the present text: what its plain words mean, or the text itself. */
  readonly query = $derived.by(() => this.presentReading?.query ?? this.text.trim());
  /** The plain words of the present text; empty if it is a query. */
  readonly words = $derived.by(() => (this.presentReading ? this.text.trim() : ''));

  /** Whether the question of the result is about games as a whole, so that all of their positions match. */
  readonly isAboutGames = $derived.by(() => this.answeredConditions.length > 0 && this.answeredConditions.every(({ about_games }) => about_games));

  /** Whether the corpus has grown since the last run began. */
  private hasGrown = false;

  /** Called after each successful run. */
  onanswer: (() => void) | null = null;
  /** Resolves once the engine has the tables of this device, for a run that asks tables. */
  tables: (() => Promise<void>) | null = null;

  private readonly client: EngineClient;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort: AbortController | null = null;
  private readonly asked = new Set<number>();
  /** Counts the times that rows have become old. Views that want rows notice. */
  private renewed = $state(0);
  /** Counts the corpora, since rows of one corpus do not belong to another. */
  private corpus = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Forgets results, for another corpus; the text stays. */
  reset(): void {
    this.cancel();
    this.corpus++;
    // Other games have other names. What a link says its words mean, it says of them.
    if (this.reading?.isRead) this.reading = null;
    this.problem = null;
    this.result = null;
    this.answered = '';
    this.answeredConditions = [];
    this.question = WHOLE_CORPUS;
    this.counted = '';
    this.order = new Uint32Array();
    this.rows = new Map();
    this.asked.clear();
    this.trouble = '';
  }

  /** The user has changed the text. */
  typed(text: string): void {
    this.text = text;
    // A running scan is for an older text, and the engine must be free for what the user types.
    this.cancel();
    this.pending = true;
    this.timer = setTimeout(() => void this.run(), PAUSE_MS);
    void this.readConditions().catch(() => undefined);
  }

  /** The conditions of the present query; none of a text that is no query. */
  private async readConditions(): Promise<readonly Condition[]> {
    const { query } = this;
    const conditions = query === '' ? [] : await this.client.call('conditions', { query });
    // The conditions of the text before stay until this one can be read.
    if (conditions && query === this.query) this.outline = { query, conditions };
    return conditions ?? [];
  }

  /**
   * Cancels what runs, because another question comes as soon as the engine has composed it. The signal aborts
   * if the user does something else first.
   */
  expect(): AbortSignal {
    this.cancel();
    this.abort = new AbortController();
    this.pending = true;
    return this.abort.signal;
  }

  /** Shows another tab. Runs the query again if the result lacks this tab's output. */
  async show(tab: Tab, beside: Tab = this.beside): Promise<void> {
    this.tab = tab;
    this.beside = beside;
    if (this.result && this.isAnswered() && !this.hasAll(this.result)) await this.run();
  }

  /** Whether a result has what the tabs show. */
  private hasAll(result: QueryResult): boolean {
    return this.collected(this.tab, result) && this.collected(this.beside, result);
  }

  private shows(tab: Tab): boolean {
    return tab === this.tab || tab === this.beside;
  }

  /** Whether the result belongs to the present question. */
  isAnswered(): boolean {
    return this.result !== null && isSame(this.question, this.wanted());
  }

  /** Counts by another key. */
  async countBy(key: string): Promise<void> {
    this.key = key;
    this.keyTrouble = '';
    // A running scan counts by the previous key.
    const wasPending = this.pending;
    const signal = this.expect();
    try {
      const problem = await this.client.call('checkKey', { key }, { signal });
      if (signal.aborted) return;
      if (problem) this.keyTrouble = sentence(problem.nearest ? say(`${problem.message}; did you mean ${problem.nearest}?`) : problem.message).replaceAll('`', '');
    } catch (error) {
      if (signal.aborted) return;
      this.keyTrouble = sentence(error);
    }
    if (wasPending) await this.run();
    else {
      this.cancel();
      if (this.keyTrouble === '') await this.show(this.tab);
    }
  }

  /** Lists all positions of each game, or only the first. */
  async listEvery(every: boolean): Promise<void> {
    this.everyPosition = every;
    this.positionsWanted = POSITIONS_STEP;
    await this.show(this.tab);
  }

  async morePositions(): Promise<void> {
    this.positionsWanted += POSITIONS_STEP * 4;
    await this.run();
  }

  /** How many positions can be listed as the tab shows them: all, or the first of each game. */
  get listable(): number {
    const isFirstOnly = this.shows('positions') && !this.everyPosition;
    return (isFirstOnly ? this.result?.games : this.result?.positions) ?? 0;
  }

  /** The first positions of the result: those that are there, or else fetched. */
  async firstPositions(most: number): Promise<readonly PositionHit[]> {
    const { result, question } = this;
    if (!result || result.hits.length >= Math.min(most, this.listable)) return result?.hits.slice(0, most) ?? [];
    const outputs: Outputs = { ...this.outputs(), heatmap: false, structures: 0, next: false, key: '', table: '', positions: most };
    return (await this.client.call('query', { question, outputs })).hits;
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.abort?.abort();
    this.abort = null;
    this.running = false;
    this.pending = false;
  }

  /** Checks the text and runs it; returns true if a result arrived and is still wanted. */
  async run(): Promise<boolean> {
    this.cancel();
    const abort = new AbortController();
    this.abort = abort;
    this.pending = true;
    // More games have more names.
    if (this.hasGrown && this.reading?.isRead && this.reading.unknown.length > 0) this.reading = null;
    this.hasGrown = false;
    this.trouble = '';
    try {
      this.problem = this.text.trim() === '' ? null : await this.read(abort.signal);
      if (abort.signal.aborted || this.problem) return false;
      const { query } = this;
      const conditions = this.readConditions().catch(() => []);
      if (this.asksTables()) {
        await this.tables?.();
        if (abort.signal.aborted) return false;
        this.hasGrown = false;
      }
      this.running = true;
      if (query !== this.answered) this.positionsWanted = POSITIONS_STEP;
      const question = this.wanted();
      const outputs = this.outputs();
      const result = await this.client.call('query', { question, outputs }, { signal: abort.signal });
      const order = await this.sorted(result.ids, abort.signal);
      // The engine has read them before it ran the query.
      const answeredConditions = await conditions;
      if (abort.signal.aborted) return false;
      this.result = result;
      this.answered = query;
      this.answeredConditions = answeredConditions;
      this.question = question;
      this.counted = outputs.key;
      if (outputs.positions > 0) this.listed = { most: outputs.positions, every: !outputs.one_per_game };
      this.order = order;
      this.onanswer?.();
      // The user may have changed to a tab whose output this run did not collect.
      const isCollected = JSON.stringify(outputs) === JSON.stringify(this.outputs()) || this.hasAll(result);
      return isCollected || this.abort !== abort || (await this.run());
    } catch (error) {
      if (abort.signal.aborted || (error instanceof EngineError && error.code === 'cancelled')) return false;
      // The error of the previous text does not apply to this text.
      this.problem = null;
      this.trouble = sentence(error);
      return false;
    } finally {
      if (this.abort === abort) {
        this.abort = null;
        this.running = false;
        this.pending = false;
        void this.askAgain();
      }
    }
  }

  /** Reads the present text. Returns what is wrong with it; null for a query, and for plain words some of which are understood. */
  private async read(signal: AbortSignal): Promise<QueryProblem | null> {
    const { text } = this;
    const known = this.presentReading;
    if (known?.isRead) return null;
    const linked = known?.query ?? '';
    const { problem, reading } = await readText(this.client, text, this.own(), signal);
    if (signal.aborted) return null;
    // Words of a link may mean something else by now, or among other games.
    if (linked !== '' && reading?.query !== linked) {
      this.take(linked);
      return this.read(signal);
    }
    this.reading = reading;
    return problem;
  }

  /** Takes a query with the words that it was typed with. */
  take(query: string, words = ''): void {
    this.text = words || query;
    this.reading = words === '' ? null : linkedReading(words, query);
  }

  /** Whether the present question asks endgame tables, or the tab that is shown does. */
  asksTables(): boolean {
    return mayAskTables(JSON.stringify([this.wanted(), this.outputs().key])) || this.kinds.some(({ name, asks_tables }) => this.shows(name) && asks_tables);
  }

  /** The corpus has more games, or tables know more: asks the present question again, after a run that is on its way. */
  async grown(): Promise<void> {
    this.hasGrown = true;
    if (!this.pending) await this.askAgain();
  }

  /** The engine has other tables: what it said by those before is asked again, at once if it is shown. */
  async tablesChanged(): Promise<void> {
    if (this.result) this.result = { ...this.result, table: null, groups: mayAskTables(this.counted) ? null : this.result.groups };
    if (this.asksTables()) await this.grown();
  }

  private async askAgain(): Promise<void> {
    if (!this.hasGrown) return;
    // A name that no game had may be in the new ones. A text that was only typed waits for the user.
    if (this.isAnswered() || this.problem || this.trouble !== '') await this.run();
    else this.hasGrown = false;
  }

  async sortBy(key: SortKey): Promise<void> {
    const before = { key: this.sortKey, descending: this.descending };
    const descending = this.sortKey === key ? !this.descending : key === 'white_elo' || key === 'black_elo' || key === 'plies';
    [this.sortKey, this.descending] = [key, descending];
    const result = this.result;
    if (!result) return;
    // A result that arrived meanwhile is already sorted by the new key.
    const isLate = () => this.result !== result || this.sortKey !== key || this.descending !== descending;
    try {
      const order = await this.sorted(result.ids);
      if (!isLate()) this.order = order;
    } catch (error) {
      if (isLate()) return;
      [this.sortKey, this.descending] = [before.key, before.descending];
      this.trouble = sentence(error);
    }
  }

  /** Fetches the missing header rows of games in view. */
  async want(ids: Iterable<number>): Promise<void> {
    void this.renewed;
    const missing = [...ids].filter((id) => !this.asked.has(id));
    if (missing.length === 0) return;
    const corpus = this.corpus;
    for (const id of missing) this.asked.add(id);
    for (let at = 0; at < missing.length; at += ROWS_AT_ONCE) {
      try {
        const rows = await this.client.call('rows', { ids: missing.slice(at, at + ROWS_AT_ONCE) });
        if (corpus !== this.corpus) return;
        this.rows = new Map([...this.rows, ...rows.map((row) => [row.id, row] as const)]);
      } catch {
        if (corpus === this.corpus) for (const id of missing.slice(at)) this.asked.delete(id);
        return;
      }
    }
  }

  /** The headers of games have changed: views fetch the rows anew, and show the old ones until these are there. */
  renewRows(): void {
    this.asked.clear();
    this.renewed++;
  }

  private async sorted(ids: Uint32Array, signal?: AbortSignal): Promise<Uint32Array> {
    if (this.sortKey === 'number' && !this.descending) return ids;
    return this.client.call('sort', { ids, key: this.sortKey, descending: this.descending }, signal ? { signal } : {});
  }

  /** The present question, whether it has a result or not. */
  wanted(): Question {
    return { query: this.query, within: this.within, parts: this.parts, everywhere: this.everywhere };
  }

  private outputs(): Outputs {
    return {
      heatmap: this.shows('heatmap'),
      structures: this.shows('structures') ? STRUCTURES_SHOWN : 0,
      positions: this.shows('positions') ? this.positionsWanted : 0,
      one_per_game: this.shows('positions') && !this.everyPosition,
      // For all games, the explorer shows the start position, which it fetches itself.
      next: this.shows('explorer') && !isEverything(this.wanted()),
      key: this.shows('counts') && this.keyTrouble === '' ? this.key : '',
      table: this.tableOf(this.tab) || this.tableOf(this.beside),
    };
  }

  /** The output that a tab shows as a table; empty if it shows something else. */
  private tableOf(tab: Tab): string {
    return isTable(tab) && this.kinds.some(({ name }) => name === tab) ? tab : '';
  }

  /** Whether the result has what a tab shows. */
  has(tab: Tab): boolean {
    return this.result !== null && this.collected(tab, this.result);
  }

  private collected(tab: Tab, result: QueryResult): boolean {
    if (tab === 'heatmap') return result.heatmap !== null;
    if (tab === 'structures') return result.structures.length > 0 || result.positions === 0;
    if (tab === 'positions') return (result.hits.length > 0 && this.listed.every === this.everyPosition) || result.positions === 0;
    if (tab === 'explorer') return result.next !== null || isEverything(this.question);
    if (tab === 'counts') return result.groups !== null && this.counted === this.key;
    return this.tableOf(tab) === '' || result.table?.output === tab;
  }
}

/** What a run collects that only counts. */
export const NO_OUTPUTS: Outputs = { heatmap: false, structures: 0, positions: 0, one_per_game: false, next: false, key: '', table: '' };

/** The question that every game of the corpus answers. */
export const WHOLE_CORPUS: Question = { query: '', within: '', parts: [], everywhere: false };

/** Whether a question selects all games: an empty query without a selection. */
export function isEverything({ query, within, parts }: Question): boolean {
  return query === '' && within === '' && parts.length === 0;
}

/** Whether two questions are the same. */
export function isSame(one: Question, two: Question): boolean {
  return JSON.stringify([one.query, one.within, one.parts, one.everywhere]) === JSON.stringify([two.query, two.within, two.parts, two.everywhere]);
}
