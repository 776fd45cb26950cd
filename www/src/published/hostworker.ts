// The worker that asks another host for the files of a library, after the user has agreed to that host. It is the only script
// beside the worker of tables that may ask other hosts (`www/public/_headers`). It gets addresses and gives bytes; it knows no
// games, no queries and no storage.
import { agreedHost, isHostFailure, type HostFailure, type Received, type Wanted } from './host';

/** How often the progress of a file is told. */
const TELL_EVERY_MS = 200;

/** `wanted` asks for a file of a library, `sized` for a size, `file` for a whole file, and `ended` ends what was asked before. */
export type HostRequest = { number: number } & ({ wanted: Wanted } | { sized: string } | { file: Pick<Wanted, 'url' | 'bytes'> } | { ended: true });
/** One answer for each request but the last kind; `bytes` tells before it how much of a file has come. */
export type HostReply = { number: number } & ({ received: Received } | { size: number | null } | { blob: Blob } | { failure: HostFailure } | { bytes: number });

const running = new Map<number, AbortController>();

async function serve(request: Exclude<HostRequest, { ended: true }>, port: MessagePort): Promise<void> {
  const { number } = request;
  const abort = new AbortController();
  running.set(number, abort);
  try {
    const [reply, transfer] = await answer(request, port, abort.signal);
    port.postMessage({ number, ...reply } as HostReply, { transfer });
  } catch (thrown) {
    // Nobody waits for what was aborted.
    if (isHostFailure(thrown)) port.postMessage({ number, failure: thrown } satisfies HostReply);
  } finally {
    running.delete(number);
  }
}

/** What a request is answered with, and the buffers that go along. */
async function answer(request: Exclude<HostRequest, { ended: true }>, port: MessagePort, signal: AbortSignal): Promise<[object, Transferable[]]> {
  if ('wanted' in request) {
    const received = await agreedHost.fetch(request.wanted, signal);
    return [{ received }, [received.bytes.buffer]];
  }
  if ('sized' in request) return [{ size: await agreedHost.size(request.sized, signal) }, []];
  let told = 0;
  const blob = await agreedHost.file(request.file, signal, (bytes) => {
    if (performance.now() - told < TELL_EVERY_MS) return;
    told = performance.now();
    port.postMessage({ number: request.number, bytes } satisfies HostReply);
  });
  return [{ blob }, []];
}

/** The first message is the port over which the engine's worker asks. */
self.onmessage = ({ data: port }: MessageEvent<MessagePort>) => {
  port.onmessage = ({ data }: MessageEvent<HostRequest>) => {
    if ('ended' in data) running.get(data.number)?.abort();
    else void serve(data, port);
  };
};
