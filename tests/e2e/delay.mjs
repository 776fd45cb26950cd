// A slower machine, played in the page: its timers and whatever its workers say come later by so many milliseconds, in
// order. No test may depend on which of two things is quicker, so all of them must pass under any delay.

/** Milliseconds, by the environment variable PLYFOLD_DELAY; 0 leaves the page as it is. */
export const delay = Number(process.env.PLYFOLD_DELAY ?? 0);

/** What is run in the page before anything of its own. */
export function slowDown(delay) {
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (task, wait = 0, ...rest) => setTimeout(task, wait + delay, ...rest);
  const onmessage = Object.getOwnPropertyDescriptor(Worker.prototype, 'onmessage');
  Object.defineProperty(Worker.prototype, 'onmessage', {
    ...onmessage,
    set(listener) {
      // Timers of one length end in the order in which they began.
      onmessage.set.call(this, listener && ((event) => setTimeout(() => listener.call(this, event), delay)));
    },
  });
}
