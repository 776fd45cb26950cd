// What ended a wasm module. A module that traps leaves what it had borrowed behind, so each further call to the same object fails
// with words about borrowing, which say nothing of the cause.

/** Whether a module was left in the midst of a call: by a trap, or because the stack had no room. */
function isTrap(thrown: unknown): thrown is Error {
  if (thrown instanceof WebAssembly.RuntimeError) return true;
  return thrown instanceof Error && /call stack|too much recursion/i.test(thrown.message);
}

/** The first trap of a module. */
export class FirstTrap {
  private message: string | null = null;

  /** The message of the first trap, if `thrown` is one or comes after one. */
  causeOf(thrown: unknown): string | null {
    if (this.message === null && isTrap(thrown)) this.message = thrown.message;
    return this.message;
  }
}
