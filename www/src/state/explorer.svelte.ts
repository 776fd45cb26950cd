// The explorer: how games continued from the matching positions, or from a position of its own on which
// the user plays moves. It drops late results of an older request.
import { EngineError, type EngineClient } from '../engine/client';
import type { NextMoves, Question } from '../engine/protocol';
import { sentence } from './library.svelte';
import { START_FEN } from './replay.svelte';
import type { Step } from './rules';

export class Explorer {
  /** The line from the first position to the present one; empty for the matching positions. */
  line = $state.raw<readonly Step[]>([]);
  /** Whether only matching games count. */
  among = $state(false);
  /** How games continued from the explorer's own position. */
  found = $state.raw<NextMoves | null>(null);
  running = $state(false);
  trouble = $state('');

  readonly here = $derived(this.line.at(-1) ?? null);
  /** The position as a query takes it, without counters; empty for the matching positions. */
  readonly position = $derived(this.here ? bare(this.here.fen) : '');

  private readonly client: EngineClient;
  private abort: AbortController | null = null;
  private asked = '';
  /** The line with which the explorer began by itself. */
  private own: readonly Step[] | null = null;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Forgets results, for another corpus; the position stays. */
  reset(): void {
    this.abort?.abort();
    this.abort = null;
    this.running = false;
    this.asked = '';
    this.found = null;
    this.trouble = '';
  }

  begin(fen: string): void {
    this.line = [{ fen, uci: '', san: '' }];
  }

  /**
   * Begins at the start position if all games match, and returns to the matching positions when a query comes, unless
   * the user has played moves meanwhile. Returns whether the position changed.
   */
  follow(everything: boolean): boolean {
    const before = this.line;
    if (everything && before.length === 0) this.begin(START_FEN);
    else if (!everything && before.length > 0 && before === this.own) this.leave();
    if (everything && this.line.length === 1 && this.here?.fen === START_FEN) this.own = this.line;
    return this.line !== before;
  }

  /** Returns to the matching positions. */
  leave(): void {
    this.line = [];
  }

  play({ fen, uci, san }: Step): void {
    this.line = [...this.line, { fen, uci, san }];
  }

  /** Takes moves back until `moves` moves remain. */
  keep(moves: number): void {
    this.line = this.line.slice(0, Math.max(1, moves + 1));
  }

  /** Goes to the position of an address, with the line that led there if it is known. */
  visit(position: string, line: readonly Step[]): void {
    if (position === '') this.leave();
    else if (position !== this.position) this.line = bare(line.at(-1)?.fen ?? '') === position ? line : [{ fen: position, uci: '', san: '' }];
  }

  /** Fetches the next moves, unless they are already there. Does nothing for the matching positions. */
  async ask(question: Question): Promise<void> {
    const { position, among } = this;
    const words = JSON.stringify([position, among && question]);
    if (position === '' || words === this.asked) return;
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    this.asked = words;
    this.running = true;
    this.trouble = '';
    try {
      // If all games count, the question plays no part, and an error in it does not matter.
      const asked = among ? question : { query: '', within: '', parts: [] };
      const found = await this.client.call('explore', { question: asked, fen: position, among }, { signal: abort.signal });
      if (!abort.signal.aborted) this.found = found;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.found = null;
      // A repeated request must reach the engine again.
      this.asked = '';
      if (!(error instanceof EngineError && error.code === 'cancelled')) this.trouble = sentence(error);
    } finally {
      if (this.abort === abort) this.running = false;
    }
  }
}

/** The first four fields of a FEN. */
export function bare(fen: string): string {
  return fen.split(' ').slice(0, 4).join(' ');
}
