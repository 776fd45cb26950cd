import type { Failure, Method, Methods, Port, Reply, Request } from '../src/engine/protocol';

/** An engine that is played by hand: it keeps requests until they are answered, in whatever order. */
export class Hand implements Port {
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  readonly asked: Request[] = [];
  private readonly left = new Set<number>();
  postMessage(request: Request): void {
    this.left.add(this.asked.push(request) - 1);
  }
  /** Answers the request with this number among those that were asked, from 0, and waits until that is taken up. */
  answer(nth: number, result: Methods[keyof Methods]['result']): Promise<void> {
    return this.say(nth, { number: this.asked[nth]?.number ?? 0, state: 'done', result });
  }
  /** Fails it. */
  fail(nth: number, message = 'the engine failed', code: Failure['code'] = 'engine'): Promise<void> {
    return this.say(nth, { number: this.asked[nth]?.number ?? 0, state: 'failed', failure: { code, message } });
  }
  /** Numbers of the requests of a method that have no answer yet, oldest first. */
  open(method: Method): number[] {
    return [...this.left].filter((nth) => this.asked[nth]?.method === method);
  }
  /** Answers the oldest request of a method that has no answer yet. */
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
