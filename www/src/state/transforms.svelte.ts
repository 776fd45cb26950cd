// The page of transforms: a position and its images, commands done to it, and what lies between it and
// another one. What they mean is the engine's business; a late answer to an older text is dropped.
import type { EngineClient } from '../engine/client';
import type { Between, Images, Leaving, Twins } from '../engine/protocol';
import { UNTURNED, type Turned } from './address';
import { sentence } from './library.svelte';
import { maskOf, writeMask } from './mask';
import { START_FEN } from './replay.svelte';

export class Transforms {
  /** As typed. */
  position = $state('');
  sequence = $state('');
  leaving = $state<Leaving>('written');
  other = $state('');
  otherIsOriginal = $state(false);

  /** Of the position as typed; null before the engine's first word. */
  images = $state.raw<Images | null>(null);
  /** Null where there is nothing to do, or nothing to do it to. */
  made = $state.raw<Twins | null>(null);
  /** Null where one of the two positions is missing. */
  found = $state.raw<Between | null>(null);
  trouble = $state('');

  /** The text that the images are of. */
  private imaged = $state('');
  /** The position as the engine read it; empty where it is none, or not read yet. */
  readonly fen = $derived(this.imaged === this.position ? (this.images?.fen ?? '') : '');
  readonly turned = $derived<Turned>({
    position: this.fen || this.position,
    sequence: this.sequence.trim(),
    leaving: this.leaving,
    other: this.other.trim(),
    otherIsOriginal: this.otherIsOriginal,
  });

  /** Whether what stands there is still to be answered. */
  readonly isPending = $derived.by(() => this.answered !== this.words);
  /** All that the engine is asked for, as one text. */
  private readonly words = $derived(JSON.stringify([this.position, this.sequence, this.leaving, this.other, this.otherIsOriginal]));
  private answered = $state('');

  private readonly client: EngineClient;
  private round = 0;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Goes to what an address says; without a position, to the start position. */
  visit(turned: Turned): void {
    this.take(turned.position || START_FEN);
    this.sequence = turned.sequence;
    this.leaving = turned.leaving;
    this.other = turned.other;
    this.otherIsOriginal = turned.otherIsOriginal;
  }

  /** Begins with another position, and keeps all else. */
  take(position: string): void {
    if (position !== this.turned.position) this.position = position;
  }

  /** The two positions of the comparison change places. */
  swap(): void {
    this.otherIsOriginal = !this.otherIsOriginal;
  }

  /** Asks the engine for everything that the page shows. */
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

/** What nothing was typed into yet. */
export const isUntouched = (transforms: Transforms) => transforms.position === UNTURNED.position;

/** For each image the name of the first one that is the same position, or empty. */
export function sameAs({ images }: Images): string[] {
  return images.map((one, nth) => images.slice(0, nth).find((other) => other.fen === one.fen)?.name ?? '');
}

/** The names of transforms as players read them: files and programs keep `polish` for `swap_colours`. */
export const labelOf = (names: string) => names.replace('polish', 'swap_colours');

/** An image as a line of EPD: what it is, and its number among the images from 1. */
export function epd(fen: string, name: string, number: number): string {
  const [placement = '', turn = 'w'] = fen.split(' ');
  return `${placement} ${turn} - - c0 "${name === 'identity' ? 'original position' : name}"; id "${number}";`;
}

/** What is in a text that was pasted as a position: one, with commands below it, or commands alone. */
export function pasted(text: string): { position: string | null; sequence: string | null } {
  const [first = '', ...rest] = text.trim().split(/\r?\n/);
  if (!/^\S*\/\S*\/\S*\//.test(first)) return { position: null, sequence: text.trim() || null };
  return { position: first, sequence: rest.join('\n').trim() || null };
}

/** Another command behind those of a text. */
export function withStep(text: string, command: string): string {
  return `${text.trim()} ${command}`.trimStart();
}

/** A text without the command between two places; the last command of a twin takes its twin along. */
export function withoutStep(text: string, from: number, to: number): string {
  const [before, after] = [text.slice(0, from), text.slice(to)];
  const head = /(?:^|\s)(?:(?:twin|zero\w*)\s+)?(?:cont\w*\s+)?$/i.exec(before)?.[0] ?? '';
  const isFirst = head.trim() !== '' || before.trim() === '';
  const isLast = /^\s*(?:$|twin(?:\s|$))/i.test(after);
  if (!isFirst || !isLast) return `${before.trimEnd()} ${after.trimStart()}`.trim();
  const rest = before.slice(0, before.length - head.length).trimEnd();
  const zero = /zero\w*/i.exec(head)?.[0];
  const next = after.trim();
  // The diagram stays none of the twins.
  if (zero && next !== '') return `${zero} ${next.replace(/^twin\s+/i, '')}`;
  return `${rest} ${next}`.trim();
}

/** What of a position is sought: all of it, its pawns, or its men with the other squares open. */
export type Sought = 'position' | 'pawns' | 'men';

/** Sets of transforms as the query language names them, and what they do. */
export const FAMILIES: readonly (readonly [string, string])[] = [
  ['mirror', 'swaps the a- and h-files, and so on'],
  ['flips', 'along files, ranks and both diagonals'],
  ['rotations', '90, 180 and 270 degrees anticlockwise'],
  ['shifts', 'moves all pieces by the same files and ranks'],
  ['colour flip', 'the view of the other side: swaps ranks, colours and the side to move'],
];

/** ` under …`, or nothing for no family. */
export function under(families: readonly string[]): string {
  const chosen = FAMILIES.filter(([name]) => families.includes(name)).map(([name]) => name);
  return chosen.length > 0 ? ` under ${chosen.join(', ')}` : '';
}

/** The query for a position, or a part of it, and its images. */
export function queryFor(fen: string, sought: Sought, families: readonly string[]): string {
  const placement = (fen.split(' ')[0] ?? '').replaceAll('~', '');
  const together = (digits: string) => String([...digits].reduce((sum, digit) => sum + Number(digit), 0));
  const pawns = placement.replace(/[^pP/\d]/g, '1').replace(/\d+/g, together);
  const what = { position: `fen "${placement}"`, pawns: `structure "${pawns}"`, men: `board "${writeMask(maskOf(placement, 'men'))}"` };
  return what[sought] + under(families);
}
