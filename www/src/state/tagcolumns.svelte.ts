// The tags that the user sees as columns of the table of games. Those that rows do not have are read from the texts of the games in view alone.
import type { EngineClient } from '../engine/client';
import type { CorpusInfo, GameRow, TagOfGame } from '../engine/protocol';
import { tagInWords } from './gametags';
import { keepValue, keptValue } from './kept';
import { sentence } from './library.svelte';
import { say } from './say';

const KEY = 'plyfold.columns';
/** So many columns have room in a wide window. */
export const MOST_COLUMNS = 6;
/** What the table has anyway, or nobody reads. */
const OTHERS: readonly string[] = ['white', 'black', 'result', 'date', 'whiteelo', 'blackelo', 'fen', 'setup'];
/** What rows have of some tags, with the names that are shown. */
const OF_ROWS: Readonly<Partial<Record<string, (row: GameRow) => string>>> = {
  event: (row) => row.event,
  site: (row) => row.site,
  round: (row) => row.round,
  timecontrol: (row) => row.time_control,
  annotator: (row) => row.annotator,
};

export class TagColumns {
  /** The names of the tags, in the order of their columns. */
  chosen = $state.raw<readonly string[]>(stored());
  /** Whether the user chooses: then the games in view say which tags there are. */
  isChoosing = $state(false);
  /** Why the texts could not be read: one sentence. */
  trouble = $state('');
  /** The tags that can be chosen. */
  readonly names = $derived.by(() => this.offered());

  private readonly client: EngineClient;
  private corpus: CorpusInfo | null = null;
  /** The tags of the games that have been read, as they are written, by game. */
  private tags = $state.raw<ReadonlyMap<number, readonly TagOfGame[]>>(new Map());
  private readonly asked = new Set<number>();
  /** Counts the times that tags have become old. */
  private renewed = $state(0);
  private readonly readsTexts = $derived.by(() => this.isChoosing || this.chosen.some((name) => !(name.toLowerCase() in OF_ROWS)));

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Forgets the tags of other games. */
  follow(corpus: CorpusInfo | null): void {
    if (corpus === this.corpus) return;
    this.corpus = corpus;
    this.tags = new Map();
    this.renew();
  }

  /** Games have other tags: those in view are read anew, and the old ones are shown until then. */
  renew(): void {
    this.asked.clear();
    this.trouble = '';
    this.renewed++;
  }

  choose(name: string, isChosen: boolean): void {
    this.chosen = isChosen ? [...this.chosen, name] : this.chosen.filter((one) => one !== name);
    keepValue(KEY, this.chosen);
  }

  /** What a column shows of a game. */
  text(row: GameRow, name: string): string {
    const ofRow = OF_ROWS[name.toLowerCase()];
    const value = ofRow ? ofRow(row) : valueOf(this.tags.get(row.id) ?? [], name);
    return value === '?' ? '' : value;
  }

  /** Reads the tags of games in view, if a column or the choice needs them. */
  async want(ids: Iterable<number>): Promise<void> {
    void this.renewed;
    if (!this.readsTexts) return;
    const missing = [...ids].filter((id) => !this.asked.has(id));
    if (missing.length === 0) return;
    const { corpus } = this;
    missing.forEach((id) => this.asked.add(id));
    try {
      const tags = await this.client.call('tags', { ids: missing });
      if (corpus !== this.corpus) return;
      this.tags = new Map([...this.tags, ...missing.map((id, nth) => [id, tags[nth] ?? []] as const)]);
      this.trouble = '';
    } catch (error) {
      if (corpus !== this.corpus) return;
      missing.forEach((id) => this.asked.delete(id));
      this.trouble = sentence(error);
    }
  }

  private offered(): string[] {
    const names = new Map(['Event', 'Site', ...this.chosen].map((name) => [name.toLowerCase(), name]));
    for (const { name } of [...this.tags.values()].flat()) {
      const folded = name.toLowerCase();
      if (!names.has(folded) && !OTHERS.includes(folded)) names.set(folded, name);
    }
    return [...names.values()].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
  }
}

/** What a column is called. The table has the opening by the moves already. */
export function columnInWords(name: string): string {
  return name === 'ECO' ? say('ECO as written') : tagInWords(name);
}

/** The value of a tag; of one that is given twice, the later. */
function valueOf(tags: readonly TagOfGame[], name: string): string {
  const folded = name.toLowerCase();
  return tags.findLast((tag) => tag.name.toLowerCase() === folded)?.value ?? '';
}

function stored(): readonly string[] {
  const names = keptValue(KEY);
  const isName = (name: unknown): name is string => typeof name === 'string' && /^[A-Za-z0-9_]+$/.test(name);
  return Array.isArray(names) ? names.filter(isName).slice(0, MOST_COLUMNS) : [];
}
