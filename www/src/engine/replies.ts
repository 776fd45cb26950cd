// What the engine worker replies with: a failure as a code and a sentence, and the buffers of a result that are handed over.
import type { Failure, Method, Methods } from './protocol';
import { FirstTrap } from './trap';

const CODES: readonly Failure['code'][] = ['cancelled', 'bad-query', 'no-corpus', 'held', 'storage', 'bad-input', 'bad-corpus', 'host', 'engine'];

const trap = new FirstTrap();

/** Anything thrown, as a code and a sentence. */
export function failure(thrown: unknown): Failure {
  const cause = trap.causeOf(thrown);
  if (cause !== null) return { code: 'engine', message: `the engine stopped (${cause}). Stored games are kept. Reload the page` };
  const { code, message } = typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown; message?: unknown }) : {};
  const text = typeof message === 'string' && message !== '' ? message : String(thrown);
  return { code: CODES.find((known) => known === code) ?? 'engine', message: text };
}

/** The buffers of a result that can be transferred instead of copied. */
export function transfers(result: Methods[Method]['result']): Transferable[] {
  const arrays = result instanceof Uint32Array ? [result] : result !== null && typeof result === 'object' && 'heatmap' in result ? [result.ids, result.heatmap] : [];
  return arrays.flatMap((array) => (array && array.buffer instanceof ArrayBuffer ? [array.buffer] : []));
}
