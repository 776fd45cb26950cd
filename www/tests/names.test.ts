// What is offered while the user types, and the names of a corpus.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { Me } from '../src/state/me.svelte';
import { asPattern, nameAt, Suggestions, suggestNames } from '../src/state/names.svelte';
import { begins, taken, Typing } from '../src/state/typing.svelte';
import { FakeBrowser } from './browser';
import { Hand } from './hand';

let port: Hand;
let client: EngineClient;
beforeEach(() => {
  port = new Hand();
  client = new EngineClient(() => port);
  vi.stubGlobal('navigator', {});
});
afterEach(() => void vi.unstubAllGlobals());

describe('typing', () => {
  const offer = (...texts: string[]) => ({ from: 0, to: 1, options: texts.map((text) => ({ from: 0, text, detail: '', kind: 'keyword' as const })) });

  it('goes on without colours that failed, and has those of the next text', async () => {
    const one = new Typing(client);
    void one.paint('a');
    await port.fail(0);
    expect(one.parts('a')).toEqual([]);
    void one.paint('b');
    await port.next('paint', [{ from: 0, to: 1, class: 'keyword' }]);
    expect(one.parts('b')).toHaveLength(1);
  });

  it('offers for the newest text, whichever answer comes last, and nothing once it was dismissed', async () => {
    const one = new Typing(client);
    void one.complete('a', 1, false);
    void one.complete('b', 1, false);
    await port.answer(1, offer('new'));
    await port.answer(0, offer('old'));
    expect(one.offer?.options[0]?.text).toBe('new');
    void one.complete('c', 1, false);
    await port.fail(2);
    expect(one.offer).toBeNull();
    void one.complete('d', 1, false);
    one.dismiss();
    await port.answer(3, offer('late'));
    expect(one.offer).toBeNull();
  });
});

describe('names of the corpus', () => {
  const names = (...all: string[]) => all.map((name) => ({ name, games: 2 }));

  it('are offered for the newest text, and not where the engine fails', async () => {
    const one = new Suggestions(client);
    void one.ask('player', 'a');
    void one.ask('player', 'ann');
    await port.answer(1, names('Anna', 'Hanna'));
    await port.answer(0, names('late'));
    one.pick(-1);
    expect([one.open, one.options.map(({ name }) => name), one.picked]).toEqual([true, ['Anna', 'Hanna'], 1]);
    void one.ask('player', 'x');
    await port.fail(2);
    expect([one.open, one.options]).toEqual([false, []]);
    void one.ask('player', 'y');
    one.close();
    await port.answer(3, names('late'));
    expect(one.open).toBe(false);
  });

  it('are offered between the quotes of a name, with the closing quote', async () => {
    const one = new Typing(client);
    void one.complete('check and loser "carl', 21, true);
    expect(port.asked[0]).toMatchObject({ method: 'names', params: { field: 'player', text: 'carl' } });
    await port.answer(0, names('Carlsen, Magnus'));
    expect(one.offer).toMatchObject({ from: 16, to: 21, options: [{ text: '"Carlsen, Magnus"', detail: '2 games' }] });
    expect(one.offer && [begins(one.offer), taken(one.offer, 0)]).toEqual([true, { from: 16, to: 21, text: '"Carlsen, Magnus" ' }]);
    void one.complete('player "Carlsen, Magnus"', 23, true);
    await port.answer(1, names('Carlsen, Magnus'));
    expect(one.offer).toBeNull();
    void one.complete('fen "8', 6, true);
    expect(port.asked.at(-1)?.method).toBe('complete');
  });

  it.each([
    ['player "', 8, { field: 'player', from: 7, to: 8, text: '' }],
    ['white "An', 9, { field: 'white', from: 6, to: 9, text: 'An' }],
    ['event "Cup" and check', 8, { field: 'event', from: 6, to: 11, text: 'Cup' }],
    ['"An and white "Boris"', 3, { field: 'player', from: 0, to: 3, text: 'An' }],
    ['white "Anna"', 12, null],
    ['board "8', 8, null],
    ['queens_off', 4, null],
  ])('are sought in %j at %i', (text, at, place) => expect(nameAt(text, at)).toEqual(place));

  it('stand for themselves, and a part of one for all that have it', () => {
    expect(asPattern(' ANNA ', names('Anna'))).toBe('Anna');
    expect(asPattern('Carl', names('Carlsen'))).toBe('Carl*');
    expect(asPattern('Cup', [], true)).toBe('*Cup*');
    expect(asPattern('*son', [])).toBe('*son');
    expect(asPattern('', [])).toBe('');
  });

  it('are taken from the error about an unknown one', async () => {
    const found = suggestNames(client, 'player "Carlson"');
    await port.next('check', { message: 'no player of this corpus has the name "Carlson": did you mean "Carlsen, Magnus"?', from: 7, to: 16, expected: [], nearest: '', id: 'unknown-name', arguments: ['Carlson', 'player', 'Carlsen, Magnus'] });
    expect(await found).toEqual(['Carlsen, Magnus']);
  });
});

it('the player of this device is remembered until forgotten', () => {
  new FakeBrowser().install();
  new Me().set('Anna');
  expect(new Me().name).toBe('Anna');
  new Me().forget();
  expect(new Me().name).toBe('');
});
