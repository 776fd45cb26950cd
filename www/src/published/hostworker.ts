// The worker that asks another host for the files of a library, after the user has agreed to that host. It is the only script
// beside the worker of tables that may ask other hosts (`www/public/_headers`). It gets addresses and gives bytes; it knows no
// games, no queries and no storage.
import { directHost, isHostFailure, type HostFailure, type Received, type Wanted } from './host';

export type HostRequest = { number: number; wanted: Wanted } | { number: number; wanted: null };
export type HostReply = { number: number; received: Received } | { number: number; failure: HostFailure };

const running = new Map<number, AbortController>();

async function serve(number: number, wanted: Wanted): Promise<void> {
  const abort = new AbortController();
  running.set(number, abort);
  try {
    const received = await directHost.fetch(wanted, abort.signal);
    self.postMessage({ number, received } satisfies HostReply, { transfer: [received.bytes.buffer] });
  } catch (thrown) {
    // Nobody waits for what was aborted.
    if (isHostFailure(thrown)) self.postMessage({ number, failure: thrown } satisfies HostReply);
  } finally {
    running.delete(number);
  }
}

self.onmessage = ({ data }: MessageEvent<HostRequest>) => {
  if (data.wanted) void serve(data.number, data.wanted);
  else running.get(data.number)?.abort();
};
