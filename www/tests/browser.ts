// A simulated browser with what the state needs: an address with a history, and storage.
import { vi } from 'vitest';

interface Entry {
  hash: string;
  state: unknown;
}

export class FakeBrowser {
  readonly entries: Entry[] = [{ hash: '', state: null }];
  at = 0;
  /** What stands before the `#`. */
  page = 'https://club.example/';
  /** What the publisher has written into the page. */
  library = '';
  /** Whether the window has room for two panels. */
  isWide = false;
  private readonly kept = new Map<string, string>();
  private readonly listeners = new Map<string, ((event: unknown) => void)[]>();

  /** Replaces the globals; `vi.unstubAllGlobals` restores them. */
  install(): this {
    const entry = () => this.entries[this.at] as Entry;
    const hashOf = (address: string) => (address.includes('#') ? address.slice(address.indexOf('#')) : '');
    const { origin, pathname, search, href } = new URL(this.page);
    vi.stubGlobal('location', {
      origin,
      href,
      pathname,
      search,
      get hash() {
        return entry().hash;
      },
    });
    vi.stubGlobal('history', {
      get state() {
        return entry().state;
      },
      pushState: (state: unknown, _: string, address: string) => {
        this.entries.splice(++this.at, Infinity, { hash: hashOf(address), state });
      },
      replaceState: (state: unknown, _: string, address: string) => {
        this.entries[this.at] = { hash: hashOf(address), state };
      },
    });
    vi.stubGlobal('localStorage', { getItem: (key: string) => this.kept.get(key) ?? null, setItem: (key: string, value: string) => void this.kept.set(key, value), removeItem: (key: string) => void this.kept.delete(key) });
    vi.stubGlobal('matchMedia', () => ({ matches: this.isWide, addEventListener: () => undefined }));
    vi.stubGlobal('document', { documentElement: { dataset: this.library ? { library: this.library } : {} } });
    vi.stubGlobal('addEventListener', (name: string, listener: (event: unknown) => void) => this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]));
    return this;
  }

  /** A parameter of the address. */
  word(name: string): string | null {
    return new URLSearchParams(this.entries[this.at]?.hash.slice(1)).get(name);
  }

  get hash(): string {
    return this.entries[this.at]?.hash ?? '';
  }

  back(): void {
    this.at = Math.max(0, this.at - 1);
    this.say('popstate', {});
  }

  /** The user opens another address in the same tab. */
  visit(hash: string): void {
    this.entries.splice(++this.at, Infinity, { hash, state: null });
    this.say('popstate', {});
  }

  /** Tells the page of an event. */
  say(name: string, event: unknown): void {
    for (const listener of this.listeners.get(name) ?? []) listener(event);
  }
}
