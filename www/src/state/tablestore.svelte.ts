// The tables that the page can ask: those on this device, and those of hosts that the user has named. It starts the worker
// of tables when it is made, so the page makes it when a table is first needed.
import { TableClient, TableError, type TablePort } from '../tables/client';
import type { MakingProgress, TableHosts, TableMethods, TablesHere } from '../tables/protocol';
import { say } from './say';
import { forgetHost, rememberHost, rememberedHosts, type HostKind, type RememberedHosts } from './tablehosts';
import { rememberTables } from './tablememory';
import { MOST_PIECES } from './tableverdict';
import { bytes, counted, duration } from './words';

/** How many pieces the tables that are made here have at most. */
export const MADE_PIECES = 4;
const NOTHING: TablesHere = { names: [], bytes: 0, missing: 0, kept: 'device', notes: [] };
const NO_HOSTS: TableHosts = { folder: '', server: '' };

export class TableStore {
  readonly client: TableClient;
  here = $state.raw<TablesHere>(NOTHING);
  hosts = $state.raw<TableHosts>(NO_HOSTS);
  /** Addresses that the user chose before. */
  remembered = $state.raw<RememberedHosts>(rememberedHosts());
  making = $state.raw<MakingProgress | null>(null);
  /** What went wrong, in one sentence. */
  trouble = $state('');
  /** What was done last, in one sentence. */
  said = $state('');
  /** Bytes of the worker's memory after making tables, which never shrinks; 0 before. */
  memory = $state(0);
  /** Changes whenever other tables can be asked; what was not known before may be known then. */
  version = $state(0);
  isReady = $state(false);
  /** Whether tables are on their way from the folder in use. */
  isFetching = $state(false);

  /** Whether some table can be asked. */
  readonly hasTables = $derived(this.here.names.length > 0 || this.hosts.folder !== '' || this.hosts.server !== '');
  /** The most pieces of a position that some table may know; 0 without tables. A host may have tables of more pieces. */
  get mostPieces(): number {
    const { names } = this.here;
    const made = names.reduce((most, name) => Math.max(most, name.length - 1), 0);
    return this.hosts.folder || this.hosts.server ? MOST_PIECES : Math.max(made, names.length > 0 ? MADE_PIECES : 0);
  }

  /** Whether all tables that can be made here are here. */
  readonly isComplete = $derived(this.isReady && this.here.missing === 0);

  /** Called when the tables on this device are others. */
  onchange: (() => void) | null = null;

  private isStopping = false;
  private readonly threads: number | null;
  private readonly started: Promise<void>;

  /** `startWorker` makes a worker; another one takes its place if it stops while it makes tables. */
  constructor(startWorker: () => TablePort, threads: number | null) {
    this.client = new TableClient(startWorker);
    this.threads = threads;
    this.started = this.start();
  }

  private async start(): Promise<void> {
    try {
      const { here } = await this.client.hello(this.threads);
      this.changed(here);
    } catch (error) {
      this.trouble = tableSentence(error);
    }
    this.isReady = true;
  }

  /** Resolves once the tables on this device are known. */
  get ready(): Promise<void> {
    return this.started;
  }

  /** Makes all tables of three and four pieces that are not here. */
  async make(): Promise<void> {
    await this.started;
    if (this.making) return;
    this.trouble = this.said = '';
    this.isStopping = false;
    this.making = { done: 0, total: this.here.missing, name: '', left_ms: null };
    const begun = performance.now();
    try {
      const { memory_bytes, ...here } = await this.makeAll();
      this.changed(here);
      this.memory = memory_bytes;
      this.said = say(`${counted(here.names.length, ['# table', '# tables'])} made in ${duration(performance.now() - begun)}.`);
    } catch (error) {
      if (error instanceof TableError && error.code === 'cancelled') this.said = say('Stopped. The tables that are complete stay.');
      else this.trouble = tableSentence(error);
      await this.refresh();
    }
    this.making = null;
  }

  /** If the worker stops, another one goes on, as long as there are more tables than before. */
  private async makeAll(): Promise<TableMethods['make']['result']> {
    for (;;) {
      try {
        return await this.client.call('make', {}, (progress) => (this.making = progress));
      } catch (error) {
        const before = this.here.names.length;
        if (!(error instanceof TableError) || error.code !== 'engine') throw error;
        await this.restart();
        if (this.isStopping) throw new TableError({ code: 'cancelled', message: 'cancelled' });
        if (this.here.names.length <= before) throw error;
      }
    }
  }

  /** Starts another worker, which gets the tables and hosts of the first one. */
  private async restart(): Promise<void> {
    const kept = await this.client.call('files', {}).catch(() => []);
    this.client.restart();
    const { here } = await this.client.hello(this.threads);
    const files = kept.filter(({ name }) => !here.names.includes(name)).map(({ name, content }) => new File([content], `${name}.egp`));
    const { folder, server } = this.hosts;
    if (folder || server) await this.client.call('use', this.hosts).catch(() => (this.hosts = NO_HOSTS));
    this.changed(files.length > 0 ? await this.client.call('take', { files }) : here);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    await this.client.stop().catch((error: unknown) => (this.trouble = tableSentence(error)));
  }

  /** Takes packed tables from files. */
  async take(files: File[]): Promise<void> {
    await this.change(() => this.client.call('take', { files }));
  }

  /** Fetches from the folder in use the tables that positions of these materials need, and keeps them here. */
  async fetch(materials: readonly string[]): Promise<void> {
    this.trouble = this.said = '';
    this.isFetching = true;
    await this.change(() => this.client.call('fetch', { materials: [...materials] }));
    if (this.trouble) await this.refresh();
    this.isFetching = false;
  }

  async remove(): Promise<void> {
    await this.change(() => this.client.call('remove', {}));
  }

  /** Uses other hosts; if one of them cannot be used, those before stay. */
  async use(hosts: TableHosts): Promise<boolean> {
    await this.started;
    this.trouble = this.said = '';
    try {
      await this.client.call('use', hosts);
      this.hosts = hosts;
      this.version++;
      rememberTables(this.hasTables);
      return true;
    } catch (error) {
      this.trouble = tableSentence(error);
      return false;
    }
  }

  /** Uses a host that the user has chosen, and offers it again later. */
  async choose(kind: HostKind, address: string): Promise<void> {
    if (await this.use({ ...this.hosts, [kind]: address })) this.remembered = rememberHost(kind, address);
  }

  /** Offers an address no longer. */
  forget(kind: HostKind, address: string): void {
    this.remembered = forgetHost(kind, address);
  }

  /** Learns which tables are here, for instance after one was found damaged. */
  async refresh(): Promise<void> {
    const here = await this.client.call('list', {}).catch(() => null);
    if (here && here.names.join() !== this.here.names.join()) this.changed(here);
  }

  private async change(call: () => Promise<TablesHere>): Promise<void> {
    await this.started;
    try {
      this.changed(await call());
    } catch (error) {
      this.trouble = tableSentence(error);
    }
  }

  private changed(here: TablesHere): void {
    this.here = here;
    this.version++;
    rememberTables(this.hasTables);
    this.onchange?.();
  }

  /** `60 tables, 7.9 MB, on this device`. */
  get inventory(): string {
    const { names, bytes: size, kept } = this.here;
    if (names.length === 0) return '';
    const tables = counted(names.length, ['# table', '# tables']);
    return kept === 'device' ? say(`${tables} on this device, ${bytes(size)}.`) : say(`${tables} in memory, ${bytes(size)}, until this page closes.`);
  }
}

/** A failure of the worker in one sentence. */
export function tableSentence(error: unknown): string {
  if (error instanceof TableError && error.code === 'missing') return say(`The table of ${error.message.replace('v', '–')} is not here.`);
  return error instanceof Error ? error.message : String(error);
}
