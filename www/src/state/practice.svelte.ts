// Play against the tables: which side the user has, how good each of the moves was, and what is said at the end. The answers of
// the tables are hidden until the user asks for them.
import type { TableValue } from '../tables/protocol';
import type { End, Judgement } from './judgement';
import { say } from './say';
import type { Side } from './squares';
import { count, counted } from './words';

export class Practice {
  /** The side that the user plays. */
  readonly side: Side;
  /** What the position was worth to the user when it began; null until the tables have said so. */
  goal = $state.raw<TableValue | null>(null);
  /** How many moves of the line were played before. */
  readonly from: number;
  isAnswerShown = $state(false);
  /** The place of the move beside which the best one is shown; 0 for none. */
  bestShownAt = $state(0);
  private takenBack = $state(0);
  /** The user's moves by their place in the line, from 1. */
  private judged = $state.raw<ReadonlyMap<number, Judgement>>(new Map());

  constructor(side: Side, from: number) {
    this.side = side;
    this.from = from;
  }

  /** A move of the user was judged. The moves that it replaces were taken back. */
  record(place: number, judgement: Judgement): void {
    // Who moves before the tables have answered learns from the first move what there was.
    if (place === this.from + 1) this.goal ??= judgement.before;
    const before = [...this.judged].filter(([at]) => at < place);
    this.takenBack += this.judged.size - before.length;
    this.judged = new Map([...before, [place, judgement]]);
  }

  /** The last judged move of the first `at` moves of the line, and its place. */
  latest(at: number): { place: number; judgement: Judgement } | null {
    const last = this.upTo(at).at(-1);
    return last ? { place: last[0], judgement: last[1] } : null;
  }

  private upTo(at: number): [number, Judgement][] {
    return [...this.judged].filter(([place]) => place <= at);
  }

  /** `You found the best move in 9 of 11 positions. 2 moves were taken back.` Empty before the first move. */
  tally(at: number): string {
    const all = this.upTo(at).map(([, judgement]) => judgement);
    if (all.length === 0) return '';
    const kept = all.filter(({ thrown }) => !thrown);
    const isExact = kept.every(({ cost }) => cost !== null);
    const right = isExact ? kept.filter(({ cost }) => cost === 0).length : kept.length;
    const said = isExact ? say(`You found the best move in ${count(right)} of ${count(all.length)} positions.`) : say(`You kept the result in ${count(right)} of ${count(all.length)} positions.`);
    return this.takenBack > 0 ? `${said} ${counted(this.takenBack, ['# move was taken back.', '# moves were taken back.'])}` : said;
  }

  /** What the user has to do, once the tables have said it. */
  get task(): string {
    const isWhite = this.side === 'white';
    if (this.goal === null) return isWhite ? say('You play White.') : say('You play Black.');
    if (this.goal.result === 'win') return isWhite ? say('You play White, and can win.') : say('You play Black, and can win.');
    if (this.goal.result === 'draw') return isWhite ? say('You play White: hold the draw.') : say('You play Black: hold the draw.');
    return isWhite ? say('You play White, and are lost: resist as long as you can.') : say('You play Black, and are lost: resist as long as you can.');
  }

  /** How it ended, with `turn` to move in the last position, after so many moves of the user. */
  ending(end: End, turn: Side, played: number): string {
    const moves = counted(played, ['# move', '# moves']);
    if (end === 'mate' && turn !== this.side) {
      const least = this.goal?.result === 'win' ? this.goal.moves : null;
      return least === null ? say(`You mated in ${moves}.`) : say(`You mated in ${moves}; the fastest way takes ${least}.`);
    }
    if (end === 'mate') return say(`You were mated after ${moves}.`);
    const how = { stalemate: say('Stalemate: a draw.'), dead: say('A draw: nobody can mate any more.'), repetition: say('A draw: the position has occurred three times.') }[end];
    if (this.goal?.result === 'win') return `${how} ${say('The win is gone.')}`;
    return this.goal?.result === 'draw' ? `${how} ${say('You held it.')}` : how;
  }

  /** Whether what was there at the beginning was kept to the end. */
  isKept(end: End, turn: Side): boolean {
    const result = end === 'mate' ? (turn === this.side ? 'loss' : 'win') : 'draw';
    return this.goal !== null && (this.goal.result === result || result === 'win' || this.goal.result === 'loss');
  }
}
