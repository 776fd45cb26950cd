import type { Methods, Port, Request } from '../src/engine/protocol';

/** An engine that is played by hand: it keeps requests until they are answered. */
export class Hand implements Port {
  onmessage: Port['onmessage'] = null;
  onerror: Port['onerror'] = null;
  readonly asked: Request[] = [];
  postMessage(request: Request): void {
    this.asked.push(request);
  }
  /** Answers the request with this number among those that were asked, from 0, and waits until that is taken up. */
  answer(nth: number, result: Methods[keyof Methods]['result']): Promise<void> {
    this.onmessage?.({ data: { number: this.asked[nth]?.number ?? 0, state: 'done', result } });
    return new Promise((resolve) => setTimeout(resolve));
  }
  terminate(): void {}
}
