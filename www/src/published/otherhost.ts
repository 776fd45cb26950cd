// Another host than the site's own, asked through a worker of its own, because a worker cannot widen its policy.
import { PageWorker } from '../engine/pageworker';
import { directHost, type FileHost, type Host, type HostFailure, type Received, type Wanted } from './host';
import type { HostReply, HostRequest } from './hostworker';
import hostWorkerAddress from './hostworker.ts?worker&url';

interface Waiting {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  progress(bytes: number): void;
}

/** A request without its number. */
type Asked = { wanted: Wanted } | { sized: string } | { file: Pick<Wanted, 'url' | 'bytes'> };

/** What this class needs of a worker. */
export interface HostPort {
  postMessage(message: HostRequest): void;
  onmessage: ((event: { data: HostReply }) => void) | null;
  onerror: ((event: { message: string }) => void) | null;
}

export class OtherHost implements Host, FileHost {
  private readonly port: HostPort;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;

  constructor(port: HostPort = startHostWorker()) {
    this.port = port;
    port.onmessage = ({ data }) => {
      const waiting = this.waiting.get(data.number);
      if ('bytes' in data) {
        waiting?.progress(data.bytes);
        return;
      }
      this.waiting.delete(data.number);
      if ('failure' in data) waiting?.reject(data.failure);
      else waiting?.resolve('received' in data ? data.received : 'blob' in data ? data.blob : data.size);
    };
    port.onerror = ({ message }) => {
      const failure: HostFailure = { code: 'host', message: `the part of this page that asks other hosts does not run${message ? ` (${message})` : ''}. Reload the page`, isPassing: false };
      for (const { reject } of this.waiting.values()) reject(failure);
      this.waiting.clear();
    };
  }

  fetch(wanted: Wanted, signal: AbortSignal): Promise<Received> {
    return this.ask({ wanted }, signal) as Promise<Received>;
  }

  size(url: string, signal: AbortSignal): Promise<number | null> {
    return this.ask({ sized: url }, signal) as Promise<number | null>;
  }

  file(file: Pick<Wanted, 'url' | 'bytes'>, signal: AbortSignal, progress: (bytes: number) => void): Promise<Blob> {
    return this.ask({ file }, signal, progress) as Promise<Blob>;
  }

  private ask(request: Asked, signal: AbortSignal, progress: (bytes: number) => void = () => undefined): Promise<unknown> {
    const number = this.next++;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.waiting.set(number, { resolve, reject, progress });
      signal.addEventListener('abort', () => {
        if (!this.waiting.delete(number)) return;
        this.port.postMessage({ number, ended: true });
        reject(signal.reason);
      });
      this.port.postMessage({ number, ...request });
    });
  }
}

/** The other host whose worker runs; a page needs no second one. */
let other: OtherHost | null = null;

/** Who asks the host of an address: the engine's worker if it is the page's own, otherwise the worker for other hosts. */
export function hostOf(address: string): Host & FileHost {
  if (new URL(address).origin === location.origin) return directHost;
  return (other ??= new OtherHost());
}

function startHostWorker(): HostPort {
  const { port1, port2 } = new MessageChannel();
  const port = Object.assign(port1, { onerror: null }) as unknown as HostPort;
  new PageWorker(new URL(hostWorkerAddress, import.meta.url), (error) => port.onerror?.(error), port2);
  return port;
}
