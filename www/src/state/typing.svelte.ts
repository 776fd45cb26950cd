// Colours and completion of a text while the user types. The page requests both at each letter and drops late results.
// Between the quotes of a name, the completion offers the names of the open corpus; of plain words, first names and phrases.
import type { EngineClient } from '../engine/client';
import type { Completion, Completions, Painted, Suggestion } from '../engine/protocol';
import { gamesInWords, nameAt, namesOf, type NamePlace } from './names.svelte';
import { say } from './say';
import { NO_OUTPUTS, WHOLE_CORPUS } from './search.svelte';
import { quotedName } from './tokens';

/** Words of the language that are offered below plain words. */
const MOST_KEYWORDS = 4;
/** What only a query has. */
const SIGNS_OF_QUERIES = /["{}()_<>=&@*]/;
/** The end of a text where plain words are suggested: words of at least three letters are being written. */
const IS_WRITING = /[\p{L}\d'’., -]{2}[\p{L}\d'’.-]$/u;

/** What may come next: a word of the language, or plain words with what they mean. */
export type Option = (Omit<Completion, 'detail'> & { detail: string }) | { from: number; text: string; detail: string; kind: 'plain'; query: string; isCounted: boolean };

/** What may come next at a place, and which option is highlighted. */
export interface Offer extends Omit<Completions, 'options'> {
  options: readonly Option[];
  /** The text and the place that the offer is for. */
  text: string;
  at: number;
  /** Index of the option highlighted by the keyboard, -1 for none. */
  picked: number;
  /** Whether the options are names between quotes. */
  areNames?: boolean;
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

  /** The coloured parts of `text`. Until its own colours arrive, those of the previous text are adapted. */
  parts(text: string): readonly Painted[] {
    return this.colouredText === text ? this.coloured : moved(this.coloured, this.colouredText, text);
  }

  /** Fetches the colours of a text. If several texts follow each other quickly, only the last one matters. */
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
      // A text without colours is readable too.
    } finally {
      this.asking = false;
    }
  }

  /**
   * Fetches what may come at a place. With `unasked`, the user only types, and the list opens only where a word
   * begins or is expected.
   */
  async complete(text: string, at: number, unasked: boolean): Promise<void> {
    const turn = ++this.turn;
    try {
      const place = nameAt(text, at);
      const found: Omit<Completions, 'options'> & { options: readonly Option[]; areNames?: boolean } = await (place ? this.names(place) : this.words(text, at));
      if (turn !== this.turn) return;
      const typed = text.slice(found.from, found.to).toLowerCase();
      const whole = found.options.length === 1 && found.options[0]?.text.toLowerCase() === typed;
      const wanted = found.areNames || typed !== '' || /[\s({]$/.test(text.slice(0, at));
      // If the user picks an option before the new list arrives, the option stays picked.
      const before = this.offer?.options[this.offer.picked]?.text;
      const picked = before === undefined ? -1 : found.options.findIndex((option) => option.text === before);
      this.offer = found.options.length === 0 || (unasked && (whole || !wanted)) ? null : { ...found, text, at, picked };
    } catch {
      if (turn === this.turn) this.offer = null;
    }
  }

  private async names({ field, from, to, text }: NamePlace): Promise<Completions & { areNames: true }> {
    const names = await namesOf(this.client, field, text);
    return { from, to, areNames: true, options: names.map(({ name, games }) => ({ from, text: quotedName(name), detail: gamesInWords(games), kind: 'text' })) };
  }

  /** Plain words first, if the text has no signs of a query. */
  private async words(text: string, at: number): Promise<Omit<Completions, 'options'> & { options: readonly Option[] }> {
    const before = text.slice(0, at);
    const [keywords, suggested] = await Promise.all([
      this.client.call('complete', { query: text, at }),
      SIGNS_OF_QUERIES.test(text) || /^\w/.test(text.slice(at)) || !IS_WRITING.test(before) ? [] : this.client.call('suggest', { text: before }).catch(() => []),
    ]);
    const plain = suggested.map((one): Option => ({ from: one.from, text: one.text, detail: detailOf(one), kind: 'plain', query: one.query, isCounted: one.games !== null }));
    if (plain.length === 0) return keywords;
    // The name of a predicate is the same words with `_`.
    const isSaid = ({ text }: Completion) => plain.some((one) => one.text.replace(/[\s-]+/g, '_') === text);
    return { from: Math.min(keywords.from, ...plain.map(({ from }) => from)), to: at, options: [...plain, ...keywords.options.filter((one) => !isSaid(one)).slice(0, MOST_KEYWORDS)] };
  }

  /** Counts the games of what is offered, one after the other, until something else is offered. */
  async count(signal: AbortSignal): Promise<void> {
    for (;;) {
      const next = this.offer?.options.find((one) => one.kind === 'plain' && !one.isCounted);
      if (next?.kind !== 'plain' || signal.aborted) return;
      const question = { ...WHOLE_CORPUS, query: next.query };
      const found = await this.client.call('query', { question, outputs: NO_OUTPUTS }, { signal }).catch(() => null);
      if (signal.aborted || !this.offer) return;
      const counted = found ? gamesInWords(found.games) : '';
      const detail = next.detail === '' || counted === '' ? counted : say(`${next.detail}: ${counted}`);
      this.offer = { ...this.offer, options: this.offer.options.map((one) => (one === next ? { ...next, detail, isCounted: true } : one)) };
    }
  }

  /** Highlights another option, by the keyboard. */
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

/** What a suggestion is, and its games if they are known. */
function detailOf({ kind, games }: Suggestion): string {
  const what: Record<Suggestion['kind'], string> = { surname: say('all spellings'), player: '', opening: say('opening'), event: say('event'), phrase: '' };
  if (games === null) return what[kind];
  return what[kind] === '' ? gamesInWords(games) : say(`${what[kind]}: ${gamesInWords(games)}`);
}

/** Whether the typed text is the beginning of an option, or of a later word of its name, or a name, and therefore no mistake. */
export function begins(offer: Offer): boolean {
  if (offer.areNames || offer.options.some(({ kind }) => kind === 'plain')) return true;
  return offer.options.some((option) => {
    const typed = offer.text.slice(option.from, offer.to).toLowerCase().replace(/[\s-]+/g, '_');
    return `_${option.text.toLowerCase()}`.includes(`_${typed}`);
  });
}

/** The replacement for the offer's word when the user takes an option, with a space where the next word needs one. */
export function taken(offer: Offer, option: number): { from: number; to: number; text: string } | null {
  const chosen = offer.options[option];
  if (!chosen) return null;
  const tight = chosen.text === '..';
  const before = tight || chosen.from === 0 || /[\s({[]$/.test(offer.text.slice(0, chosen.from)) ? '' : ' ';
  const space = tight || chosen.text.endsWith('(') || /^[\s,)]/.test(offer.text.slice(offer.to)) ? '' : ' ';
  return { from: chosen.from, to: offer.to, text: before + chosen.text + space };
}

/** Adapts the colours of a text to one that differs in one place: the parts before and behind it keep their colours. */
export function moved(parts: readonly Painted[], before: string, after: string): Painted[] {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same++;
  let end = 0;
  while (end < most - same && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const by = after.length - before.length;
  const last = before.length - end;
  return parts.flatMap((part) => {
    // A word that grows at the end keeps its colour.
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
