// Joins library, search and replay, and keeps the address in step with them. Views call the verbs
// of this class; only this class writes the address, and only it reads it back.
import type { EngineClient } from '../engine/client';
import type { Predicate } from '../engine/protocol';
import { formatPlace, parsePlace, type Place, type Tab } from './address';
import { addApart, addCondition } from './compose';
import { Library } from './library.svelte';
import { Replay } from './replay.svelte';
import { Saved } from './saved.svelte';
import { Search } from './search.svelte';
import { ThemeChoice } from './theme.svelte';
import { Typing } from './typing.svelte';

/** A query that shows something on nearly every corpus, run when a corpus opens without one. */
export const FIRST_QUERY = 'queens_off';

const LAST_CORPUS = 'plyfold.corpus';

export class App {
  readonly library: Library;
  readonly search: Search;
  readonly replay: Replay;
  readonly saved = new Saved();
  readonly typing: Typing;
  readonly theme = new ThemeChoice();
  tab = $state<Tab>('games');
  /** The game that was chosen, as opposed to the first match shown unasked. */
  chosen = $state<number | null>(null);
  /** False until the engine has answered for the first time. */
  ready = $state(false);
  /** Said to those who listen; changes with every answer. */
  announcement = $state('');

  readonly client: EngineClient;

  constructor(client: EngineClient) {
    this.client = client;
    this.library = new Library(client);
    this.search = new Search(client);
    this.replay = new Replay(client);
    this.typing = new Typing(client);
    this.search.onanswer = () => this.answered();
  }

  async start(): Promise<void> {
    this.theme.apply();
    this.saved.follow();
    addEventListener('popstate', () => void this.visit(parsePlace(location.hash)));
    await this.library.start(wantedThreads(location.search));
    await this.visit(parsePlace(location.hash));
    this.ready = true;
  }

  /** Opens a corpus and asks the present query, or the first one. */
  async openCorpus(id: string): Promise<void> {
    if (await this.library.choose(id)) await this.opened();
  }

  async importFiles(files: readonly File[]): Promise<void> {
    if (await this.library.importFiles(files)) await this.opened();
  }

  async importDemo(query = ''): Promise<void> {
    if (query) this.search.text = query;
    if (await this.library.importDemo()) await this.opened();
  }

  async removeCorpus(id: string): Promise<void> {
    await this.library.remove(id);
    if (this.library.current) return;
    this.search.reset();
    this.replay.clear();
    this.chosen = null;
    this.write('replace');
  }

  /** Runs a whole new text, as from an example or a click on an answer. */
  async ask(query: string): Promise<void> {
    this.library.moveOn();
    this.search.text = query;
    await this.search.run();
  }

  /** Follows an answer: asks for the part of the matches where `condition` holds too, and shows it on a tab. */
  async narrow(condition: string, tab: Tab): Promise<void> {
    this.tab = tab;
    this.search.tab = tab;
    await this.ask(await this.with(this.search.answered, condition));
  }

  /**
   * `query` and `condition` at one position, or beside each other where `query` speaks of more than
   * one: the engine knows which of the two can be asked.
   */
  async with(query: string, condition: string): Promise<string> {
    const together = addCondition(query, condition);
    const problem = await this.client.call('check', { query: together }).catch(() => null);
    return problem ? addApart(query, condition) : together;
  }

  /** All that has a name in a query, fetched once. */
  predicates(): Promise<Predicate[]> {
    this.named ??= this.client.call('predicates', {});
    this.named.catch(() => (this.named = null));
    return this.named;
  }

  private named: Promise<Predicate[]> | null = null;

  async selectTab(tab: Tab): Promise<void> {
    if (tab === this.tab) return;
    this.library.moveOn();
    this.tab = tab;
    this.write('push');
    await this.search.show(tab);
  }

  async selectGame(id: number, ply: number | null = null): Promise<void> {
    this.library.moveOn();
    const first = this.chosen === null;
    this.chosen = id;
    await this.replay.show(id, this.search.answered, ply);
    // Walking through the list with the keyboard is one step back, not hundreds.
    this.write(first ? 'push' : 'replace');
  }

  /** Moves on the board. */
  step(change: (replay: Replay) => void): void {
    this.library.moveOn();
    change(this.replay);
    if (this.replay.game) this.chosen = this.replay.game.row.id;
    this.write('replace');
  }

  private async opened(): Promise<void> {
    remember(this.library.current?.id ?? '');
    this.search.reset();
    this.replay.clear();
    this.chosen = null;
    if (this.search.text.trim() === '') this.search.text = FIRST_QUERY;
    this.write('push');
    await this.search.run();
  }

  /** Makes the page show a place: at the start, and when the user goes back. */
  private async visit(place: Place): Promise<void> {
    this.tab = place.tab;
    const known = (id: string) => this.library.corpora.some((corpus) => corpus.id === id);
    const wanted = known(place.corpus) ? place.corpus : this.library.current?.id ?? [remembered()].find(known) ?? this.library.corpora[0]?.id;
    const before = this.library.current?.id;
    if (wanted === undefined || !(await this.library.choose(wanted))) {
      this.search.text = place.query;
      return;
    }
    if (before !== wanted) {
      this.search.reset();
      this.replay.clear();
    }
    this.chosen = place.game;
    const query = place.query || (before === undefined ? FIRST_QUERY : '');
    const asked = query !== this.search.answered;
    this.search.text = query;
    this.search.tab = place.tab;
    this.visiting = place;
    try {
      // Another tab of the same query may have its answer already.
      await (asked ? this.search.run() : this.search.show(place.tab));
    } finally {
      this.visiting = null;
    }
    if (!asked && place.game !== null && (place.game !== this.replay.game?.row.id || place.ply !== this.replay.ply)) {
      await this.replay.show(place.game, this.search.answered, place.ply);
    }
  }

  /** The place being gone to, while its answer is fetched; its address is there already. */
  private visiting: Place | null = null;

  private answered(): void {
    const { result, order, answered } = this.search;
    if (!result) return;
    this.announcement = `${result.games} games, ${result.positions} positions match.`;
    const visiting = this.visiting;
    if (this.chosen !== null) {
      const ply = visiting ? visiting.ply : this.replay.game?.row.id === this.chosen ? this.replay.ply : null;
      void this.replay.show(this.chosen, answered, ply);
    } else if (order[0] !== undefined) void this.replay.show(order[0], answered, null);
    else this.replay.clear();
    if (!visiting) this.write(parsePlace(location.hash).query === answered ? 'replace' : 'push');
  }

  private write(how: 'push' | 'replace'): void {
    const place: Place = {
      corpus: this.library.current?.id ?? '',
      query: this.search.answered || this.search.text.trim(),
      tab: this.tab,
      game: this.chosen,
      ply: this.chosen === null ? null : this.replay.ply,
    };
    const fragment = formatPlace(place);
    if (fragment === location.hash) return;
    const address = `${location.pathname}${location.search}${fragment}`;
    if (how === 'push') history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  }
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

/** `?threads=1` in the address asks for so many threads, 0 for the build without; for measuring and for finding faults. */
function wantedThreads(search: string): number | null {
  const text = new URLSearchParams(search).get('threads');
  return text !== null && /^\d{1,2}$/.test(text) ? Number(text) : null;
}
