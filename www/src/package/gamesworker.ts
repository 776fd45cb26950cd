// The worker of the package: it hands requests to the session, and its replies back.
import { loadBuild } from '../engine/build';
import { patientHost } from '../published/host';
import type { Failure, Reply, Request } from './protocol';
import { Session } from './session';

declare const self: DedicatedWorkerGlobalScope;

const running = new Map<number, AbortController>();

const session = new Session(
  {
    loadBuild,
    host: patientHost,
    readOwnFile: undefined,
    // The engine reads a file itself, as only a worker can.
    bytesOf: async (data, name) => (data instanceof Blob ? { name, size: data.size, bytes: data } : { name, size: data.length, bytes: [data] }),
  },
  { progress: (progress) => post({ progress }), arrived: (arrived) => post({ arrived }) },
);

function post(reply: Reply): void {
  self.postMessage(reply);
}

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  if ('aborted' in data) return running.get(data.aborted)?.abort();
  const { number, method, params } = data;
  const abort = new AbortController();
  running.set(number, abort);
  try {
    post({ number, result: await session.run(number, method, params, abort.signal) });
  } catch (thrown) {
    // Nobody waits for what was aborted.
    if (!abort.signal.aborted) post({ number, failure: thrown as Failure });
  } finally {
    running.delete(number);
  }
};

post({ ready: true });
