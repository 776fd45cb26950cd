// `library.json`: what a published library says about itself. It comes from a host that may be anybody's, so every field is
// checked here before anything is fetched, stored or reserved: types, sizes, sums, and paths that stay in the library's folder.
import { ALL } from '../engine/corpusid';
import { FIRST_LANGUAGE } from '../state/queryversion';
import { digitsOf } from './digest';

/** A file of the library, named after the digest of its bytes. */
export interface PublishedFile {
  /** Relative to `library.json`. */
  file: string;
  /** SHA-256; XXH3-64 in a library of version 1. */
  digest: string;
  bytes: number;
}

export interface ScanPart extends PublishedFile {
  /** Bytes after unpacking. */
  unpacked: number;
  /** SHA-256 of these bytes; null in a library of version 1. */
  unpacked_digest: string | null;
}

export interface TextPart extends PublishedFile {
  /** Where the text section begins in the shard. */
  offset: number;
}

export interface PublishedShard {
  games: number;
  plies: number;
  /** Length of the whole shard. */
  bytes: number;
  scan: ScanPart;
  /** Null if no game has a text. */
  text: TextPart | null;
}

export interface PublishedCorpus {
  /** 16 hexadecimal digits. */
  id: string;
  name: string;
  games: number;
  plies: number;
  shards: readonly PublishedShard[];
}

export interface FirstQuestion {
  title: string;
  query: string;
  /** The version of the language of the query. */
  language: number;
}

export interface Manifest {
  /** 2, or 1, whose names of files do not prove what is in them. */
  version: number;
  title: string;
  /** Such as `2026-11-24`. */
  updated: string;
  /** The publisher's text, a file of Markdown. */
  about: { file: string; digest: string } | null;
  /** The names that stand for others, a file of the command line's aliases. */
  aliases: { file: string; digest: string } | null;
  questions: readonly FirstQuestion[];
  corpora: readonly PublishedCorpus[];
  /** The folder of packed tables, relative to `library.json`, with a slash at its end; null if there are none. */
  tables: { folder: string; names: readonly string[] } | null;
}

/** More bytes than the list of a library of many millions of games has. */
export const MOST_MANIFEST_BYTES = 8 << 20;
export const MOST_ABOUT_BYTES = 64 << 10;
export const MOST_ALIASES_BYTES = 4 << 20;
const FORMAT = 'plyfold library';
const NEWEST = 2;
const MOST_TITLE = 200;
const MOST_QUERY = 4096;
/** No version of the language will reach this. */
const MOST_LANGUAGE = 1_000_000;
const MOST_QUESTIONS = 100;
const MOST_CORPORA = 1000;
const MOST_SHARDS = 65_536;
const MOST_TABLES = 10_000;
const MOST_FOLDER = 256;
/** A scan part is unpacked at once. */
const MOST_SCAN_BYTES = 256 << 20;
const MOST_GAMES = 0xffff_ffff;
const MOST_BYTES = 2 ** 42;
/** Bytes of the header of a shard, which is part of its scan part. */
const LEAST_SCAN_BYTES = 64;

/** Reads and checks `library.json`; throws an `Error` that says which field is wrong. */
export function readManifest(text: string): Manifest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong('it is not JSON');
  }
  const fields = objectOf(parsed, 'it');
  if (fields['format'] !== FORMAT) throw wrong(`its "format" is not "${FORMAT}"`);
  const { version } = fields;
  if (typeof version === 'number' && version > NEWEST) throw new Error('this library was published by a newer plyfold than this page. Reload the page, or ask its publisher for a newer page');
  if (version !== 1 && version !== 2) throw wrong('its "version" is not 1 or 2');
  const corpora = listOf(fields['corpora'], 'corpora', MOST_CORPORA).map((corpus, nth) => readCorpus(corpus, `corpora[${nth}]`, version));
  if (new Set(corpora.map(({ id }) => id)).size < corpora.length) throw wrong('two of its corpora have the same id');
  if (corpora.reduce((sum, { shards }) => sum + shards.length, 0) > MOST_SHARDS) throw wrong(`it has more than ${MOST_SHARDS} shards`);
  return {
    version,
    title: textOf(fields['title'], 'title', MOST_TITLE),
    updated: dateOf(fields['updated']),
    about: fields['about'] === undefined ? null : fileOf(fields['about'], 'about', 'md', version),
    aliases: fields['aliases'] === undefined ? null : fileOf(fields['aliases'], 'aliases', 'tsv', version),
    questions: fields['questions'] === undefined ? [] : listOf(fields['questions'], 'questions', MOST_QUESTIONS).map(readQuestion),
    corpora: withOwnNames(corpora),
    tables: fields['tables'] === undefined ? null : readTables(fields['tables']),
  };
}

function readCorpus(value: unknown, where: string, version: number): PublishedCorpus {
  const fields = objectOf(value, where);
  const { id } = fields;
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id)) throw wrong(`${where}.id is not 16 hexadecimal digits`);
  const shards = listOf(fields['shards'], `${where}.shards`, MOST_SHARDS).map((shard, at) => readShard(shard, `${where}.shards[${at}]`, version));
  const corpus = {
    id,
    name: textOf(fields['name'], `${where}.name`, MOST_TITLE),
    games: numberOf(fields['games'], `${where}.games`, 0, MOST_GAMES),
    plies: numberOf(fields['plies'], `${where}.plies`, 0, MOST_BYTES),
    shards,
  };
  for (const count of ['games', 'plies'] as const) {
    if (shards.reduce((sum, shard) => sum + shard[count], 0) !== corpus[count]) throw wrong(`${where}.${count} is not the sum of its shards`);
  }
  return corpus;
}

function readShard(value: unknown, where: string, version: number): PublishedShard {
  const fields = objectOf(value, where);
  const bytes = numberOf(fields['bytes'], `${where}.bytes`, LEAST_SCAN_BYTES, MOST_BYTES);
  const scanFields = objectOf(fields['scan'], `${where}.scan`);
  const scan = {
    ...fileOf(scanFields['file'], `${where}.scan.file`, 'scan', version),
    bytes: numberOf(scanFields['bytes'], `${where}.scan.bytes`, 1, MOST_SCAN_BYTES),
    unpacked: numberOf(scanFields['unpacked'], `${where}.scan.unpacked`, LEAST_SCAN_BYTES, Math.min(bytes, MOST_SCAN_BYTES)),
    unpacked_digest: version === 1 ? null : digestOf(scanFields['unpacked_sha256'], `${where}.scan.unpacked_sha256`),
  };
  return {
    games: numberOf(fields['games'], `${where}.games`, 0, MOST_GAMES),
    plies: numberOf(fields['plies'], `${where}.plies`, 0, MOST_BYTES),
    bytes,
    scan,
    text: fields['text'] === undefined ? null : readText(fields['text'], `${where}.text`, bytes, scan.unpacked, version),
  };
}

function readText(value: unknown, where: string, shard: number, unpacked: number, version: number): TextPart {
  const fields = objectOf(value, where);
  const offset = numberOf(fields['offset'], `${where}.offset`, unpacked, shard);
  return { ...fileOf(fields['file'], `${where}.file`, 'text', version), bytes: numberOf(fields['bytes'], `${where}.bytes`, 1, shard - offset), offset };
}

function readQuestion(value: unknown, nth: number): FirstQuestion {
  const where = `questions[${nth}]`;
  const fields = objectOf(value, where);
  return { title: textOf(fields['title'], `${where}.title`, MOST_TITLE), query: textOf(fields['query'], `${where}.query`, MOST_QUERY), language: fields['language'] === undefined ? FIRST_LANGUAGE : numberOf(fields['language'], `${where}.language`, 1, MOST_LANGUAGE) };
}

function readTables(value: unknown): NonNullable<Manifest['tables']> {
  const fields = objectOf(value, 'tables');
  const { folder } = fields;
  // No part of the path begins with a full stop, so it leads nowhere but below.
  if (typeof folder !== 'string' || folder.length > MOST_FOLDER || !/^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/)+$/.test(folder)) throw wrong('tables.folder is not a folder beside it, such as "tables/"');
  const names = listOf(fields['names'], 'tables.names', MOST_TABLES).map((name, nth) => {
    if (typeof name !== 'string' || !/^[KQRBNP]{1,8}v[KQRBNP]{1,8}$/.test(name)) throw wrong(`tables.names[${nth}] is not the name of a table, such as "KQvK"`);
    return name;
  });
  return { folder, names };
}

/** The same name twice would be two corpora that an address cannot tell apart; one has a meaning of its own there. */
function withOwnNames(corpora: readonly PublishedCorpus[]): PublishedCorpus[] {
  const taken = new Set<string>([ALL]);
  return corpora.map((corpus) => {
    let { name } = corpus;
    for (let nth = 2; taken.has(name); nth++) name = `${corpus.name} ${nth}`;
    taken.add(name);
    return { ...corpus, name };
  });
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(`${where} is not an object`);
  return value as Record<string, unknown>;
}

function listOf(value: unknown, where: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(`${where} is not a list`);
  if (value.length > most) throw wrong(`${where} has more than ${most} entries`);
  return value;
}

function textOf(value: unknown, where: string, most: number): string {
  if (typeof value !== 'string' || value.trim() === '') throw wrong(`${where} is no text`);
  if ([...value].length > most) throw wrong(`${where} is longer than ${most} letters`);
  // Control characters and those that turn the direction of writing can make a text look like another one.
  return value.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, ' ').trim();
}

function numberOf(value: unknown, where: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw wrong(`${where} is no whole number`);
  if (value < least || value > most) throw wrong(`${where} is not between ${least} and ${most}`);
  return value;
}

function dateOf(value: unknown): string {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(value) || Number.isNaN(Date.parse(value))) throw wrong('updated is no date, such as "2026-11-24"');
  return value;
}

function fileOf(value: unknown, where: string, ending: string, version: number): { file: string; digest: string } {
  const digits = digitsOf(version);
  const digest = typeof value === 'string' ? new RegExp(`^library/([0-9a-f]{${digits}})\\.${ending}$`).exec(value)?.[1] : undefined;
  if (digest === undefined) throw wrong(`${where} is not a file of its folder: "library/", ${digits} hexadecimal digits and ".${ending}"`);
  return { file: value as string, digest };
}

function digestOf(value: unknown, where: string): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value)) throw wrong(`${where} is not 64 hexadecimal digits`);
  return value;
}

function wrong(what: string): Error {
  return new Error(`library.json of this library cannot be used: ${what}. Tell its publisher; \`plyfold publish --check\` finds it, too`);
}
