// `<plyfold-search library="https://…/library.json" query="queens_off">`: a query, the games that match, and a board, in somebody
// else's page. What a corpus says is set as text, never as HTML.
import { PlyfoldError, type Game, type Games, type QueryResult, type Replay } from './api.js';
import { open } from './browser.js';
import { lettersOf, wordsOf } from './diagram';
import { STYLE } from './elementstyle';

const GAMES_AT_ONCE = 20;

/** Makes an element with these properties and children. */
function make<K extends keyof HTMLElementTagNameMap>(name: K, properties: Partial<HTMLElementTagNameMap[K]> = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** The game on the board, and how many of its plies have been played. */
interface Shown {
  game: Game;
  replay: Replay;
  ply: number;
}

export class PlyfoldSearch extends HTMLElement {
  static readonly observedAttributes = ['library', 'corpus', 'query'];

  readonly #input = make('input', { type: 'search', spellcheck: false, autocomplete: 'off', placeholder: 'queens_off' });
  readonly #status = make('p', { className: 'status' });
  readonly #list = make('ol');
  readonly #more = make('button', { type: 'button', hidden: true }, 'More games');
  readonly #squares = Array.from({ length: 64 }, (_, nth) => make('span', { className: (nth + (nth >> 3)) % 2 ? 'dark' : '' }));
  readonly #board = make('div', { className: 'board' }, ...this.#squares);
  readonly #caption = make('figcaption');
  readonly #previous = make('button', { type: 'button' }, 'Previous');
  readonly #next = make('button', { type: 'button' }, 'Next');
  readonly #nextMatch = make('button', { type: 'button' }, 'Next match');
  readonly #figure = make('figure', { hidden: true, tabIndex: -1 }, this.#board, this.#caption, make('div', { className: 'steps' }, this.#previous, this.#next, this.#nextMatch));

  #isInPage = false;
  #games: Games | null = null;
  #result: QueryResult | null = null;
  #shown: Shown | null = null;
  /** The opening, and the query, that runs. */
  #opening: AbortController | null = null;
  #asking: AbortController | null = null;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    const form = make('form', {}, make('label', {}, 'Query', this.#input), make('button', { type: 'submit' }, 'Search'));
    form.setAttribute('role', 'search');
    this.#status.setAttribute('role', 'status');
    this.#board.setAttribute('role', 'img');
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [sheet];
    root.append(form, this.#status, make('div', { className: 'columns' }, make('div', { className: 'found' }, this.#list, this.#more), this.#figure));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#search();
    });
    this.#more.addEventListener('click', () => void this.#listFrom(this.#list.childElementCount));
    this.#previous.addEventListener('click', () => this.#step(-1));
    this.#next.addEventListener('click', () => this.#step(1));
    this.#nextMatch.addEventListener('click', () => this.#go(this.#matchAfter));
    this.#figure.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowLeft') this.#step(-1);
      else if (event.key === 'ArrowRight') this.#step(1);
      else return;
      event.preventDefault();
    });
  }

  connectedCallback(): void {
    this.#isInPage = true;
    void this.#open();
  }

  disconnectedCallback(): void {
    this.#isInPage = false;
    this.#close();
  }

  attributeChangedCallback(name: string, old: string | null, now: string | null): void {
    if (name === 'query') this.#input.value = now ?? '';
    // A browser tells the attributes of an element before it says that it is in the page.
    if (!this.#isInPage || old === now) return;
    if (name === 'query') void this.#search();
    else void this.#open();
  }

  #close(): void {
    this.#opening?.abort();
    this.#asking?.abort();
    this.#games?.close();
    this.#games = null;
    this.#result = null;
    this.#shown = null;
  }

  async #open(): Promise<void> {
    this.#close();
    const library = this.getAttribute('library');
    if (!library) return this.#say('The attribute "library" says where the games are.', true);
    const opening = (this.#opening = new AbortController());
    this.#say('Opening …');
    try {
      const corpus = this.getAttribute('corpus');
      const games = await open(library, { signal: opening.signal, ...(corpus === null ? {} : { corpus }) });
      if (opening.signal.aborted) return games.close();
      this.#games = games;
      // Each part that arrives has further answers.
      for await (const _ of games.arrivals()) await this.#search(true);
    } catch (thrown) {
      if (!opening.signal.aborted) this.#fail(thrown);
    }
  }

  /** Asks the query; `isAgain` keeps the game that is shown. */
  async #search(isAgain = false): Promise<void> {
    const games = this.#games;
    const query = this.#input.value.trim();
    if (!games || (isAgain && this.#asking)) return;
    this.#asking?.abort();
    if (query === '') return this.#say(`${games.games.toLocaleString('en')} games`);
    const asking = (this.#asking = new AbortController());
    const before = games.games;
    try {
      const result = await games.query(query, { signal: asking.signal });
      this.#result = result;
      if (!isAgain) this.#show(null);
      // Further games only come behind those that are listed.
      const listed = isAgain ? this.#list.childElementCount : 0;
      if (listed < GAMES_AT_ONCE) await this.#listFrom(listed);
      this.#more.hidden = this.#list.childElementCount >= result.games;
      this.#input.setAttribute('aria-invalid', 'false');
      this.#say(`${counted(result.games, 'game')}, ${counted(result.positions, 'position')}${before === games.games && games.isComplete ? '' : ` in the first ${before.toLocaleString('en')} games; more are arriving`}`);
    } catch (thrown) {
      if (!asking.signal.aborted) this.#fail(thrown);
    } finally {
      if (this.#asking === asking) {
        this.#asking = null;
        // What has arrived meanwhile was not asked.
        if (games === this.#games && games.games > before) void this.#search(true);
      }
    }
  }

  /** Lists further games from a place of the result on. */
  async #listFrom(from: number): Promise<void> {
    const result = this.#result;
    const rows: HTMLLIElement[] = [];
    for await (const game of result?.each(from) ?? []) {
      rows.push(make('li', {}, this.#row(game)));
      if (rows.length === GAMES_AT_ONCE) break;
    }
    if (result !== this.#result) return;
    if (from === 0) this.#list.replaceChildren();
    this.#list.append(...rows);
    this.#more.hidden = from + rows.length >= (result?.games ?? 0);
  }

  #row(game: Game): HTMLButtonElement {
    const about = [game.result, game.date.replaceAll('.??', ''), game.event].filter((text) => text !== '').join(' · ');
    const row = make('button', { type: 'button' }, `${game.white} – ${game.black}`, make('small', {}, about));
    row.dataset['number'] = String(game.number);
    row.setAttribute('aria-pressed', String(this.#shown?.game.number === game.number));
    row.addEventListener('click', () => void this.#choose(game));
    return row;
  }

  async #choose(game: Game): Promise<void> {
    const query = this.#input.value.trim();
    try {
      const replay = await game.replay(query);
      this.#show({ game, replay, ply: replay.matches[0] ?? 0 });
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #show(shown: Shown | null): void {
    this.#shown = shown;
    for (const row of this.#list.querySelectorAll('button')) row.setAttribute('aria-pressed', String(row.dataset['number'] === String(shown?.game.number)));
    this.#figure.hidden = shown === null;
    if (shown) this.#go(shown.ply);
  }

  #step(by: number): void {
    if (this.#shown) this.#go(this.#shown.ply + by);
  }

  /** The next matching ply after the one that is shown, or the first one. */
  get #matchAfter(): number {
    const { ply, replay } = this.#shown ?? { ply: 0, replay: null };
    return replay?.matches.find((match) => match > ply) ?? replay?.matches[0] ?? ply;
  }

  #go(ply: number): void {
    if (!this.#shown) return;
    const { replay } = this.#shown;
    const { moves, matches } = replay;
    const to = (this.#shown.ply = Math.max(0, Math.min(moves.length, ply)));
    const move = moves[to - 1];
    const fen = move?.fen ?? replay.fen;
    const letters = lettersOf(fen);
    this.#squares.forEach((square, nth) => (square.textContent = letters[nth] ?? ''));
    this.#board.setAttribute('aria-label', wordsOf(fen));
    this.#caption.textContent = `${move ? `${movedIn(to === 1 ? replay.fen : (moves[to - 2]?.fen ?? ''))} ${move.san}` : 'Before the first move'}${matches.includes(to) ? ' · matches' : ''}`;
    this.#previous.disabled = to === 0;
    this.#next.disabled = to === moves.length;
    this.#nextMatch.disabled = matches.length === 0;
  }

  #say(text: string, isWrong = false): void {
    this.#status.textContent = text;
    this.#status.classList.toggle('wrong', isWrong);
  }

  #fail(thrown: unknown): void {
    this.#input.setAttribute('aria-invalid', String(thrown instanceof PlyfoldError && thrown.code === 'bad-query'));
    this.#say(thrown instanceof Error ? thrown.message : String(thrown), true);
  }
}

function counted(number: number, thing: string): string {
  return `${number.toLocaleString('en')} ${thing}${number === 1 ? '' : 's'}`;
}

/** The number of the move that is made in a position: `12.` or `12…`. */
function movedIn(fen: string): string {
  const [, side, , , , move = '1'] = fen.split(' ');
  return `${move}${side === 'b' ? '…' : '.'}`;
}

if (!customElements.get('plyfold-search')) customElements.define('plyfold-search', PlyfoldSearch);
