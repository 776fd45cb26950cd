// The pages beside the search: transforms, tables, one's own games, and training.
import type { App } from './app.svelte';
import { isUntouched, type Transforms } from './transforms.svelte';

export class Pages {
  private readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  /** Opens the page of transforms: with `fen`, or with the position that was there, or with the position on the board. */
  async openTransforms(fen = ''): Promise<void> {
    this.app.library.moveOn();
    const { transforms } = this.app;
    if (fen || isUntouched(transforms)) transforms.take(fen || this.app.fen);
    this.app.page = 'transforms';
    this.app.route.write('push');
    await this.ask();
  }

  /** Opens the page of tables: with `fen`, or as it was. */
  async openTablebase(fen = ''): Promise<void> {
    this.app.library.moveOn();
    this.app.page = 'tablebase';
    this.app.tabled = fen || this.app.tabled;
    this.app.route.write('push');
    const { board } = await this.app.loadTablebase();
    if (fen) board.show(fen);
  }

  /** The position on the page of tables has changed. */
  showTabled(fen: string): void {
    this.app.tabled = fen;
    if (this.app.page === 'tablebase') this.app.route.write('follow');
  }

  /** Returns to the search as it was. */
  close(): void {
    if (this.app.page === 'search') return;
    this.app.page = 'search';
    this.app.route.write('push');
  }

  /** Changes the position or the commands on the page of transforms. */
  async turn(change: (transforms: Transforms) => void, how: 'push' | 'replace' = 'push'): Promise<void> {
    change(this.app.transforms);
    if (this.app.page === 'transforms') this.app.route.write(how);
    await this.ask();
  }

  /** Fetches the images. Afterwards the address has the position as the engine reads it. */
  private async ask(): Promise<void> {
    await this.app.transforms.ask();
    if (this.app.page === 'transforms') this.app.route.write('replace');
  }

  /** Searches for a position and its images. Without a corpus, the query waits for one. */
  async searchTurned(query: string): Promise<void> {
    this.app.page = 'search';
    this.app.put(query, [], 'push');
    if (this.app.library.current) await this.app.search.run();
  }

  /** Opens the page of training. */
  openTraining(): void {
    this.app.library.moveOn();
    this.app.page = 'training';
    this.app.route.write('push');
  }

  /** Opens the page of one's own games. */
  openMine(): void {
    this.app.library.moveOn();
    this.app.page = 'mine';
    this.app.route.write('push');
  }
}
