// The page of transforms: a position and its images, commands applied to it, and the transforms between it
// and another position. The engine knows what all of these mean. Late results of an older text are
// dropped.
import type { EngineClient } from '../engine/client';
import type { Between, Images, Leaving, Twins } from '../engine/protocol';
import { UNTURNED, type Turned } from './address';
import { sentence } from './library.svelte';
import { START_FEN } from './replay.svelte';

export class Transforms {
  /** As typed. */
  position = $state('');
  sequence = $state('');
  leaving = $state<Leaving>('written');
  other = $state('');
  otherIsOriginal = $state(false);

  /** The images of the typed position; null before the engine's first result. */
  images = $state.raw<Images | null>(null);
  /** Null if there are no commands or no position. */
  made = $state.raw<Twins | null>(null);
  /** Null if one of the two positions is missing. */
  found = $state.raw<Between | null>(null);
  trouble = $state('');

  /** The text whose images are shown. */
  private imaged = $state('');
  /** The position as the engine reads it; empty if the text is no position or has not been read yet. */
  readonly fen = $derived(this.imaged === this.position ? (this.images?.fen ?? '') : '');
  readonly turned = $derived<Turned>({
    position: this.fen || this.position,
    sequence: this.sequence.trim(),
    leaving: this.leaving,
    other: this.other.trim(),
    otherIsOriginal: this.otherIsOriginal,
  });

  /** Whether results for the present fields are still to come. */
  readonly isPending = $derived.by(() => this.answered !== this.words);
  /** The whole request as one text. */
  private readonly words = $derived(JSON.stringify([this.position, this.sequence, this.leaving, this.other, this.otherIsOriginal]));
  private answered = $state('');

  private readonly client: EngineClient;
  private round = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Shows the contents of an address; without a position, the start position. */
  visit(turned: Turned): void {
    this.take(turned.position || START_FEN);
    this.sequence = turned.sequence;
    this.leaving = turned.leaving;
    this.other = turned.other;
    this.otherIsOriginal = turned.otherIsOriginal;
  }

  /** Replaces the position and keeps everything else. */
  take(position: string): void {
    if (position !== this.turned.position) this.position = position;
  }

  /** Exchanges the roles of the two positions: image and original. */
  swap(): void {
    this.otherIsOriginal = !this.otherIsOriginal;
  }

  /** Fetches everything that the page shows. */
  async ask(): Promise<void> {
    const round = ++this.round;
    const { position, sequence, leaving, other, otherIsOriginal, words } = this;
    const [image, original] = otherIsOriginal ? [position, other] : [other, position];
    try {
      const images = await this.client.call('images', { position });
      const isRead = images.fault === null;
      const [made, found] = await Promise.all([
        isRead && sequence.trim() !== '' ? this.client.call('twins', { position, text: sequence, leaving }) : null,
        other.trim() !== '' ? this.client.call('between', { image, original }) : null,
      ]);
      if (round !== this.round) return;
      this.images = images;
      this.imaged = position;
      this.made = made;
      this.found = found;
      this.trouble = '';
      this.answered = words;
    } catch (error) {
      if (round !== this.round) return;
      this.trouble = sentence(error);
      this.answered = words;
    }
  }
}

/** Whether the user has typed no position yet. */
export const isUntouched = (transforms: Transforms) => transforms.position === UNTURNED.position;

/** For each image, the name of the first image that is the same position, or an empty text. */
export function sameAs({ images }: Images): string[] {
  return images.map((one, nth) => images.slice(0, nth).find((other) => other.fen === one.fen)?.name ?? '');
}

/** The names of transforms for players: files and programs keep `polish` for `swap_colours`. */
export const labelOf = (names: string) => names.replace('polish', 'swap_colours');

/** An image as a line of EPD, with its name and its number among the images, from 1. */
export function epd(fen: string, name: string, number: number): string {
  const [placement = '', turn = 'w'] = fen.split(' ');
  return `${placement} ${turn} - - c0 "${name === 'identity' ? 'original position' : name}"; id "${number}";`;
}

/** What a text pasted as a position contains: a position, a position with commands below it, or only commands. */
export function pasted(text: string): { position: string | null; sequence: string | null } {
  const [first = '', ...rest] = text.trim().split(/\r?\n/);
  if (!/^\S*\/\S*\/\S*\//.test(first)) return { position: null, sequence: text.trim() || null };
  return { position: first, sequence: rest.join('\n').trim() || null };
}

/** Appends a command to a text. */
export function withStep(text: string, command: string): string {
  return `${text.trim()} ${command}`.trimStart();
}

/** Removes the command between two places of a text. The last command of a twin takes its twin along. */
export function withoutStep(text: string, from: number, to: number): string {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const head = /(?:^|\s)(?:(?:twin|zero\w*)\s+)?(?:cont\w*\s+)?$/i.exec(before)?.[0] ?? '';
  const isFirst = head.trim() !== '' || before.trim() === '';
  const isLast = /^\s*(?:$|twin(?:\s|$))/i.test(after);
  if (!isFirst || !isLast) return `${before.trimEnd()} ${after.trimStart()}`.trim();
  const rest = before.slice(0, before.length - head.length).trimEnd();
  const zero = /zero\w*/i.exec(head)?.[0];
  const next = after.trim();
  // The diagram itself must not become one of the twins.
  if (zero && next !== '') return `${zero} ${next.replace(/^twin\s+/i, '')}`;
  return `${rest} ${next}`.trim();
}
