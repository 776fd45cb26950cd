// The tags of a game as fields of a form, and what was changed in them.
import type { ChangeOfGame, TagOfGame } from '../engine/protocol';
import { say } from './say';

/** A tag as a field. */
export interface TagField {
  name: string;
  /** What the game says; null if it has no such tag. */
  before: string | null;
  value: string;
  /** Whether it was added, so that its name can be written. */
  isNew: boolean;
  /** Whether it was removed. */
  isRemoved: boolean;
}

/** The seven tags that each game has, with the value of an unknown one. */
const SEVEN: Readonly<Record<string, string>> = { Event: '?', Site: '?', Date: '????.??.??', Round: '?', White: '?', Black: '?', Result: '*' };
/** Those that say what the moves mean. */
const OF_MOVES: readonly string[] = ['fen', 'setup', 'variant'];

/** Whether a tag is one of the seven, which cannot be removed. */
export function isOfEach(name: string): boolean {
  return name in SEVEN;
}

/** Whether a tag can be changed. */
export function isChangeable(name: string): boolean {
  return !OF_MOVES.includes(name.toLowerCase());
}

const isSame = (one: string, two: string) => one.toLowerCase() === two.toLowerCase();

/** The value that a field has for a tag: nothing for an unknown one. */
function shown(name: string, value: string): string {
  return name !== 'Result' && (value === '?' || value === SEVEN[name]) ? '' : value;
}

/** The fields for the tags of a game: the seven first, in their order. Of a tag that is given twice, the later value counts. */
export function fieldsOf(tags: readonly TagOfGame[]): TagField[] {
  const fields: TagField[] = Object.keys(SEVEN).map((name) => ({ name, before: null, value: shown(name, SEVEN[name] ?? ''), isNew: false, isRemoved: false }));
  for (const { name, value } of tags) {
    const known = fields.find((field) => isSame(field.name, name));
    const field = known ?? { name, before: null, value: '', isNew: false, isRemoved: false };
    field.before = value;
    field.value = shown(field.name, value);
    if (!known) fields.push(field);
  }
  return fields;
}

/** A field for a tag that is to be added. */
export function newField(): TagField {
  return { name: '', before: null, value: '', isNew: true, isRemoved: false };
}

/** What was changed. */
export function changesOf(fields: readonly TagField[]): ChangeOfGame[] {
  return fields.flatMap(({ name, before, value, isRemoved }): ChangeOfGame[] => {
    const [tag, typed] = [name.trim(), value.trim()];
    if (isRemoved) return before === null ? [] : [{ kind: 'remove', name: tag, value: '' }];
    const isUnchanged = typed === (before === null ? shown(tag, SEVEN[tag] ?? '') : shown(tag, before).trim());
    if (tag === '' || (isUnchanged && (before !== null || isOfEach(tag)))) return [];
    return [{ kind: 'set', name: tag, value: typed || (SEVEN[tag] ?? '') }];
  });
}

/** The name of a tag in the words of players. */
export function tagInWords(name: string): string {
  const words: Readonly<Record<string, () => string>> = {
    Event: () => say('Event'),
    Site: () => say('Location'),
    Date: () => say('Date'),
    Round: () => say('Round'),
    White: () => say('White'),
    Black: () => say('Black'),
    Result: () => say('Result'),
    WhiteElo: () => say('White’s rating'),
    BlackElo: () => say('Black’s rating'),
    TimeControl: () => say('Time control'),
    Annotator: () => say('Annotator'),
  };
  return Object.hasOwn(words, name) ? (words[name]?.() ?? name) : name;
}

/** So many letters of a list of games are shown. */
const MOST_LETTERS = 60;

/** The games of an edit in words; a long list is cut. */
export function gamesInWords(games: string): string {
  if (/^\d+$/.test(games)) return say(`Game ${games}`);
  const whole = games.replaceAll(',', ', ').replaceAll('-', '–');
  const end = whole.lastIndexOf(', ', MOST_LETTERS);
  const list = whole.length <= MOST_LETTERS || end < 0 ? whole : `${whole.slice(0, end)}, …`;
  return say(`Games ${list}`);
}

/** A change in words. */
export function changeInWords({ kind, name, value }: ChangeOfGame): string {
  const tag = tagInWords(name);
  if (kind === 'set') return `${tag}: ${value}`;
  if (kind === 'remove') return say(`${tag} removed`);
  if (kind === 'rename') return say(`${tag} renamed ${value}`);
  if (kind === 'text') return say('moves and comments changed');
  return kind === 'delete' ? say('deleted') : say('restored');
}
