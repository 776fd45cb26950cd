// What a worker and the page say to each other about the workers that it needs, such as its pool of threads. `pool` is the number of
// one of them.

/** What a worker asks of the page: to start a worker and to hand it a port, to give it a message, or to end it. */
export type PoolRequest = { pool: number; address: string; port?: MessagePort | undefined } | { pool: number; message: unknown } | { pool: number; end: true };

/** What the page replies: a message of a worker of the pool, or why that worker does not run. */
export type PoolReply = { pool: number; message: unknown } | { pool: number; failure: string };

/** Tells the messages about a pool from all others between a worker and the page. */
export function isOfPool<Message extends PoolRequest | PoolReply>(data: unknown): data is Message {
  return typeof data === 'object' && data !== null && 'pool' in data;
}
