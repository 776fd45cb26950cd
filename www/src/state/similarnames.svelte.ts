// Names of the open games that are probably one: which of them the user confirms, and which name stays.
import { EngineError, type EngineClient } from '../engine/client';
import type { ConfirmedName, SimilarGroup, SimilarName, UnclearName } from '../engine/protocol';
import type { NamedKind } from './aliases.svelte';
import { sentence } from './library.svelte';
import { say } from './say';

/** So many groups are listed at first, and with each "more". None is confirmed before it is listed. */
const LISTED_AT_ONCE = 50;

/** A name of a group; why it may be that of the group, or null for that one itself. */
export interface GroupName {
  name: string;
  games: number;
  why: SimilarName['why'] | null;
}

export class SimilarNames {
  kind = $state<NamedKind>('player');
  /** The groups of the kind, those that are sure first; null until they are found. */
  groups = $state.raw<readonly SimilarGroup[] | null>(null);
  /** The names that may be one of several. */
  unclear = $state.raw<readonly UnclearName[]>([]);
  trouble = $state('');
  most = $state(LISTED_AT_ONCE);
  readonly listed = $derived.by(() => this.groups?.slice(0, this.most) ?? []);
  /** The names that are confirmed, each with the one that it stands for. */
  readonly chosen = $derived.by((): ConfirmedName[] => [...this.listed.flatMap((group) => this.aliasesOf(group)), ...this.unclear.flatMap((one) => this.meantBy(one))]);

  /** What the user has said of groups and of names in them: whether they are one, and which name stays. */
  private ticked = $state.raw<ReadonlyMap<string, boolean>>(new Map());
  /** Which name one of the unclear names is, as the user says. */
  private meant = $state.raw<ReadonlyMap<string, string>>(new Map());
  private staying = $state.raw<ReadonlyMap<string, string>>(new Map());
  private abort: AbortController | null = null;
  private readonly client: EngineClient;

  constructor(client: EngineClient) {
    this.client = client;
  }

  /** Finds the names of a kind that are probably one and are not joined yet. */
  async find(kind: NamedKind): Promise<void> {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    if (kind !== this.kind) [this.kind, this.groups, this.unclear, this.most] = [kind, null, [], LISTED_AT_ONCE];
    this.trouble = '';
    try {
      const found = await this.client.call('similarNames', { kind }, { signal: abort.signal });
      if (abort.signal.aborted) return;
      const groups = merged(found.groups);
      this.unclear = found.unclear;
      this.groups = [...groups.filter(isSure), ...groups.filter((group) => !isSure(group))];
    } catch (error) {
      if (!abort.signal.aborted && !(error instanceof EngineError && error.code === 'cancelled')) this.trouble = sentence(error);
    }
  }

  /** Stops the search for names. */
  stop(): void {
    this.abort?.abort();
  }

  more(): void {
    this.most += LISTED_AT_ONCE;
  }

  /** Whether a name is to be joined with the one that stays: if the user says so of it or of its group, or says nothing and the group is sure. */
  isTicked(group: SimilarGroup, name: string): boolean {
    return this.ticked.get(this.keyOf(group, name)) ?? this.ticked.get(this.keyOf(group)) ?? isSure(group);
  }

  /** Whether all names of a group are to be joined, or some. */
  ticksOf(group: SimilarGroup): { all: boolean; some: boolean } {
    const ticks = this.othersOf(group).map(({ name }) => this.isTicked(group, name));
    return { all: ticks.every(Boolean), some: ticks.some(Boolean) };
  }

  tick(group: SimilarGroup, isOne: boolean): void {
    const ticked = new Map(this.ticked).set(this.keyOf(group), isOne);
    for (const { name } of namesOfGroup(group)) ticked.delete(this.keyOf(group, name));
    this.ticked = ticked;
  }

  tickName(group: SimilarGroup, name: string, isOne: boolean): void {
    this.ticked = new Map(this.ticked).set(this.keyOf(group, name), isOne);
  }

  /** The name that stays: the one that the user chose, or else that of most games. */
  stays(group: SimilarGroup): string {
    const names = namesOfGroup(group);
    const most = names.reduce((one, other) => (other.games > one.games ? other : one));
    const chosen = this.staying.get(this.keyOf(group));
    return names.find(({ name }) => name === chosen)?.name ?? most.name;
  }

  choose(group: SimilarGroup, name: string): void {
    this.staying = new Map(this.staying).set(this.keyOf(group), name);
  }

  /** The name that an unclear name is; empty if the user has not said so. */
  meaningOf({ name, may_be }: UnclearName): string {
    const meant = this.meant.get(this.keyOf({ name })) ?? '';
    return may_be.includes(meant) ? meant : '';
  }

  mean({ name }: UnclearName, meant: string): void {
    this.meant = new Map(this.meant).set(this.keyOf({ name }), meant);
  }

  private meantBy(unclear: UnclearName): ConfirmedName[] {
    const name = this.meaningOf(unclear);
    return name === '' ? [] : [{ kind: this.kind, alias: unclear.name, name }];
  }

  private aliasesOf(group: SimilarGroup): ConfirmedName[] {
    const { kind } = this;
    const name = this.stays(group);
    return this.othersOf(group).filter((one) => this.isTicked(group, one.name)).map((one) => ({ kind, alias: one.name, name }));
  }

  /** The names that do not stay. */
  private othersOf(group: SimilarGroup): GroupName[] {
    const name = this.stays(group);
    return namesOfGroup(group).filter((one) => one.name !== name);
  }

  private keyOf({ name }: { name: string }, of = ''): string {
    return `${this.kind}\t${name}\t${of}`;
  }
}

/** Whether such names are hardly ever two. */
function isSure({ others }: SimilarGroup): boolean {
  return others.every(({ is_sure }) => is_sure);
}

/** The groups with those that came to have one name, because of what is confirmed, as one. */
function merged(groups: readonly SimilarGroup[]): SimilarGroup[] {
  const byName = new Map<string, SimilarGroup>();
  for (const group of groups) {
    const { name, games, others } = byName.get(group.name) ?? { ...group, games: 0, others: [] };
    byName.set(name, { name, games: games + group.games, others: [...others, ...group.others] });
  }
  return [...byName.values()];
}

/** The names of a group, the one that is written most fully first. */
export function namesOfGroup({ name, games, others }: SimilarGroup): GroupName[] {
  return [{ name, games, why: null }, ...others];
}

/** Why a name may be that of its group. */
export function whySimilar(why: SimilarName['why']): string {
  const words: Readonly<Record<SimilarName['why'], string>> = {
    spelling: say('other spelling'),
    shorter: say('shorter'),
    order: say('other order'),
    signs: say('case, accents, signs'),
    fide_id: say('same FIDE id'),
  };
  return words[why];
}
