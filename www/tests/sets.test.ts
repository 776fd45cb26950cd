// Named sets: all of several sets are stored or none, and names follow the rule of the command line.
import { beforeEach, describe, expect, it } from 'vitest';
import { setName, Sets, type SetStore } from '../src/engine/sets';
import { expressionOf } from '../src/state/combining';
import { identifierOf } from '../src/state/sets.svelte';

/** A file whose first byte is the number of games; 255 stands for damage. */
const bytes = (games: number) => Uint8Array.of(games);

let store: Map<string, Uint8Array<ArrayBuffer>>;
let engine: Map<string, number>;
let full: string;

const taker = {
  putSet(name: string, file: Uint8Array): void {
    if (file[0] === 255) throw { code: 'bad-input', message: 'corrupt: its checksum does not match: make it again' };
    engine.set(name, file[0] ?? 0);
  },
  setSize: (name: string) => engine.get(name) ?? 0,
  dropSet: (name: string) => void engine.delete(name),
};

const storage: SetStore = {
  sets: async () => new Map(store),
  async putSet(_, name, file) {
    if (name === full) throw { code: 'storage', message: 'there is no room left on this device' };
    store.set(name, file.slice());
  },
  removeSet: async (_, name) => void store.delete(name),
};

describe('sets', () => {
  beforeEach(() => {
    store = new Map([['old', bytes(7)], ['broken', bytes(255)]]);
    engine = new Map();
    full = '';
  });
  const open = () => Sets.open('corpus', taker, storage);

  it('come from the device, and one that is damaged says so', async () => {
    expect((await open()).list()).toEqual([
      { name: 'broken', games: 0, trouble: 'corrupt: its checksum does not match: make it again' },
      { name: 'old', games: 7, trouble: '' },
    ]);
    expect([...engine]).toEqual([['old', 7]]);
  });

  it('are kept, renamed and removed', async () => {
    const sets = await open();
    await sets.keep([{ name: 'new', bytes: bytes(3) }]);
    await sets.rename('new', 'newer');
    expect([engine.get('newer'), engine.has('new'), store.get('newer')?.[0], store.has('new')]).toEqual([3, false, 3, false]);
    await sets.remove('broken');
    expect((await sets.remove('newer')).map((set) => set.name)).toEqual(['old']);
    expect(await sets.file('old').arrayBuffer()).toEqual(bytes(7).buffer);
  });

  it.each(['old', '', '-a', '.a', 'a b', 'ä', 'a/b', '@a', 'x'.repeat(101)])('refuse the name "%s"', async (name) => {
    const sets = await open();
    await expect(sets.keep([{ name, bytes: bytes(1) }])).rejects.toMatchObject({ code: 'bad-input' });
    expect([...engine.keys()]).toEqual(['old']);
  });

  it('are kept all or none', async () => {
    const sets = await open();
    full = 'b';
    await expect(sets.keep(['a', 'b', 'c'].map((name) => ({ name, bytes: bytes(1) })))).rejects.toMatchObject({ code: 'storage' });
    expect([[...engine.keys()], [...store.keys()]]).toEqual([['old'], ['old', 'broken']]);
  });

  it('name the file that is refused', async () => {
    const sets = await open();
    await expect(sets.add('bad', new File([bytes(255)], 'bad.bm'))).rejects.toMatchObject({ message: 'bad.bm: corrupt: its checksum does not match: make it again' });
    expect(await sets.add('good', new File([bytes(9)], 'good.bm'))).toContainEqual({ name: 'good', games: 9, trouble: '' });
  });

  it('of parts have different names', async () => {
    const parts = ['1/2-1/2', '1-0', 'Müller, H', 'Muller. H', 'Muller, H'].map((name) => ({ name, bytes: bytes(1) }));
    expect((await open()).named('by', parts).map((set) => set.name)).toEqual(['by-1_2-1_2', 'by-1-0', 'by-Muller_H', 'by-Muller._H', 'by-Muller_H-2']);
  });
});

it('names are made of what a value or a collection is called', () => {
  expect(setName('m', 'KRPPvKRP')).toBe('m-KRPPvKRP');
  expect(identifierOf('My set (2)')).toBe('My_set_2');
  expect(identifierOf('Große Läufer – Opfer!', ['a'])).toBe('Grosse_Laufer_Opfer');
  expect(identifierOf('a!', ['a', 'a-2'])).toBe('a-3');
  expect([identifierOf('…'), identifierOf('-.a')]).toEqual(['set', 'a']);
});

it('picking makes an expression', () => {
  expect(expressionOf('a', 'and', 'b')).toBe('@a & @b');
  expect(expressionOf('a', 'without', 'b')).toBe('@a - @b');
  expect(expressionOf('a', 'not', 'b')).toBe('~@a');
});
