// The corpora on this device, the open corpus, and a running import. An import does not touch the open
// corpus until it has succeeded.
import { EngineError, type EngineClient } from '../engine/client';
import { ALL_GAMES } from '../engine/corpusid';
import type { CorpusInfo, EngineInfo, FetchProgress, ImportProgress, ImportReport, Methods, Progress, Site } from '../engine/protocol';
import { mostCorpusBytes } from './devicememory';
import { say } from './say';
import { corpusName, corpusWords } from './words';

/** The demo games are a file beside the page; the address is relative so that sub-paths work. */
const DEMO = { url: 'demo/demo.pgn.zst', name: 'Demo games', id: 'demo' };

export type ImportState =
  | { phase: 'idle' }
  | { phase: 'running'; name: string; progress: ImportProgress | FetchProgress | null }
  | { phase: 'done'; report: ImportReport }
  | { phase: 'failed'; name: string; message: string };

export class Library {
  engine = $state.raw<EngineInfo | null>(null);
  corpora = $state.raw<CorpusInfo[]>([]);
  current = $state.raw<CorpusInfo | null>(null);
  importing = $state.raw<ImportState>({ phase: 'idle' });
  /** What went wrong outside an import: one sentence, empty if all is well. */
  trouble = $state('');

  private readonly client: EngineClient;
  private abort: AbortController | null = null;
  /** The corpus that is being opened, or null. */
  opening = $state<string | null>(null);
  /** Counts the corpora that were asked for, and the times that the user left all of them. */
  private choices = 0;
  /** Counts the requested lists; `listed` is the newest list that has arrived. */
  private lists = 0;
  private listed = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Starts the engine; `threads` and `library` are as in the protocol. */
  async start(threads: number | null = null, library = ''): Promise<void> {
    try {
      const { corpora, ...engine } = await this.client.hello(threads, library, mostCorpusBytes());
      this.engine = engine;
      this.corpora = corpora;
    } catch (error) {
      this.trouble = `The engine could not start: ${sentence(error)} Stored games are kept. Reload the page; if that does not help, try a newer browser.`;
    }
  }

  /** Opens a corpus. Returns false if that fails, with the reason in `trouble`, or if the user chose another one meanwhile. */
  async choose(id: string): Promise<boolean> {
    this.trouble = '';
    // The engine opens one corpus after the other, so a corpus that is still being opened would replace this one.
    if (this.current?.id === id && this.opening === null) return true;
    this.opening = id;
    // The same corpus may be asked for twice with another one between: the end of the first request says nothing about the second.
    const turn = ++this.choices;
    const isLate = () => turn !== this.choices;
    try {
      const corpus = await this.client.call('open', { corpus: id });
      if (isLate()) return false;
      this.opening = null;
      this.current = corpus;
      return true;
    } catch (error) {
      if (isLate()) return false;
      this.opening = null;
      // Another request of the user has ended it.
      if (!(error instanceof EngineError && error.code === 'cancelled')) this.trouble = sentence(error);
      return false;
    }
  }

  /** Fetches the list. Returns what went wrong, or an empty text. */
  async refresh(): Promise<string> {
    try {
      await this.fetchList(() => this.client.call('list', {}));
      return '';
    } catch (error) {
      return sentence(error);
    }
  }

  /** Fetches the list of corpora by `request`. An older list never replaces a newer one. */
  private async fetchList(request: () => Promise<CorpusInfo[]>): Promise<void> {
    const turn = ++this.lists;
    const corpora = await request();
    if (turn < this.listed) return;
    this.listed = turn;
    this.corpora = corpora;
  }

  /** Lists the corpora of a published library, too. */
  add(corpora: readonly CorpusInfo[]): void {
    this.corpora = [...this.corpora.filter(({ kept }) => kept !== 'library'), ...corpora];
  }

  /** No corpus is shown any more. The reason, if there is one, is one sentence. */
  leave(reason = ''): void {
    this.current = null;
    // A corpus that is still being opened must not come back.
    this.opening = null;
    this.choices++;
    this.trouble = reason;
  }

  async remove(id: string): Promise<void> {
    this.trouble = '';
    try {
      await this.fetchList(() => this.client.call('remove', { corpus: id }));
      if (this.current?.id === id) this.current = null;
    } catch (error) {
      this.trouble = sentence(error);
    }
  }

  /** Imports files into one new corpus and opens it; returns true if both succeeded. */
  async importFiles(files: readonly File[], name = corpusName(files.map((file) => file.name))): Promise<boolean> {
    return files.length > 0 && this.importBy('import', { name, files: [...files] });
  }

  /** Fetches a file of games, imports it and opens the new corpus; returns true if all succeeded. */
  async importFrom(address: string, file: string): Promise<boolean> {
    return this.importBy('importFrom', { address, name: corpusName([file]) });
  }

  /** Fetches all games of a player at a site, imports them and opens the new corpus; returns true if all succeeded. */
  async importPlayer(site: Site, player: string): Promise<boolean> {
    return this.importBy('importPlayer', { site, player, name: corpusName([`${player}.pgn`]) });
  }

  /** Makes one new corpus of all games of these and opens it; returns true if both succeeded. */
  async join(corpora: readonly string[], name: string): Promise<boolean> {
    return this.importBy('join', { corpora: [...corpora], name });
  }

  private async importBy<M extends 'import' | 'importFrom' | 'importPlayer' | 'join'>(method: M, params: Methods[M]['params']): Promise<boolean> {
    if (this.importing.phase === 'running') return false;
    const { name } = params;
    const abort = new AbortController();
    this.abort = abort;
    this.importing = { phase: 'running', name, progress: null };
    const progress = (progress: Progress) => {
      if (progress.kind !== 'export') this.importing = { phase: 'running', name, progress };
    };
    try {
      const report = await this.client.call(method, params, { signal: abort.signal, progress });
      // Asks the browser not to delete the corpora when the device runs out of space.
      void navigator.storage?.persist?.().catch(() => false);
      // The import has succeeded even if the corpus cannot be opened or listed.
      const unlisted = await this.refresh();
      const isOpen = await this.choose(report.corpus.id);
      this.trouble ||= unlisted;
      this.importing = { phase: 'done', report };
      return isOpen;
    } catch (error) {
      const cancelled = error instanceof EngineError && error.code === 'cancelled';
      this.importing = cancelled ? { phase: 'idle' } : { phase: 'failed', name, message: sentence(error) };
      return false;
    } finally {
      this.abort = null;
    }
  }

  /** Stores games of the open corpus as a new corpus. The open corpus stays open. */
  async collect(ids: Uint32Array, name: string): Promise<void> {
    if (this.importing.phase === 'running' || ids.length === 0) return;
    const abort = new AbortController();
    this.abort = abort;
    this.importing = { phase: 'running', name, progress: null };
    const progress = (progress: Progress) => {
      if (progress.kind === 'import') this.importing = { phase: 'running', name, progress };
    };
    try {
      const report = await this.client.call('collect', { ids, name }, { signal: abort.signal, progress });
      this.trouble = await this.refresh();
      this.importing = { phase: 'done', report };
    } catch (error) {
      const cancelled = error instanceof EngineError && error.code === 'cancelled';
      this.importing = cancelled ? { phase: 'idle' } : { phase: 'failed', name, message: sentence(error) };
    } finally {
      this.abort = null;
    }
  }

  /** The account of the import of a corpus, or a sentence why there is none. */
  async account(id: string): Promise<ImportReport | string> {
    try {
      return (await this.client.call('account', { corpus: id })) ?? say('This collection was imported before accounts of imports were kept.');
    } catch (error) {
      return sentence(error);
    }
  }

  /** The corpus that an address means. In an address, `demo` means the demo games unless a corpus has this name. */
  find(id: string): CorpusInfo | undefined {
    return this.corpora.find((corpus) => corpus.id === id) ?? (isDemo(id) ? this.demo : undefined);
  }

  /** What is lost if the page is loaded anew: a running import, or games that are only in memory. */
  get loss(): 'import' | 'memory' | null {
    if (this.importing.phase === 'running') return 'import';
    return this.corpora.some((corpus) => corpus.kept === 'memory') ? 'memory' : null;
  }

  /** The demo corpus, once it is on the device. */
  get demo(): CorpusInfo | undefined {
    return this.corpora.find((corpus) => corpus.name === DEMO.name);
  }

  /** Fetches the demo games, imports them and opens the corpus; returns true if that succeeded. */
  async importDemo(): Promise<boolean> {
    if (this.importing.phase === 'running') return false;
    const abort = new AbortController();
    this.abort = abort;
    this.importing = { phase: 'running', name: DEMO.name, progress: null };
    try {
      const games = await fetchDemo(abort.signal);
      this.importing = { phase: 'idle' };
      return await this.importFiles([new File([games], 'demo.pgn.zst')], DEMO.name);
    } catch (error) {
      this.importing = abort.signal.aborted ? { phase: 'idle' } : { phase: 'failed', name: DEMO.name, message: sentence(error) };
      return false;
    }
  }

  cancelImport(): void {
    this.abort?.abort();
  }

  /** Removes the import report if there is nothing to read in it: no game was refused or kept in part, and all was understood and stored. */
  moveOn(): void {
    if (this.importing.phase !== 'done') return;
    const { refused, in_part, notes, skipped, storage_note } = this.importing.report;
    if (refused + in_part + notes.length + skipped.length === 0 && !storage_note) this.dismiss();
  }

  dismiss(): void {
    if (this.importing.phase !== 'running') this.importing = { phase: 'idle' };
    this.trouble = '';
  }
}

async function fetchDemo(signal: AbortSignal): Promise<Blob> {
  try {
    const response = await fetch(DEMO.url, { signal });
    if (response.ok) return await response.blob();
    const missing = say(`the host does not have the demo games (${response.status}). Import a PGN file of your own, or try again later`);
    throw new Error(missing);
  } catch (error) {
    // The browser's own words for a failed connection mean nothing to a player.
    const offline = say('the demo games could not be fetched, because the host of this page cannot be reached. Check the connection and try again');
    throw error instanceof TypeError ? new Error(offline) : error;
  }
}

/** The name of a corpus as the page shows it. Addresses and storage have its English name. */
export function titleOf(name: string): string {
  if (name === ALL_GAMES) return say('All games');
  return name === DEMO.name ? say('Demo games') : corpusWords(name);
}

/** Whether an address means the demo games by this name. */
export function isDemo(id: string): boolean {
  return id === DEMO.name || id === DEMO.id;
}

/** Whether a corpus has the games that an address means: its file had the same name, or both are the demo games. */
export function isCalled(id: string, wanted: string): boolean {
  const bare = (name: string) => (isDemo(name) ? DEMO.name : name.replace(/ \d+$/, ''));
  return bare(id) === bare(wanted);
}

/** The message of anything thrown, with a full stop and a capital letter, unless a file name comes first. */
export function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const capital = /^\w+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
