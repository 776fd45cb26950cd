// What the engine knows about a text while it is typed: the colours of its parts, and what may come
// next. Both are asked for at each letter; an answer that is late is dropped.
import type { EngineClient } from '../engine/client';
import type { Completions, Painted } from '../engine/protocol';

/** What may come next at a place, and which of it is picked out. */
export interface Offer extends Completions {
  /** The text and the place it was made for. */
  text: string;
  at: number;
  /** Index of the option picked out by keys, -1 for none. */
  picked: number;
}

export class Typing {
  /** The colours of `colouredText`. */
  private coloured = $state.raw<readonly Painted[]>([]);
  private colouredText = $state('');
  offer = $state.raw<Offer | null>(null);

  private readonly client: EngineClient;
  private asking = false;
  private wanted = '';
  private turn = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** The coloured parts of `text`; where its own colours are not here yet, those of the text before it. */
  parts(text: string): readonly Painted[] {
    return this.colouredText === text ? this.coloured : moved(this.coloured, this.colouredText, text);
  }

  /** Asks for the colours of a text; of several that follow each other quickly, for the last one's. */
  async paint(text: string): Promise<void> {
    this.wanted = text;
    if (this.asking) return;
    this.asking = true;
    try {
      while (this.colouredText !== this.wanted) {
        const query = this.wanted;
        const coloured = await this.client.call('paint', { query });
        [this.coloured, this.colouredText] = [coloured, query];
      }
    } catch {
      // A text without colours reads as well.
    } finally {
      this.asking = false;
    }
  }

  /** Asks what may come at a place. `unasked`: the user only types, and a list opens where a word is begun or wanted. */
  async complete(text: string, at: number, unasked: boolean): Promise<void> {
    const turn = ++this.turn;
    try {
      const found = await this.client.call('complete', { query: text, at });
      if (turn !== this.turn) return;
      const typed = text.slice(found.from, found.to).toLowerCase();
      const whole = found.options.length === 1 && found.options[0]?.text.toLowerCase() === typed;
      const wanted = typed !== '' || /[\s({]$/.test(text.slice(0, at));
      // Who picks faster than the engine answers keeps what is picked.
      const before = this.offer?.options[this.offer.picked]?.text;
      const picked = before === undefined ? -1 : found.options.findIndex((option) => option.text === before);
      this.offer = found.options.length === 0 || (unasked && (whole || !wanted)) ? null : { ...found, text, at, picked };
    } catch {
      if (turn === this.turn) this.offer = null;
    }
  }

  /** Picks out another option, by keys. */
  pick(step: number): void {
    const offer = this.offer;
    if (!offer) return;
    const count = offer.options.length;
    const picked = offer.picked < 0 && step < 0 ? count - 1 : (offer.picked + step + count) % count;
    this.offer = { ...offer, picked };
  }

  dismiss(): void {
    this.turn++;
    this.offer = null;
  }
}

/** Whether what is typed begins something that is offered, or a later word of its name, and so is no mistake. */
export function begins(offer: Offer): boolean {
  return offer.options.some((option) => {
    const typed = offer.text.slice(option.from, offer.to).toLowerCase().replace(/[\s-]+/g, '_');
    return `_${option.text.toLowerCase()}`.includes(`_${typed}`);
  });
}

/** What is put in place of the offer's word when an option is taken: with the space that the next word wants. */
export function taken(offer: Offer, option: number): { from: number; to: number; text: string } | null {
  const chosen = offer.options[option];
  if (!chosen) return null;
  const tight = chosen.text === '..';
  const before = tight || chosen.from === 0 || /[\s({[]$/.test(offer.text.slice(0, chosen.from)) ? '' : ' ';
  const space = tight || chosen.text.endsWith('(') || /^[\s,)]/.test(offer.text.slice(offer.to)) ? '' : ' ';
  return { from: chosen.from, to: offer.to, text: before + chosen.text + space };
}

/** Colours of one text on another that differs in one place: what stands before and behind it keeps its own. */
export function moved(parts: readonly Painted[], before: string, after: string): Painted[] {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same++;
  let end = 0;
  while (end < most - same && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const by = after.length - before.length;
  const last = before.length - end;
  return parts.flatMap((part) => {
    // A word that is being written goes on in its colour.
    if (part.to <= same) return [part.to === same && end === 0 ? { ...part, to: grown(after, part.to) } : part];
    if (part.from >= last) return [{ ...part, from: part.from + by, to: part.to + by }];
    const from = Math.min(part.from, same);
    const to = Math.max(part.to, last) + by;
    return to > from ? [{ ...part, from, to }] : [];
  }).filter((part, nth, all) => part.from >= (all[nth - 1]?.to ?? 0) && part.to <= after.length);
}

function grown(text: string, at: number): number {
  return at + (/^\w*/.exec(text.slice(at))?.[0].length ?? 0);
}
