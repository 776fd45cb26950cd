// Saved queries on the device.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Saved } from '../src/state/saved.svelte';

const kept = new Map<string, string>();
let full = false;

beforeEach(() => {
  kept.clear();
  full = false;
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (full) throw new Error('full');
      kept.set(key, value);
    },
  });
});

describe('saved queries', () => {
  it('are there again after a reload', () => {
    const saved = new Saved();
    saved.keep('No queens', ' queens_off ');
    saved.keep('', 'check');
    expect(new Saved().list).toEqual([
      { name: 'No queens', text: 'queens_off', language: 2 },
      { name: 'check', text: 'check', language: 2 },
    ]);
    expect(saved.has('queens_off ')).toBe(true);
  });

  it('are renamed and removed', () => {
    const saved = new Saved();
    saved.keep('One', 'check');
    saved.keep('Two', 'castled');
    saved.keep('Uno', 'check');
    saved.rename(1, '  Due ');
    expect(saved.list.map((one) => one.name)).toEqual(['Uno', 'Due']);
    saved.rename(1, '');
    expect(saved.list[1]?.name).toBe('castled');
    saved.remove(0);
    expect(new Saved().list).toEqual([{ name: 'castled', text: 'castled', language: 2 }]);
  });

  it('leave and come back as a text', () => {
    const saved = new Saved();
    saved.keep('One', 'check');
    saved.keep('Two', 'castled');
    const text = saved.exported();
    saved.remove(0);
    expect(saved.imported(text)).toBe(1);
    expect(saved.list.map((one) => one.text)).toEqual(['castled', 'check']);
    expect(saved.imported(text)).toBe(0);
    expect(saved.imported('{}')).toMatch(/no saved queries/);
    expect(saved.imported('no')).toMatch(/not JSON/);
    expect(saved.imported(JSON.stringify({ format: 'plyfold saved queries', version: 1, queries: [{ name: 3, text: 'check for 2' }, { text: '' }, 5, null] }))).toBe(1);
    expect(saved.list[2]).toEqual({ name: 'check for 2', text: 'check for 2' });
  });

  it('keep their meaning when words change', async () => {
    kept.set('plyfold.saved', JSON.stringify([{ name: 'Pair', text: 'bishop_pair' }]));
    const saved = new Saved();
    saved.keep('New', 'eval >= 2');
    await saved.renew((text, language) => Promise.resolve(language === 1 ? `old ${text}` : text));
    const renewed = [
      { name: 'Pair', text: 'old bishop_pair', language: 2 },
      { name: 'New', text: 'eval >= 2', language: 2 },
    ];
    expect(saved.list).toEqual(renewed);
    expect(new Saved().list).toEqual(renewed);
    saved.imported(JSON.stringify({ format: 'plyfold saved queries', version: 1, queries: [{ name: 'Far', text: 'iqp' }] }));
    await vi.waitFor(() => expect(saved.list[2]).toEqual({ name: 'Far', text: 'old iqp', language: 2 }));
  });

  it('lose nothing while they are renewed', async () => {
    kept.set('plyfold.saved', JSON.stringify([{ name: 'A', text: 'bishop_pair' }, { name: 'B', text: 'two_bishops' }, { name: 'C', text: 'later', language: 9 }]));
    const saved = new Saved();
    const renewing = saved.renew(() => Promise.resolve('two_bishops'));
    saved.keep('New', 'check');
    await renewing;
    expect(saved.list.map(({ name, language }) => [name, language])).toEqual([['A', 2], ['C', 9], ['New', 2]]);
    kept.set('plyfold.saved', JSON.stringify([{ name: 'A', text: 'bishop_pair' }]));
    const other = new Saved();
    await other.renew(() => Promise.reject(new Error('stopped')));
    expect(other.list).toEqual([{ name: 'A', text: 'bishop_pair' }]);
  });

  it('say it when the browser keeps nothing', () => {
    const saved = new Saved();
    full = true;
    saved.keep('One', 'check');
    expect(saved.list).toHaveLength(1);
    expect(saved.trouble).toMatch(/Export/);
  });

  it('begin empty when what is kept cannot be read', () => {
    kept.set('plyfold.saved', '{');
    expect(new Saved().list).toEqual([]);
  });
});
