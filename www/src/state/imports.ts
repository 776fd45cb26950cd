// How games come to this device and leave it: files, games of a player, the demo, what is pasted, what is made of others. Each import
// opens its corpus, and `Visits` then shows it.
import type { Site } from '../engine/protocol';
import type { Place } from './address';
import type { App } from './app.svelte';
import type { Library } from './library.svelte';
import { PASTED, readPasted } from './paste';
import { say } from './say';
import { counted } from './words';

/** The query that runs when the demo games open without a query. Other corpora show all their games. */
export const FIRST_QUERY = 'queens_off';

export class Imports {
  private readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  /** Stores the matching games as a new corpus, which then appears in the list. */
  async collect(name: string): Promise<void> {
    const { library, search } = this.app;
    await library.collect(search.order.slice(), name);
  }

  /** Imports files. The address changes only when the import is complete, since the corpus has no name before. */
  files(files: readonly File[]): Promise<void> {
    return this.shown((library) => library.importFiles(files), this.app.missing);
  }

  /** Imports all games of a player at lichess or chess.com, who is the user. */
  async player(site: Site, player: string): Promise<void> {
    this.app.search.text = '';
    await this.shown((library) => library.importPlayer(site, player));
  }

  /** Makes a new corpus of all games of these. They stay as they are. */
  join(corpora: readonly string[], name: string): Promise<void> {
    return this.shown((library) => library.join(corpora, name));
  }

  /** Brings games, and then shows them: at the place of the link that waited for them, if there is one. */
  private async shown(bring: (library: Library) => Promise<boolean>, missing: Place | null = null): Promise<void> {
    const { library, own, visits } = this.app;
    const before = library.current?.id ?? null;
    if (!(await bring(library))) return;
    await visits.imported(missing, before);
    await own.askWhoIAm();
  }

  /** Imports the demo games, or opens them, and asks them something. */
  async demo(query = ''): Promise<void> {
    const { library, search, visits } = this.app;
    if (query) search.text = query;
    if (library.demo) {
      await visits.goTo(library.demo.id, search.text.trim() || FIRST_QUERY, this.app.tab);
      return;
    }
    const missing = query ? null : this.app.missing;
    const before = library.current?.id ?? null;
    if (!(await library.importDemo())) return;
    if (!missing) search.text ||= FIRST_QUERY;
    await visits.imported(missing, before, search.text);
  }

  /** Deletes a corpus of this device. */
  async remove(id: string): Promise<void> {
    const { library } = this.app;
    await library.remove(id);
    if (!library.current) this.app.forget();
  }

  /** Takes a pasted text: games, a position or moves. Returns a sentence for the user, empty if the import tells all. */
  async paste(text: string): Promise<string> {
    const { app } = this;
    const pasted = readPasted(text, app.fen);
    if (pasted.kind === 'unknown') return pasted.says;
    if (pasted.kind === 'games') {
      await this.files([new File([pasted.text], `${PASTED}.pgn`, { type: 'application/x-chess-pgn' })]);
      return '';
    }
    const { current } = app.library;
    if (pasted.kind === 'position') {
      if (current && app.page === 'search') void app.exploreFrom(pasted.fen);
      else void app.pages.openTransforms(pasted.fen);
      return current ? 'The position is on the board.' : 'The position is on the board. To search for it, import games.';
    }
    if (!current) return 'Import games first; then pasted moves become a line on the board.';
    void app.exploreFrom(pasted.from, pasted.steps);
    const moves = counted(pasted.steps.length, ['# move', '# moves']);
    return pasted.rest.length === 0 ? say(`${moves} on the board.`) : say(`${moves} on the board; ${pasted.rest[0]} is not possible after that.`);
  }
}
