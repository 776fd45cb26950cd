// The client with a worker that the test controls.
import { describe, expect, it, vi } from 'vitest';
import { EngineClient, EngineError } from '../src/engine/client';
import type { Methods, Port, Reply, Request } from '../src/engine/protocol';

class HandPort implements Port {
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  readonly asked: Request[] = [];
  ended = false;
  postMessage(message: Request): void {
    this.asked.push(message);
  }
  terminate(): void {
    this.ended = true;
  }
  say(reply: Reply): void {
    this.onmessage?.({ data: reply });
  }
  done(result: Methods[keyof Methods]['result']): void {
    this.say({ number: this.asked.at(-1)?.number ?? 0, state: 'done', result });
  }
}

function hired(cancel: Int32Array | null = null) {
  const ports: HandPort[] = [];
  const client = new EngineClient(() => {
    const port = new HandPort();
    ports.push(port);
    return port;
  });
  const hello = client.hello();
  ports[0]?.done({ build: 'single', threads: 1, reason: '', storage: true, cancel, outputs: [], corpora: [] });
  return { client, ports, port: ports[0] as HandPort, hello };
}

describe('client', () => {
  it('pairs replies with requests, in any order', async () => {
    const { client, port, hello } = hired();
    await hello;
    const first = client.call('pgn', { id: 1 });
    const second = client.call('pgn', { id: 2 });
    const [one, two] = port.asked.slice(-2).map((request) => request.number);
    port.say({ number: two ?? 0, state: 'done', result: 'two' });
    port.say({ number: one ?? 0, state: 'done', result: 'one' });
    expect([await first, await second]).toEqual(['one', 'two']);
  });

  it('hands on progress and failures', async () => {
    const { client, port, hello } = hired();
    await hello;
    const progress = vi.fn();
    const call = client.call('export', { ids: new Uint32Array([1]) }, { progress });
    const number = port.asked.at(-1)?.number ?? 0;
    port.say({ number, state: 'progress', progress: { kind: 'export', games_done: 1, games_total: 2 } });
    port.say({ number, state: 'failed', failure: { code: 'storage', message: 'the device is full' } });
    await expect(call).rejects.toMatchObject({ code: 'storage', message: 'the device is full' });
    expect(progress).toHaveBeenCalledOnce();
  });

  it('drops a query at once when it is aborted, and ignores its late answer', async () => {
    const { client, port, ports, hello } = hired();
    await hello;
    const abort = new AbortController();
    const call = client.call('check', { query: 'x' }, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toBeInstanceOf(EngineError);
    port.done(null);
    expect(ports).toHaveLength(1);
  });

  it('ends the worker to stop an import, and opens the corpus again in a new one', async () => {
    const { client, ports, port, hello } = hired();
    await hello;
    const open = client.call('open', { corpus: 'k1' });
    port.done({ id: 'k1', name: 'k1', games: 1, plies: 1, size_bytes: 1, created_ms: 0, kept: 'device' });
    await open;
    const abort = new AbortController();
    const call = client.call('import', { name: 'x', files: [] }, { signal: abort.signal });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    expect(port.ended).toBe(true);
    expect(ports[1]?.asked.map((request) => request.method)).toEqual(['hello', 'open']);
  });

  it('asks a new worker for whatever else the old one was asked for', async () => {
    const { client, ports, port, hello } = hired();
    await hello;
    const refused = client.call('open', { corpus: 'gone' });
    port.say({ number: port.asked.at(-1)?.number ?? 0, state: 'failed', failure: { code: 'no-corpus', message: 'gone' } });
    await expect(refused).rejects.toMatchObject({ code: 'no-corpus' });
    const abort = new AbortController();
    const call = client.call('import', { name: 'x', files: [] }, { signal: abort.signal });
    const queued = client.call('pgn', { id: 5 });
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    // A corpus that could not be opened is not opened again.
    expect(ports[1]?.asked.map((request) => request.method)).toEqual(['hello', 'pgn']);
    ports[1]?.done('its text');
    expect(await queued).toBe('its text');
  });

  it('stops a threaded import through shared memory and waits for it to tidy up', async () => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const { client, port, ports, hello } = hired(flag);
    await hello;
    const abort = new AbortController();
    const call = client.call('import', { name: 'x', files: [] }, { signal: abort.signal });
    const number = port.asked.at(-1)?.number ?? 0;
    abort.abort();
    expect(flag[0]).toBe(number);
    expect(ports).toHaveLength(1);
    port.say({ number, state: 'failed', failure: { code: 'cancelled', message: 'cancelled' } });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('fails everything when the worker breaks', async () => {
    const { client, port, hello } = hired();
    await hello;
    const call = client.call('pgn', { id: 1 });
    port.onerror?.({ message: 'out of memory' });
    const failure = { code: 'engine', message: 'the engine stopped (out of memory). Stored games are kept. Reload the page' };
    await expect(call).rejects.toMatchObject(failure);
    // A request to a worker that has stopped fails at once.
    await expect(client.call('pgn', { id: 2 })).rejects.toMatchObject(failure);
  });
});
