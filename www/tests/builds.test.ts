// The builds that the service worker stores, in simulated caches: each tab has its own build, and no build in use is dropped.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Builds, type Caches } from '../src/sw/builds';

const SCOPE = 'https://host.example/games/';

/** The host's files, by address. */
let host: Map<string, string>;

class FakeCache {
  readonly kept = new Map<string, string>();
  private addressOf(request: RequestInfo | URL): string {
    return request instanceof Request ? request.url : String(request);
  }
  async match(request: RequestInfo | URL): Promise<Response | undefined> {
    const text = this.kept.get(this.addressOf(request));
    return text === undefined ? undefined : new Response(text);
  }
  async put(request: RequestInfo | URL, response: Response): Promise<void> {
    this.kept.set(this.addressOf(request), await response.text());
  }
  async delete(request: RequestInfo | URL): Promise<boolean> {
    return this.kept.delete(this.addressOf(request));
  }
  async keys(): Promise<Request[]> {
    return [...this.kept.keys()].map((url) => new Request(url));
  }
  /** Stores all files or none, as browsers do, and refuses a file with another digest. */
  async addAll(requests: Request[]): Promise<void> {
    const all = requests.map((request) => {
      const text = host.get(request.url);
      if (text === undefined || request.integrity !== integrity(text)) throw new TypeError(`${request.url} cannot be had`);
      return [request.url, text] as const;
    });
    for (const [url, text] of all) this.kept.set(url, text);
  }
}

class FakeCaches {
  readonly all = new Map<string, FakeCache>();
  async open(name: string): Promise<FakeCache> {
    const found = this.all.get(name) ?? new FakeCache();
    this.all.set(name, found);
    return found;
  }
  async keys(): Promise<string[]> {
    return [...this.all.keys()];
  }
  async delete(name: string): Promise<boolean> {
    return this.all.delete(name);
  }
}

/** Stands for a digest; the browser computes the real ones. */
const integrity = (text: string) => `sha256-${btoa(text)}`;
const files = (...all: [string, string][]) => all.map(([path, text]) => [path, integrity(text)] as const);
const request = (path: string) => new Request(new URL(path, SCOPE));
const text = async (response: Promise<Response | undefined>) => (await response)?.text();

const ONE = files(['./', 'page 1'], ['icon.svg', 'icon 1'], ['assets/main-1.js', 'main 1']);
const TWO = files(['./', 'page 2'], ['icon.svg', 'icon 2'], ['assets/main-2.js', 'main 2']);
const deploy = (version: number) => {
  host = new Map(['./', 'icon.svg', `assets/main-${version}.js`].map((path) => [new URL(path, SCOPE).href, `${path === './' ? 'page' : path.includes('icon') ? 'icon' : 'main'} ${version}`]));
};

let store: FakeCaches;
const build = (version: string, scope = SCOPE) => new Builds(store as unknown as Caches, scope, version);
const versions = () => [...store.all.keys()].filter((name) => !name.endsWith('tabs')).map((name) => name.split(' ').at(-1)).sort();

beforeEach(() => {
  store = new FakeCaches();
  deploy(1);
});

describe('builds', () => {
  it('serve each tab from the one that it was loaded from', async () => {
    const one = build('one');
    await one.fetchAll(ONE);
    expect(await text(one.page('old tab'))).toBe('page 1');
    deploy(2);
    const two = build('two');
    await two.fetchAll(TWO);
    expect(await text(two.page('new tab'))).toBe('page 2');
    expect(await text(two.file(request('icon.svg'), 'old tab'))).toBe('icon 1');
    expect(await text(two.file(request('icon.svg'), 'new tab'))).toBe('icon 2');
    // A worker is not a tab; the names of its files contain digests.
    expect(await text(two.file(request('assets/main-1.js'), 'a worker'))).toBe('main 1');
    expect(await text(two.file(request('assets/main-2.js'), ''))).toBe('main 2');
    expect(await text(two.file(request('assets/none.js'), 'new tab'))).toBeUndefined();
  });

  it('are fetched whole or not at all, and never of two deployments', async () => {
    const one = build('one');
    await one.fetchAll(ONE);
    await one.page('tab');
    // The host has changed since the list was made.
    deploy(2);
    const mixed = build('mixed');
    await expect(mixed.fetchAll(ONE)).rejects.toThrow();
    expect(await text(mixed.page('tab'))).toBeUndefined();
    // The failed fetch does not affect the tab.
    expect(await text(one.file(request('icon.svg'), 'tab'))).toBe('icon 1');
  });

  it('are dropped when no tab was loaded from them', async () => {
    for (const version of ['one', 'two', 'three']) {
      const each = build(version);
      await each.fetchAll(ONE);
      await each.page(`tab of ${version}`);
    }
    const three = build('three');
    await three.dropUnused(['tab of one', 'tab of three']);
    expect(versions()).toEqual(['one', 'three']);
    await three.dropUnused(['tab of three']);
    expect(versions()).toEqual(['three']);
    await three.dropUnused([]);
    expect(versions()).toEqual(['three']);
  });

  it('all stay as long as it is not known of a tab', async () => {
    for (const version of ['one', 'two']) await build(version).fetchAll(ONE);
    await build('two').dropUnused(['first visit, from the host']);
    expect(versions()).toEqual(['one', 'two']);
  });

  it('of another site on the same host are left alone', async () => {
    await build('one').fetchAll(ONE);
    const other = new Builds(store as unknown as Caches, 'https://host.example/', 'other');
    await other.page('tab');
    await build('two').dropUnused([]);
    expect(versions()).toEqual(['other']);
  });

  it('do not remember tabs that are gone', async () => {
    const one = build('one');
    await one.fetchAll(ONE);
    for (const tab of ['a', 'b']) await one.page(tab);
    await one.dropUnused(['b']);
    expect([...(store.all.get(`plyfold ${SCOPE} tabs`)?.kept.keys() ?? [])]).toEqual([`${SCOPE}tabs/b`]);
  });
});

describe('a file that is not part of the first download', () => {
  const ENGINE = ['assets/stockfish/engine-1.wasm', integrity('engine')] as const;
  const address = new URL(ENGINE[0], SCOPE).href;
  let fetched: string[];
  let isOnline: boolean;

  beforeEach(() => {
    fetched = [];
    isOnline = true;
    host.set(address, 'engine');
    vi.stubGlobal('fetch', async (asked: Request | string) => {
      const url = asked instanceof Request ? asked.url : asked;
      fetched.push(url);
      const found = host.get(url);
      if (!isOnline || (asked instanceof Request && asked.integrity !== integrity(found ?? ''))) throw new TypeError('Failed to fetch');
      return new Response(found ?? 'none', { status: found === undefined ? 404 : 200 });
    });
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('is stored when it was used, and not before', async () => {
    const one = build('one');
    await one.fetchAll(ONE);
    expect(await text(one.file(request(ENGINE[0]), 'tab'))).toBeUndefined();
    expect(await text(one.fileLater(ENGINE, 'tab'))).toBe('engine');
    isOnline = false;
    expect(await text(one.fileLater(ENGINE, 'tab'))).toBe('engine');
    expect(fetched).toEqual([address]);
  });

  it('is served though the device is full', async () => {
    const one = build('one');
    const cache = await store.open(`plyfold ${SCOPE} one`);
    cache.put = async () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    expect(await text(one.fileLater(ENGINE, 'tab'))).toBe('engine');
  });

  it('is refused if it is not the one of this build', async () => {
    host.set(address, 'another engine');
    const one = build('one');
    expect((await one.fileLater(ENGINE, 'tab')).ok).toBe(false);
    host.delete(address);
    expect((await one.fileLater(ENGINE, 'tab')).status).toBe(404);
    isOnline = false;
    await expect(one.fileLater(ENGINE, 'tab')).rejects.toThrow();
    expect(await text(one.file(request(ENGINE[0]), 'tab'))).toBeUndefined();
  });

  it('comes along into a newer build that has it too, and goes with the last build that has it', async () => {
    await build('one').fileLater(ENGINE, 'tab');
    const two = build('two');
    await two.takeFromOlder([ENGINE]);
    await two.dropUnused([]);
    expect(versions()).toEqual(['two']);
    expect(await text(two.file(request(ENGINE[0]), ''))).toBe('engine');
    const three = build('three');
    await three.fetchAll(ONE);
    await three.takeFromOlder([]);
    await three.dropUnused([]);
    expect(await text(three.file(request(ENGINE[0]), ''))).toBeUndefined();
  });
});
