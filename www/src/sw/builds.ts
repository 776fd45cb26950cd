// The builds of the site that are stored on the device, one cache each, and which tab was loaded from
// which build. A tab gets its files from its own build as long as it is open, so no page gets the files of
// another build.

/** A file of a build, relative to the service worker, and its digest in the form of `integrity`. */
export type KeptFile = readonly [path: string, integrity: string];

/** What this module needs of the browser's caches. */
export type Caches = Pick<CacheStorage, 'open' | 'keys' | 'delete'>;

/** The cache that notes which tab was loaded from which build; no version has this name. */
const TABS = 'tabs';

export class Builds {
  private readonly caches: Caches;
  private readonly scope: string;
  /** Caches belong to the origin, which may have several sites: the scope keeps their caches apart. */
  private readonly family: string;
  readonly version: string;
  /** What is known already, since a page asks for dozens of files at once: open caches by version, and the builds of tabs, which stay. */
  private readonly opened = new Map<string, Promise<Cache>>();
  private readonly tabs = new Map<string, string>();

  constructor(caches: Caches, scope: string, version: string) {
    this.caches = caches;
    this.scope = scope;
    this.family = `plyfold ${scope} `;
    this.version = version;
  }

  /**
   * Fetches all files of this build and stores all or none. A file of another build, if the host changed
   * meanwhile, is refused.
   */
  async fetchAll(files: readonly KeptFile[]): Promise<void> {
    const cache = await this.cache(this.version);
    // `no-cache` asks the host again, so that a cached file of an older build is not taken for a new one.
    await cache.addAll(files.map(([path, integrity]) => new Request(new URL(path, this.scope), { cache: 'no-cache', integrity })));
  }

  /**
   * A file that is not part of the first download: stored, or else fetched and then stored with this build. A file
   * that cannot be stored, because the device is full, is served all the same.
   */
  async fileLater([path, integrity]: KeptFile, tab: string): Promise<Response> {
    const address = new URL(path, this.scope).href;
    const stored = await this.file(new Request(address), tab).catch(() => undefined);
    if (stored) return stored;
    const response = await fetch(new Request(address, { cache: 'no-cache', integrity })).catch(() => null);
    if (!response) return refusal(await fetch(address));
    await this.store(address, response.clone()).catch(() => undefined);
    return response;
  }

  /** Takes over from older builds what they stored of these files, because their names contain digests: the same name is the same file. */
  async takeFromOlder(files: readonly KeptFile[]): Promise<void> {
    for (const [path] of files) {
      const address = new URL(path, this.scope).href;
      const stored = await this.file(new Request(address), '');
      if (stored) await this.store(address, stored).catch(() => undefined);
    }
  }

  private async store(address: string, response: Response): Promise<void> {
    await (await this.cache(this.version)).put(address, response);
  }

  /** The page, for a tab that is being loaded from this build. */
  async page(tab: string): Promise<Response | undefined> {
    const cache = await this.cache(this.version);
    const page = await cache.match(this.scope);
    if (page && tab !== '') await this.note(tab);
    return page;
  }

  /**
   * A file for a tab or a worker: from the build that the tab was loaded from, if that is known, otherwise from
   * this build, otherwise from any build. Files that differ between builds have digests in their names.
   */
  async file(request: Request, tab: string): Promise<Response | undefined> {
    const first = (await this.of(tab)) ?? this.version;
    const find = async (version: string) => (await this.cache(version)).match(request);
    const found = await find(first);
    if (found) return found;
    for (const version of new Set([this.version, ...(await this.versions())])) {
      const other = version === first ? undefined : await find(version);
      if (other) return other;
    }
    return undefined;
  }

  private cache(version: string): Promise<Cache> {
    const known = this.opened.get(version);
    if (known) return known;
    const cache = this.caches.open(this.family + version);
    this.opened.set(version, cache);
    cache.catch(() => this.opened.delete(version));
    return cache;
  }

  /** Removes builds that no open tab was loaded from. If the build of some tab is unknown, all builds stay. */
  async dropUnused(tabs: readonly string[]): Promise<void> {
    const used = new Set<string | null>(await Promise.all(tabs.map((tab) => this.of(tab))));
    if (!used.has(null)) {
      const unused = (await this.versions()).filter((version) => version !== this.version && !used.has(version));
      await Promise.all(unused.map((version) => (this.opened.delete(version), this.caches.delete(this.family + version))));
    }
    const notes = await this.cache(TABS);
    for (const tab of this.tabs.keys()) if (!tabs.includes(tab)) this.tabs.delete(tab);
    const open = new Set(tabs.map((tab) => this.addressOf(tab)));
    for (const { url } of await notes.keys()) if (!open.has(url)) await notes.delete(url);
  }

  private async versions(): Promise<string[]> {
    const names = (await this.caches.keys()).filter((name) => name.startsWith(this.family));
    return names.map((name) => name.slice(this.family.length)).filter((name) => name !== TABS);
  }

  /** Notes that a tab is loaded from this build. */
  private async note(tab: string): Promise<void> {
    this.tabs.set(tab, this.version);
    const notes = await this.cache(TABS);
    await notes.put(this.addressOf(tab), new Response(this.version));
  }

  private async of(tab: string): Promise<string | null> {
    if (tab === '') return null;
    const known = this.tabs.get(tab);
    if (known !== undefined) return known;
    const noted = await (await this.cache(TABS)).match(this.addressOf(tab));
    const version = noted ? await noted.text() : null;
    if (version !== null) this.tabs.set(tab, version);
    return version;
  }

  private addressOf(tab: string): string {
    return new URL(`${TABS}/${tab}`, this.scope).href;
  }
}

/** The host's response if it says why there is no file; another file than the one of this build is refused. */
function refusal(response: Response): Response {
  return response.ok ? Response.error() : response;
}
