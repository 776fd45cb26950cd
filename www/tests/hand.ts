import type { Failure, Method, Methods, Port, Reply, Request } from '../src/engine/protocol';

/** An engine that the test controls: it keeps requests until the test replies, in any order. */
export class Hand implements Port {
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  readonly asked: Request[] = [];
  private readonly left = new Set<number>();
  postMessage(request: Request): void {
    // The cards of a query are of no interest here, and no test waits for them.
    if (request.method === 'conditions') {
      queueMicrotask(() => this.onmessage?.({ data: { number: request.number, state: 'done', result: [] } }));
      return;
    }
    this.left.add(this.asked.push(request) - 1);
  }
  /** Replies to request `nth`, from 0, and waits until the client has taken up the reply. */
  answer(nth: number, result: Methods[keyof Methods]['result']): Promise<void> {
    return this.say(nth, { number: this.asked[nth]?.number ?? 0, state: 'done', result });
  }
  /** Fails request `nth`. */
  fail(nth: number, message = 'the engine failed', code: Failure['code'] = 'engine'): Promise<void> {
    return this.say(nth, { number: this.asked[nth]?.number ?? 0, state: 'failed', failure: { code, message } });
  }
  /** Indexes of the open requests of a method, oldest first. */
  open(method: Method): number[] {
    return [...this.left].filter((nth) => this.asked[nth]?.method === method);
  }
  /** Replies to the oldest open request of a method. */
  next<M extends Method>(method: M, result: Methods[M]['result']): Promise<void> {
    const [nth] = this.open(method);
    if (nth === undefined) throw new Error(`nobody waits for ${method}, but for ${[...this.left].map((one) => this.asked[one]?.method).join(', ') || 'nothing'}`);
    return this.answer(nth, result);
  }
  terminate(): void {}

  private say(nth: number, reply: Reply): Promise<void> {
    this.left.delete(nth);
    this.onmessage?.({ data: reply });
    return new Promise((resolve) => setTimeout(resolve));
  }
}
