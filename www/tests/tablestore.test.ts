// Tables are made to the end even if their worker stops, and a worker that always stops at the same table is not started for ever.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TablePort } from '../src/tables/client';
import type { TableReply, TableRequest, TablesHere } from '../src/tables/protocol';
import { TableStore } from '../src/state/tablestore.svelte';

const ALL = ['KRvK', 'KQvK', 'KPvK', 'KBNvK'];

/** What workers share: the browser's private files, and when a worker stops. */
class Device {
  readonly files = new Set<string>();
  readonly workers: FakeTables[] = [];
  isLasting = true;
  /** How many tables each worker makes before it stops. */
  made: number[] = [];
  whenStopped: () => void = () => undefined;

  readonly start = (): TablePort => {
    const worker = new FakeTables(this, this.made.shift() ?? ALL.length);
    this.workers.push(worker);
    return worker;
  };
}

class FakeTables implements TablePort {
  onmessage: TablePort['onmessage'] = null;
  onerror: TablePort['onerror'] = null;
  isEnded = false;
  readonly hosts: unknown[] = [];
  private readonly device: Device;
  private readonly memory = new Set<string>();
  private left: number;

  constructor(device: Device, most: number) {
    this.device = device;
    this.left = most;
  }

  private get names(): string[] {
    return [...this.device.files, ...this.memory];
  }

  private get here(): TablesHere {
    return { names: this.names, bytes: 0, missing: ALL.length - this.names.length, kept: this.device.isLasting ? 'device' : 'memory', notes: [] };
  }

  terminate(): void {
    this.isEnded = true;
  }

  postMessage(request: TableRequest): void {
    const { number } = request;
    queueMicrotask(() => {
      const stopped = { code: 'engine' as const, message: 'the worker of tables stopped (no room). Reload the page' };
      const result = this.handle(request);
      const reply: TableReply = result === 'stopped' ? { number, state: 'failed', failure: stopped } : { number, state: 'done', result };
      if (!this.isEnded) this.onmessage?.({ data: reply });
    });
  }

  private handle(request: TableRequest): Extract<TableReply, { state: 'done' }>['result'] | 'stopped' {
    if (request.method === 'hello') return { threads: 1, stop: null, here: this.here };
    if (request.method === 'files') return this.names.map((name) => ({ name, content: new Blob([name]) }));
    if (request.method === 'use') {
      this.hosts.push(request.params);
      return null;
    }
    if (request.method === 'take') for (const { name } of request.params.files) this.keep(name.replace('.egp', ''));
    if (request.method !== 'make') return this.here;
    for (const name of ALL.filter((one) => !this.names.includes(one))) {
      if (this.left-- <= 0) {
        this.device.whenStopped();
        return 'stopped';
      }
      this.keep(name);
    }
    return { ...this.here, memory_bytes: 1 };
  }

  private keep(name: string): void {
    (this.device.isLasting ? this.device.files : this.memory).add(name);
  }
}

let device: Device;
beforeEach(() => {
  device = new Device();
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined, removeItem: () => undefined });
});

describe('making tables', () => {
  for (const isLasting of [true, false]) {
    it(`goes on with another worker where one has stopped, with tables ${isLasting ? 'on the device' : 'in memory'}`, async () => {
      Object.assign(device, { isLasting, made: [1, 2] });
      const store = new TableStore(device.start, null);
      await store.use({ folder: 'https://example.org/tables', server: '' });
      await store.make();
      expect(store.here.names.sort()).toEqual([...ALL].sort());
      expect([store.trouble, store.making]).toEqual(['', null]);
      expect(store.said).toMatch(/^4 tables made in /);
      expect(device.workers.map(({ isEnded, hosts }) => [isEnded, hosts.length])).toEqual([[true, 1], [true, 1], [false, 1]]);
    });
  }

  it('says why if no worker makes another table, and the last one answers', async () => {
    device.made = [2, 0];
    const store = new TableStore(device.start, null);
    await store.make();
    expect(store.trouble).toBe('the worker of tables stopped (no room). Reload the page');
    expect(store.here.names).toHaveLength(2);
    expect(device.workers.map(({ isEnded }) => isEnded)).toEqual([true, true, false]);
    await expect(store.client.call('list', {})).resolves.toHaveProperty('missing', 2);
  });

  it('does not go on if the user has stopped it meanwhile', async () => {
    device.made = [1];
    const store = new TableStore(device.start, null);
    device.whenStopped = () => void store.stop();
    await store.make();
    expect([store.trouble, store.said, store.here.names.length]).toEqual(['', 'Stopped. The tables that are complete stay.', 1]);
  });

  it('goes on when the browser says that a worker has failed', async () => {
    device.made = [4];
    const store = new TableStore(device.start, null);
    await store.ready;
    device.files.add('KRvK');
    const [first] = device.workers;
    if (!first) throw new Error('no worker');
    first.postMessage = () => queueMicrotask(() => first.onerror?.({ message: 'unreachable' }));
    await store.make();
    expect([store.trouble, store.here.names.length, device.workers.length]).toEqual(['', 4, 2]);
  });
});
