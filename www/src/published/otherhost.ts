// Another host than the site's own, asked through a worker of its own, because a worker cannot widen its policy.
import type { Host, HostFailure, Received, Wanted } from './host';
import type { HostReply, HostRequest } from './hostworker';

interface Waiting {
  resolve(received: Received): void;
  reject(reason: unknown): void;
}

/** What this class needs of a worker. */
export interface HostPort {
  postMessage(message: HostRequest): void;
  onmessage: ((event: { data: HostReply }) => void) | null;
  onerror: ((event: { message: string }) => void) | null;
}

export class OtherHost implements Host {
  private readonly port: HostPort;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;

  constructor(port: HostPort = startHostWorker()) {
    this.port = port;
    port.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if ('received' in data) waiting?.resolve(data.received);
      else waiting?.reject(data.failure);
    };
    port.onerror = ({ message }) => {
      const failure: HostFailure = { code: 'host', message: `the part of this page that asks other hosts does not run${message ? ` (${message})` : ''}. Reload the page`, isPassing: false };
      for (const { reject } of this.waiting.values()) reject(failure);
      this.waiting.clear();
    };
  }

  fetch(wanted: Wanted, signal: AbortSignal): Promise<Received> {
    const number = this.next++;
    return new Promise<Received>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.waiting.set(number, { resolve, reject });
      signal.addEventListener('abort', () => {
        if (!this.waiting.delete(number)) return;
        this.port.postMessage({ number, wanted: null });
        reject(signal.reason);
      });
      this.port.postMessage({ number, wanted });
    });
  }
}

function startHostWorker(): HostPort {
  return new Worker(new URL('./hostworker.ts', import.meta.url), { type: 'module' }) as unknown as HostPort;
}
