// What a worker and the page say to each other about the worker's pool of threads. `pool` is the number of a worker in the pool.

/** What a worker asks of the page: to start a worker of its pool, to give it a message, or to end it. */
export type PoolRequest = { pool: number; address: string } | { pool: number; message: unknown } | { pool: number; end: true };

/** What the page replies: a message of a worker of the pool, or why that worker does not run. */
export type PoolReply = { pool: number; message: unknown } | { pool: number; failure: string };

/** Tells the messages about a pool from all others between a worker and the page. */
export function isOfPool<Message extends PoolRequest | PoolReply>(data: unknown): data is Message {
  return typeof data === 'object' && data !== null && 'pool' in data;
}
