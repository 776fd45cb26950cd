// Writes the address. Browsers refuse to write it too often (WebKit: 100 times in 10 seconds), so what
// changes with every key follows with a pause, and a refused write is tried again later. An error of the
// history never reaches the page.

/** The shortest time between two writes while the user steps through a game. */
export const PAUSE_MS = 300;
/** How long a refused write waits. */
export const TRY_AGAIN_MS = 2000;

/** What this class needs of the browser. */
export interface Surroundings {
  history: Pick<History, 'pushState' | 'replaceState'>;
  location: Pick<Location, 'pathname' | 'search' | 'hash'>;
}

interface Entry {
  how: 'push' | 'replace';
  fragment: string;
  state: unknown;
}

export class AddressHistory {
  private readonly around: () => Surroundings;
  private waiting: Entry | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private followed = -Infinity;

  constructor(around: () => Surroundings = () => globalThis) {
    this.around = around;
  }

  /** The fragment that the address has, or will have after the pause. */
  get fragment(): string {
    return this.waiting?.fragment ?? this.around().location.hash;
  }

  /** Makes a new entry. */
  push(fragment: string, state: unknown): void {
    // The entry that is left must have what was shown last.
    this.flush();
    this.put({ how: 'push', fragment, state });
  }

  /** Replaces the content of the present entry. */
  replace(fragment: string, state: unknown): void {
    this.put({ how: 'replace', fragment, state });
  }

  /** Replaces the content of the present entry, now or after a pause: for what changes with every key. */
  follow(fragment: string, state: unknown): void {
    const wait = this.followed + PAUSE_MS - Date.now();
    if (wait <= 0 && !this.waiting) {
      this.followed = Date.now();
      this.replace(fragment, state);
      return;
    }
    this.waiting = { how: this.waiting?.how ?? 'replace', fragment, state };
    this.timer ??= setTimeout(() => this.flush(), wait);
  }

  /** Writes what waits. */
  flush(): void {
    if (!this.waiting) return;
    this.followed = Date.now();
    this.put(this.waiting);
  }

  /** Forgets what waits, because the browser has gone to another entry. */
  drop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = null;
  }

  private put(entry: Entry): void {
    // An entry that could not be made is still to be made.
    const how = this.waiting?.how === 'push' ? 'push' : entry.how;
    this.drop();
    const { history, location } = this.around();
    const address = `${location.pathname}${location.search}${entry.fragment}`;
    try {
      if (how === 'push') history.pushState(entry.state, '', address);
      else history.replaceState(entry.state, '', address);
    } catch {
      this.waiting = { ...entry, how };
      this.timer = setTimeout(() => this.flush(), TRY_AGAIN_MS);
    }
  }
}
