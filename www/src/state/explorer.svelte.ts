// The explorer: how games went on, from the matching positions or from a position of its own, which moves
// are played on. A late answer to an older question is dropped.
import { EngineError, type EngineClient } from '../engine/client';
import type { NextMove, NextMoves, Question } from '../engine/protocol';
import { sentence } from './library.svelte';

/** A position on the way, and the move that led there; the first has none. */
export interface Step {
  fen: string;
  uci: string;
  san: string;
}

export class Explorer {
  /** From where it came to here; empty while the matching positions are looked at. */
  line = $state.raw<readonly Step[]>([]);
  /** Whether only matching games are looked at. */
  among = $state(false);
  /** How games went on from the position of its own. */
  found = $state.raw<NextMoves | null>(null);
  running = $state(false);
  trouble = $state('');

  readonly here = $derived(this.line.at(-1) ?? null);
  /** The position as a query takes it, without counters; empty for the matching positions. */
  readonly position = $derived(this.here ? bare(this.here.fen) : '');

  private readonly client: EngineClient;
  private abort: AbortController | null = null;
  private asked = '';

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Forgets answers, for another corpus; the position stays. */
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

  /** Back to the matching positions. */
  leave(): void {
    this.line = [];
  }

  play({ fen, uci, san }: NextMove): void {
    this.line = [...this.line, { fen, uci, san }];
  }

  /** Takes moves back until so many are left. */
  keep(moves: number): void {
    this.line = this.line.slice(0, Math.max(1, moves + 1));
  }

  /** Goes to a position of an address: along the line that led there where that is known. */
  visit(position: string, line: readonly Step[]): void {
    if (position === '') this.leave();
    else if (position !== this.position) this.line = bare(line.at(-1)?.fen ?? '') === position ? line : [{ fen: position, uci: '', san: '' }];
  }

  /** Asks, unless that has been asked; nothing while the matching positions are looked at. */
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
      // What is not among the matching games has nothing to do with them, not even that they must be found.
      const asked = among ? question : { query: '', within: '', parts: [] };
      const found = await this.client.call('explore', { question: asked, fen: position, among }, { signal: abort.signal });
      if (!abort.signal.aborted) this.found = found;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.found = null;
      // Whoever asks for the same again is to get it.
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
