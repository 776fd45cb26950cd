// The address follows what is shown: at once for a click, with a pause while a key is held; and a browser
// that refuses does no harm.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AddressHistory, PAUSE_MS, TRY_AGAIN_MS } from '../src/state/history';

/** A browser that takes only so many writes, as WebKit does. */
class FakeHistory {
  readonly entries = ['#start'];
  readonly states: unknown[] = [null];
  writes = 0;
  refused = 0;
  room = Infinity;
  pathname = '/';
  search = '?x';
  get hash(): string {
    return this.entries.at(-1) ?? '';
  }
  pushState(state: unknown, _: string, address?: string | URL | null): void {
    this.take();
    this.entries.push(String(address).slice(2 + 1));
    this.states.push(state);
  }
  replaceState(state: unknown, _: string, address?: string | URL | null): void {
    this.take();
    this.entries.splice(-1, 1, String(address).slice(2 + 1));
    this.states.splice(-1, 1, state);
  }
  private take(): void {
    if (this.room-- > 0) this.writes++;
    else {
      this.refused++;
      throw new DOMException('Attempt to use history.replaceState() more than 100 times per 10 seconds', 'SecurityError');
    }
  }
}

let browser: FakeHistory;
let address: AddressHistory;
beforeEach(() => {
  vi.useFakeTimers();
  browser = new FakeHistory();
  address = new AddressHistory(() => ({ history: browser, location: browser }));
});
afterEach(() => void vi.useRealTimers());

it('writes a click at once, with its state', () => {
  address.push('#one', { line: [] });
  address.replace('#two', null);
  expect([browser.entries, browser.states]).toEqual([['#start', '#two'], [null, null]]);
});

describe('while a key is held', () => {
  it('writes the first step at once, and later ones with a pause', () => {
    for (let ply = 0; ply < 90; ply++) {
      address.follow(`#ply=${ply}`, null);
      expect(address.fragment).toBe(`#ply=${ply}`);
      vi.advanceTimersByTime(1000 / 30);
    }
    expect(browser.writes).toBeLessThanOrEqual(Math.ceil(3000 / PAUSE_MS) + 1);
    vi.advanceTimersByTime(PAUSE_MS);
    expect([browser.hash, browser.entries.length]).toEqual(['#ply=89', 1]);
  });

  it('writes what waits before a new entry, and when the page is left', () => {
    address.follow('#a', null);
    address.follow('#b', null);
    address.push('#c', null);
    expect(browser.entries).toEqual(['#b', '#c']);
    address.follow('#d', null);
    address.flush();
    expect(browser.hash).toBe('#d');
    vi.runAllTimers();
    expect(browser.entries).toEqual(['#b', '#d']);
  });

  it('forgets what waits when the user goes back', () => {
    address.follow('#a', null);
    address.follow('#b', null);
    address.drop();
    vi.runAllTimers();
    expect([browser.hash, address.fragment]).toEqual(['#a', '#a']);
  });
});

describe('a browser that refuses', () => {
  it('stops nothing, and gets the newest address later', () => {
    browser.room = 0;
    address.replace('#a', null);
    address.follow('#b', null);
    address.replace('#c', null);
    expect([browser.hash, address.fragment]).toEqual(['#start', '#c']);
    browser.room = Infinity;
    vi.advanceTimersByTime(TRY_AGAIN_MS);
    expect(browser.hash).toBe('#c');
  });

  it('gets the entry that it refused', () => {
    browser.room = 0;
    address.push('#a', null);
    address.follow('#b', 1);
    address.replace('#c', 2);
    browser.room = Infinity;
    vi.runAllTimers();
    expect([browser.entries, browser.states]).toEqual([['#start', '#c'], [null, 2]]);
  });

  it('is not asked without end', () => {
    browser.room = 0;
    address.replace('#a', null);
    vi.advanceTimersByTime(60_000);
    expect(browser.refused).toBeLessThanOrEqual(60_000 / TRY_AGAIN_MS + 1);
  });
});
