// The corpora of this device with an engine that fails, is late, or replies out of order.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EngineClient } from '../src/engine/client';
import { Library } from '../src/state/library.svelte';
import { Hand } from './hand';
import { corpus, report } from './results';

const settle = () => new Promise((resolve) => setTimeout(resolve));

let port: Hand;
let client: EngineClient;
beforeEach(() => {
  port = new Hand();
  client = new EngineClient(() => port);
  vi.stubGlobal('navigator', {});
});
afterEach(() => void vi.unstubAllGlobals());

describe('the library', () => {
  const library = async () => {
    const one = new Library(client);
    const start = one.start();
    await port.next('hello', { build: 'single', threads: 1, reason: '', storage: true, cancel: null, outputs: [], corpora: [corpus('a'), corpus('b')] });
    await start;
    return one;
  };
  const file = new File(['x'], 'games.pgn');

  it('says that the engine does not start', async () => {
    const one = new Library(client);
    const start = one.start();
    await port.fail(0, 'no memory');
    await start;
    expect([one.engine, one.trouble]).toEqual([null, 'The engine could not start: No memory. Stored games are kept. Reload the page; if that does not help, try a newer browser.']);
  });

  it('has the corpus that was chosen last, whichever answer comes last', async () => {
    const one = await library();
    const [first, second] = [one.choose('a'), one.choose('b')];
    await port.answer(2, corpus('b'));
    await port.answer(1, corpus('a'));
    expect([await first, await second, one.current?.id]).toEqual([false, true, 'b']);
  });

  it('opens what is chosen again, though its first request ends only then', async () => {
    const one = await library();
    const choices = [one.choose('a'), one.choose('b'), one.choose('a')];
    await port.fail(1, 'ended for another one');
    await port.answer(2, corpus('b'));
    await port.answer(3, corpus('a'));
    expect([await Promise.all(choices), one.current?.id, one.trouble]).toEqual([[false, false, true], 'a', '']);
  });

  it('opens anew what is open, while another one is on its way', async () => {
    const one = await library();
    const first = one.choose('a');
    await port.next('open', corpus('a'));
    await first;
    const [other, back] = [one.choose('b'), one.choose('a')];
    await port.next('open', corpus('b'));
    await port.next('open', corpus('a'));
    expect([await other, await back, one.current?.id]).toEqual([false, true, 'a']);
  });

  it('keeps what is open when another one fails, says so, and forgets it when one opens', async () => {
    const one = await library();
    void one.choose('a');
    await port.next('open', corpus('a'));
    const failed = one.choose('b');
    await port.fail(2, 'damaged', 'bad-corpus');
    expect([await failed, one.current?.id, one.trouble]).toEqual([false, 'a', 'damaged.']);
    void one.choose('b');
    await port.next('open', corpus('b'));
    expect([one.current?.id, one.trouble]).toEqual(['b', '']);
  });

  it('does not say of an older choice that it failed', async () => {
    const one = await library();
    void one.choose('a');
    void one.choose('b');
    await port.fail(1, 'damaged', 'bad-corpus');
    await port.next('open', corpus('b'));
    expect([one.current?.id, one.trouble]).toEqual(['b', '']);
  });

  it('never shows an older list', async () => {
    const one = await library();
    void one.remove('a');
    void one.remove('b');
    await port.answer(2, []);
    await port.answer(1, [corpus('b')]);
    expect(one.corpora).toEqual([]);
  });

  it('keeps the list when a corpus cannot be removed', async () => {
    const one = await library();
    void one.remove('a');
    await port.fail(1, '"a" is open in another tab', 'held');
    expect([one.corpora.length, one.trouble]).toEqual([2, '"a" is open in another tab.']);
  });

  it('tells an import that was done from one that failed, though its corpus cannot be opened', async () => {
    const one = await library();
    const done = one.importFiles([file]);
    await port.next('import', report('games'));
    await port.next('list', [corpus('games'), corpus('a')]);
    await port.fail(port.open('open')[0] ?? -1, 'damaged', 'bad-corpus');
    expect([await done, one.importing.phase, one.trouble, one.corpora.length]).toEqual([false, 'done', 'damaged.', 2]);
  });

  it('goes on after an import whose list fails', async () => {
    const one = await library();
    const done = one.importFiles([file]);
    await port.next('import', report('games'));
    await port.fail(port.open('list')[0] ?? -1, 'storage failed', 'storage');
    await port.next('open', corpus('games'));
    expect([await done, one.importing.phase, one.current?.id, one.trouble]).toEqual([true, 'done', 'games', 'Storage failed.']);
  });

  it('fails an import, and takes the next one', async () => {
    const one = await library();
    const failed = one.importFiles([file]);
    await port.fail(1, 'games.pgn holds no games', 'bad-input');
    expect([await failed, one.importing]).toEqual([false, { phase: 'failed', name: 'games', message: 'games.pgn holds no games.' }]);
    void one.importFiles([file]);
    expect(one.importing.phase).toBe('running');
    one.cancelImport();
    await settle();
    expect(one.importing.phase).toBe('idle');
  });
});
