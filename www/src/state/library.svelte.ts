// The corpora on this device: which there are, which one is open, and the import that may be
// running. An import never touches the open corpus until it has succeeded.
import { EngineError, type EngineClient } from '../engine/client';
import type { CorpusInfo, EngineInfo, ImportProgress, ImportReport, Progress } from '../engine/protocol';
import { corpusName } from './words';

/** A demo corpus lies beside the page; the address is relative so that sub-paths work. */
const DEMO = { url: 'demo/demo.pgn.zst', name: 'Demo games' };

export type ImportState =
  | { phase: 'idle' }
  | { phase: 'running'; name: string; progress: ImportProgress | null }
  | { phase: 'done'; report: ImportReport }
  | { phase: 'failed'; name: string; message: string };

export class Library {
  engine = $state.raw<EngineInfo | null>(null);
  corpora = $state.raw<CorpusInfo[]>([]);
  current = $state.raw<CorpusInfo | null>(null);
  importing = $state.raw<ImportState>({ phase: 'idle' });
  /** What went wrong outside an import, one sentence; empty when all is well. */
  trouble = $state('');

  private readonly client: EngineClient;
  private abort: AbortController | null = null;
  /** The corpus that is being opened, null for none. */
  private opening: string | null = null;
  /** Counts the lists that were asked for; `listed` is the newest that came. */
  private lists = 0;
  private listed = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Starts the engine; `threads` as in the protocol. */
  async start(threads: number | null = null): Promise<void> {
    try {
      const { corpora, ...engine } = await this.client.hello(threads);
      this.engine = engine;
      this.corpora = corpora;
    } catch (error) {
      this.trouble = sentence(error);
    }
  }

  /** Opens a corpus; false when it cannot be, and `trouble` says why, or when another one was chosen meanwhile. */
  async choose(id: string): Promise<boolean> {
    this.trouble = '';
    // The engine opens one after the other: what is on its way would come after what is open now.
    if (this.current?.id === id && this.opening === null) return true;
    this.opening = id;
    try {
      const corpus = await this.client.call('open', { corpus: id });
      if (this.opening !== id) return false;
      this.opening = null;
      this.current = corpus;
      return true;
    } catch (error) {
      if (this.opening !== id) return false;
      this.opening = null;
      this.trouble = sentence(error);
      return false;
    }
  }

  /** Fetches the list; what went wrong, empty when all is well. */
  private async refresh(): Promise<string> {
    try {
      await this.fetchList(() => this.client.call('list', {}));
      return '';
    } catch (error) {
      return sentence(error);
    }
  }

  /** Fetches the list of corpora, by a request that answers with it; an older list never replaces a newer one. */
  private async fetchList(request: () => Promise<CorpusInfo[]>): Promise<void> {
    const turn = ++this.lists;
    const corpora = await request();
    if (turn < this.listed) return;
    this.listed = turn;
    this.corpora = corpora;
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

  /** Imports files into one new corpus and opens it; true when that happened. */
  async importFiles(files: readonly File[], name = corpusName(files.map((file) => file.name))): Promise<boolean> {
    if (this.importing.phase === 'running' || files.length === 0) return false;
    const abort = new AbortController();
    this.abort = abort;
    this.importing = { phase: 'running', name, progress: null };
    try {
      const report = await this.client.call(
        'import',
        { name, files: [...files] },
        {
          signal: abort.signal,
          progress: (progress) => {
            if (progress.kind === 'import') this.importing = { phase: 'running', name, progress };
          },
        },
      );
      // Asks the browser not to clear the corpora away when the device runs low.
      void navigator.storage?.persist?.().catch(() => false);
      // It is imported, whether it can be opened and listed or not.
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

  /** Keeps games of the open corpus as one of their own. The open one stays open. */
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

  /** The demo corpus, once it is on the device. */
  get demo(): CorpusInfo | undefined {
    return this.corpora.find((corpus) => corpus.name === DEMO.name);
  }

  /** Fetches the demo corpus from beside the page, and opens it; true when that happened. */
  async importDemo(): Promise<boolean> {
    try {
      const response = await fetch(DEMO.url);
      if (!response.ok) throw new Error(`the demo games could not be fetched (${response.status}); check the connection and try again`);
      const file = new File([await response.blob()], 'demo.pgn.zst');
      return await this.importFiles([file], DEMO.name);
    } catch (error) {
      this.importing = { phase: 'failed', name: DEMO.name, message: sentence(error) };
      return false;
    }
  }

  cancelImport(): void {
    this.abort?.abort();
  }

  /** Takes the report away when it says nothing but that all went well. */
  moveOn(): void {
    if (this.importing.phase === 'done' && this.importing.report.refused === 0 && !this.importing.report.storage_note) this.dismiss();
  }

  dismiss(): void {
    if (this.importing.phase !== 'running') this.importing = { phase: 'idle' };
    this.trouble = '';
  }
}

/** The message of whatever was thrown, begun with a capital (unless with a file's name) and ended with a full stop. */
export function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const capital = /^\w+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
