// What the page waits for before it shows its address: a file of games or a published library at a host. The user is asked first.
import type { CorpusInfo } from '../engine/protocol';
import type { App } from './app.svelte';
import { remember } from './lastcorpus';

export class Gate {
  private readonly app: App;

  constructor(app: App) {
    this.app = app;
  }

  /** Shows what the address says, unless its games are still at a host. */
  async begin(): Promise<void> {
    const { library, linked, route, search, visits } = this.app;
    const place = route.read();
    if (linked.isWanted && library.engine && !library.find(place.corpus)) {
      if (library.find(linked.kept)) return visits.visit({ ...place, corpus: linked.kept });
      await linked.begin();
    }
    if (this.awaitsLibrary || this.awaitsFile) search.take(place.query, place.words);
    else await visits.visit(place);
  }

  /** Whether the page waits for a file that its address names. */
  get awaitsFile(): boolean {
    return this.app.linked.state.phase !== 'none';
  }

  /** The user wants the file that the address names: it is imported, and then the page shows the rest of what the address says. */
  async takeFile(): Promise<void> {
    const { library, linked, route, visits } = this.app;
    const place = route.read();
    if (!(await library.importFrom(linked.address, linked.file))) return;
    const id = library.current?.id ?? '';
    linked.end();
    linked.keep(id);
    remember(id);
    await visits.visit({ ...place, corpus: id }, null);
  }

  /** The user does not want the file. */
  async declineFile(): Promise<void> {
    const { linked, route, visits } = this.app;
    linked.end();
    await visits.visit(route.read());
  }

  /** Whether the page waits for a published library: the user is asked about its host, or it could not be fetched. */
  get awaitsLibrary(): boolean {
    const { phase } = this.app.published.state;
    return phase !== 'none' && phase !== 'here';
  }

  /** The user wants the published library after all; then the page shows what its address says. */
  async takeLibrary(): Promise<void> {
    await this.enter(await this.app.published.take());
  }

  /** The user does not want the published library. */
  async declineLibrary(): Promise<void> {
    this.app.published.decline();
    await this.enter([]);
  }

  private async enter(corpora: readonly CorpusInfo[]): Promise<void> {
    const { library, route, visits } = this.app;
    if (this.awaitsLibrary) return;
    library.add(corpora);
    await visits.visit(route.read());
  }
}
