// The games that the open collection has several times: which of them is kept, why the others are doubles, and which of these the user deletes.
import type { EngineClient } from '../engine/client';
import type { DoubleGroup, GameRow } from '../engine/protocol';
import { sentence } from './library.svelte';
import { say } from './say';

/** So many groups are listed; all of them are deleted. */
const MOST_LISTED = 100;

export class Doubles {
  /** The groups of games that are one; null until they are found. */
  groups = $state.raw<readonly DoubleGroup[] | null>(null);
  /** The headers of the listed games. */
  rows = $state.raw<ReadonlyMap<number, GameRow>>(new Map());
  trouble = $state('');
  readonly listed = $derived.by(() => this.groups?.slice(0, MOST_LISTED) ?? []);
  /** The doubles that are to be deleted. */
  readonly chosen = $derived.by((): number[] => (this.groups ?? []).flatMap(({ others }) => others.map(({ id }) => id)).filter((id) => !this.spared.has(id)));

  /** The doubles that stay. */
  private spared = $state.raw<ReadonlySet<number>>(new Set());
  private readonly client: EngineClient;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Finds the doubles. */
  async find(): Promise<void> {
    try {
      const groups = await this.client.call('doubles', {});
      const ids = groups.slice(0, MOST_LISTED).flatMap(({ kept, others }) => [kept, ...others.map(({ id }) => id)]);
      const rows = await this.client.call('rows', { ids });
      this.rows = new Map(rows.map((row) => [row.id, row]));
      this.groups = groups;
    } catch (error) {
      this.trouble = sentence(error);
    }
  }

  isChosen(id: number): boolean {
    return !this.spared.has(id);
  }

  choose(id: number, isChosen: boolean): void {
    const spared = new Set(this.spared);
    if (isChosen) spared.delete(id);
    else spared.add(id);
    this.spared = spared;
  }
}

/** Why a game is a double of the one that is kept. */
export function whyDouble(differences: DoubleGroup['others'][number]['differences']): string {
  if (differences.length === 0) return say('the same');
  const words: Readonly<Record<(typeof differences)[number], string>> = {
    moves: say('fewer moves'),
    white: say('White’s name'),
    black: say('Black’s name'),
    date: say('date'),
    round: say('round'),
    event: say('event'),
    site: say('site'),
    result: say('result'),
    ratings: say('ratings'),
  };
  const [first, ...rest] = differences;
  const others = (first === 'moves' ? rest : differences).map((difference) => words[difference]).join(', ');
  if (first !== 'moves') return say(`other ${others}`);
  return rest.length === 0 ? words.moves : `${words.moves}, ${say(`other ${others}`)}`;
}
