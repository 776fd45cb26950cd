// Simulates a slower machine in the page: its timers and the messages of its workers are late by so many
// milliseconds, in order. No test may depend on which of two things is faster, so all tests must pass with
// any delay.

import { basename } from 'node:path';

/** The files of tests that are late, if not all are. */
const late = process.env.PLYFOLD_LATE?.split(',');

/** Milliseconds, from the environment variable PLYFOLD_DELAY; 0 leaves the page as it is. */
export const delay = late?.includes(basename(process.argv[1], '.test.mjs')) === false ? 0 : Number(process.env.PLYFOLD_DELAY ?? 0);

/** Runs in the page before the page's own scripts. */
export function slowDown(delay) {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (task, wait = 0, ...rest) => setTimeout(task, wait + delay, ...rest);
  const onmessage = Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage');
  Object.defineProperty(Worker.prototype, 'onmessage', {
    ...onmessage,
    set(listener) {
      // Timers of equal length end in the order in which they began.
      onmessage.set.call(this, listener && ((event) => setTimeout(() => listener.call(this, event), delay)));
    },
  });
}
