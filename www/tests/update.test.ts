// A newer build of the page, as the service worker tells of it.
import { describe, expect, it, vi } from 'vitest';
import { Update } from '../src/state/update.svelte';
import { TAKE_OVER } from '../src/sw/words';

const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('a newer build', () => {
  class Worker extends EventTarget {
    readonly said: unknown[] = [];
    postMessage(message: unknown): void {
      this.said.push(message);
    }
  }
  class Registration extends EventTarget {
    active: Worker | null = null;
    installing: Worker | null = null;
    waiting: Worker | null = null;
    update = vi.fn(async () => this);
    /** Simulates a build that becomes ready, with the browser's events. */
    build(): Worker {
      const worker = new Worker();
      this.installing = worker;
      this.dispatchEvent(new Event('updatefound'));
      [this.installing, this.waiting] = [null, worker];
      worker.dispatchEvent(new Event('statechange'));
      return worker;
    }
  }
  const followed = (registration: Registration) => {
    const update = new Update();
    const container = new EventTarget();
    const reload = vi.fn();
    update.follow(registration as unknown as ServiceWorkerRegistration, { container: container as ServiceWorkerContainer, reload });
    return { update, container, reload };
  };

  it('is offered, takes over at a word, and then the page is loaded from it', () => {
    const registration = new Registration();
    registration.active = new Worker();
    const { update, container, reload } = followed(registration);
    expect(update.isReady).toBe(false);
    const worker = registration.build();
    expect(update.isReady).toBe(true);
    update.take();
    expect([worker.said, reload.mock.calls.length]).toEqual([[TAKE_OVER], 0]);
    container.dispatchEvent(new Event('controllerchange'));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('that waits already is offered at once; the very first one is not', () => {
    const waits = new Registration();
    [waits.active, waits.waiting] = [new Worker(), new Worker()];
    expect(followed(waits).update.isReady).toBe(true);
    const first = new Registration();
    const { update } = followed(first);
    first.build();
    expect(update.isReady).toBe(false);
  });

  it('that another tab has let take over is loaded at once', () => {
    const registration = new Registration();
    registration.active = new Worker();
    const { update, reload } = followed(registration);
    registration.build();
    registration.waiting = null;
    update.take();
    expect(reload).toHaveBeenCalledOnce();
  });

  it('is looked for once an hour at most, and a host that is gone is no trouble', async () => {
    const registration = new Registration();
    registration.update = vi.fn(() => Promise.reject(new TypeError('no network')));
    const { update } = followed(registration);
    const now = Date.now();
    update.lookAgain(now + 1000);
    update.lookAgain(now + 4_000_000);
    update.lookAgain(now + 4_100_000);
    await settle();
    expect(registration.update).toHaveBeenCalledOnce();
  });
});
