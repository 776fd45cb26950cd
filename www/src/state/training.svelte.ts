// Training: the user plays one side of the lines of a repertoire from memory. The other side answers as the games of the open
// collection do, more often what was played more often, and rather what it has not answered yet.
import type { EngineClient } from '../engine/client';
import type { NextMoves } from '../engine/protocol';
import { bare } from './explorer.svelte';
import { keepValue, keptValue } from './kept';
import { readLines, type Lines } from './lines';
import { START_FEN } from './replay.svelte';
import type { Step } from './rules';
import { say } from './say';
import { WHOLE_CORPUS } from './search.svelte';
import { turnOf, type Side } from './squares';

const KEY = 'plyfold.lines';
/** Longer texts are trained, but not kept for the next visit. */
const LONGEST_KEPT = 500_000;
/** What is played at least so often, and is not in the lines, is a gap worth a word. */
const GAP_SHARE = 0.05;
const GAP_GAMES = 2;

/** A move of the user that is not in the lines. */
interface Slip {
  san: string;
  /** The moves of the lines, in the same position. */
  right: readonly Step[];
}

/** How often the other side's last move was played in the collection. */
interface Reply {
  san: string;
  games: number;
  all: number;
  /** The move played most often there to which the lines have no answer. */
  gap: { san: string; games: number } | null;
}

export class Training {
  lines = $state.raw<Lines | null>(null);
  /** The name of the file. */
  name = $state('');
  side = $state<Side>('white');
  steps = $state.raw<readonly Step[]>([]);
  /** The last move that the user tried, if it was wrong. */
  slip = $state.raw<Slip | null>(null);
  isAnswerShown = $state(false);
  reply = $state.raw<Reply | null>(null);
  /** The user's moves that were right at once, and all of them. */
  found = $state(0);
  asked = $state(0);
  trouble = $state('');

  readonly start = $derived(this.lines?.start ?? START_FEN);
  readonly last = $derived.by(() => this.steps.at(-1) ?? null);
  readonly fen = $derived.by(() => this.last?.fen ?? this.start);
  readonly isTurn = $derived(turnOf(this.fen) === this.side);
  /** What the lines play here. */
  readonly known = $derived.by(() => this.lines?.moves.get(bare(this.fen)) ?? []);
  /** Whether the line has ended. */
  readonly isOver = $derived.by(() => this.lines !== null && this.known.length === 0);

  private readonly client: EngineClient;
  private readonly random: () => number;
  /** How often each move of the other side was chosen. */
  private readonly chosen = new Map<string, number>();
  /** Whether the user has already missed the move of this position. */
  private hasMissed = false;
  private round = 0;

  constructor(client: EngineClient, random: () => number = Math.random) {
    this.client = client;
    this.random = random;
    const last = keptValue(KEY);
    if (typeof last === 'object' && last !== null && 'text' in last && typeof last.text === 'string' && 'name' in last && typeof last.name === 'string') {
      this.side = 'side' in last && last.side === 'black' ? 'black' : 'white';
      void this.take(last.text, last.name);
    }
  }

  /** Takes the lines of a text, and begins. Lines that cannot be read leave those that were there. */
  async take(text: string, name: string): Promise<void> {
    const lines = readLines(text);
    if (typeof lines === 'string') {
      this.trouble = name === '' ? lines : `${name}: ${lines}`;
      return;
    }
    [this.lines, this.name, this.trouble, this.found, this.asked] = [lines, name, '', 0, 0];
    this.chosen.clear();
    keepValue(KEY, text.length <= LONGEST_KEPT ? { text, name, side: this.side } : null);
    await this.begin();
  }

  /** Forgets the lines, so that others can be chosen. */
  forget(): void {
    this.round++;
    keepValue(KEY, null);
    [this.lines, this.steps, this.slip, this.reply] = [null, [], null, null];
  }

  /** Plays the lines from the other side. */
  async turn(side: Side): Promise<void> {
    this.side = side;
    const last = keptValue(KEY);
    if (typeof last === 'object' && last !== null) keepValue(KEY, { ...last, side });
    await this.begin();
  }

  /** Begins the next line. */
  async begin(): Promise<void> {
    [this.steps, this.reply] = [[], null];
    this.moveOn();
    await this.answer();
  }

  private moveOn(): void {
    this.round++;
    [this.slip, this.isAnswerShown, this.hasMissed] = [null, false, false];
  }

  /** Tries a move of the user. Only one of the lines is played. */
  async play(step: Step): Promise<void> {
    const { known } = this;
    if (!this.isTurn || known.length === 0) return;
    if (!known.some(({ uci }) => uci === step.uci)) {
      this.miss({ san: step.san, right: known });
      return;
    }
    if (!this.hasMissed) [this.found, this.asked] = [this.found + 1, this.asked + 1];
    this.steps = [...this.steps, step];
    this.moveOn();
    await this.answer();
  }

  /** Shows the moves of the lines, which counts as not found. */
  show(): void {
    this.miss(this.slip);
    this.isAnswerShown = true;
  }

  private miss(slip: Slip | null): void {
    if (!this.hasMissed) this.asked++;
    this.hasMissed = true;
    this.slip = slip;
  }

  /** Plays a move for the other side, if it has one in the lines. */
  private async answer(): Promise<void> {
    const { known, fen, round } = this;
    if (this.isTurn || known.length === 0) return;
    // Without a collection, or if the engine fails, all moves of the lines are alike.
    const played = await this.client.call('explore', { question: WHOLE_CORPUS, fen: bare(fen), among: false }).catch(() => null);
    if (round !== this.round) return;
    const step = this.choose(known, played);
    const games = gamesOf(step.uci, played);
    this.reply = played && played.games > 0 ? { san: step.san, games, all: played.games, gap: gapOf(known, played) } : null;
    this.steps = [...this.steps, step];
  }

  private choose(known: readonly Step[], played: NextMoves | null): Step {
    const name = (step: Step) => `${bare(this.fen)} ${step.uci}`;
    const weights = known.map((step) => (gamesOf(step.uci, played) + 1) / (1 + (this.chosen.get(name(step)) ?? 0)) ** 2);
    let rest = this.random() * weights.reduce((sum, weight) => sum + weight, 0);
    const step = known.find((_, nth) => (rest -= weights[nth] ?? 0) < 0) ?? (known.at(-1) as Step);
    this.chosen.set(name(step), (this.chosen.get(name(step)) ?? 0) + 1);
    return step;
  }

  /** `You found 8 of 9 moves.` Empty before the first. */
  get tally(): string {
    return this.asked === 0 ? '' : say(`You found ${this.found} of ${this.asked} moves.`);
  }
}

function gamesOf(move: string, played: NextMoves | null): number {
  return played?.moves.find(({ uci }) => uci === move)?.games ?? 0;
}

/** The move played most often to which the lines have no answer, if it is played often enough. */
function gapOf(known: readonly Step[], played: NextMoves): Reply['gap'] {
  const others = played.moves.filter((move) => !known.some(({ uci }) => uci === move.uci));
  const most = others.reduce<(typeof others)[number] | null>((best, move) => (best && best.games >= move.games ? best : move), null);
  return most && most.games >= GAP_GAMES && most.games >= GAP_SHARE * played.games ? { san: most.san, games: most.games } : null;
}
