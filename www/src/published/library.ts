// The published library of this page, in the engine's worker: what `library.json` says, whether it came from the host or is what
// this device kept of it, and the corpora as the list shows them.
import { ALL, ALL_GAMES, publishedId, publishedNames } from '../engine/corpusid';
import type { CorpusInfo, PublishedInfo } from '../engine/protocol';
import { Arrival, type Unpacking } from './arrival';
import { LibraryDevice } from './device';
import { digestOfText, isDigestOf } from './digest';
import { isHostFailure, type Host } from './host';
import { canBeJoined, joined, type JoinedCorpus } from './joined';
import { MOST_ABOUT_BYTES, MOST_ALIASES_BYTES, MOST_MANIFEST_BYTES, readManifest, type Manifest, type PublishedCorpus } from './manifest';
import { hostOf } from './otherhost';
import { PublishedTexts } from './texts';

/** What the sets of published corpora are stored under begins with this. */
const SETS = 'library.';
const OLD_FORM = 'its files are named in an old way, which does not prove that they are its publisher\'s. Ask its publisher to publish it anew';

export class PublishedLibrary {
  private readonly address: string;
  private readonly manifest: Manifest;
  private readonly text: string;
  private device = LibraryDevice.none();
  private readonly host: Host;
  private readonly unpacking: Unpacking;
  private about = '';
  /** The publisher's names that stand for others, as the engine takes them; empty if there are none. */
  aliases = '';
  /** Ends when the list of this visit is kept, and what it no longer names is removed. */
  keeping: Promise<void> = Promise.resolve();
  /** Why this is the list of the last visit; empty if the host has sent it. */
  private note = '';

  private constructor(address: string, text: string, host: Host, unpacking: Unpacking) {
    this.address = address;
    this.text = text;
    this.manifest = manifestOf(text);
    this.host = host;
    this.unpacking = unpacking;
  }

  /** Fetches `library.json`. */
  static fetchList(address: string): Promise<string> {
    const list = fetchText(hostOf(address), address, MOST_MANIFEST_BYTES, 'no-cache');
    // Whoever waits for it says why it failed.
    list.catch(() => undefined);
    return list;
  }

  /**
   * Opens the library whose list is on its way; if the host does not send it, takes the one that this device kept. Unless it is to
   * `keep` what comes, this device does not remember the library.
   */
  static async open(address: string, list: Promise<string>, unpacking: Unpacking, keep: boolean): Promise<PublishedLibrary> {
    const device = keep ? await LibraryDevice.open(address, unpacking) : LibraryDevice.none();
    let note = '';
    let text: string;
    try {
      text = await list;
    } catch (thrown) {
      const kept = await device.list();
      if (!isHostFailure(thrown) || kept === null) throw thrown;
      text = kept;
      note = thrown.message;
    }
    const library = new PublishedLibrary(address, text, hostOf(address), unpacking);
    library.note = note;
    library.device = device;
    // Nobody waits for what is kept for a later visit.
    if (note === '') library.keeping = device.renewList(text);
    const { about, aliases } = library.manifest;
    [library.about, library.aliases] = await Promise.all([library.bringText(about, MOST_ABOUT_BYTES), library.bringText(aliases, MOST_ALIASES_BYTES)]);
    return library;
  }

  /** Keeps on this device what comes from now on. */
  async keep(): Promise<void> {
    this.device = await LibraryDevice.open(this.address, this.unpacking);
    this.keeping = this.device.renewList(this.text);
  }

  info(): PublishedInfo {
    const { title, updated, questions, tables } = this.manifest;
    return {
      address: this.address,
      title,
      updated_ms: Date.parse(updated),
      about: this.about,
      questions: [...questions],
      corpora: this.list(),
      tables: tables && tables.names.length > 0 ? new URL(tables.folder, this.address).href : '',
      note: this.note,
      trust_note: this.manifest.version === 1 ? OLD_FORM : '',
    };
  }

  /** All corpora together, if there are several, and each. */
  list(): CorpusInfo[] {
    const all = this.find(publishedId([ALL]));
    return [...(all ? [all] : []), ...this.manifest.corpora].map((corpus) => this.describe(corpus));
  }

  /** The corpus with this id, or several as one. */
  find(id: string): PublishedCorpus | JoinedCorpus | undefined {
    const { corpora } = this.manifest;
    const names = publishedNames(id);
    const isAll = names[0] === ALL && names.length === 1;
    const named = isAll ? corpora : corpora.filter(({ name }) => names.includes(name));
    if (!isAll && named.length < names.length) return undefined;
    if (named.length === 1 && !isAll) return named[0];
    if (!canBeJoined(named)) return undefined;
    return joined(named, isAll ? ALL_GAMES : named.map(({ name }) => name).join(', '), this.unpacking.checksumOf);
  }

  describe(corpus: PublishedCorpus | JoinedCorpus): CorpusInfo {
    const { name, games, plies, shards } = corpus;
    const members = 'members' in corpus ? corpus.members : undefined;
    const here = shards.filter(({ scan }) => this.device.hasScanPart(scan.digest));
    const sum = (parts: typeof shards, bytes: 'unpacked' | 'bytes') => parts.reduce((all, { scan }) => all + scan[bytes], 0);
    return {
      id: idOf(corpus),
      name,
      ...(members && { members }),
      games,
      plies,
      size_bytes: sum(here, 'unpacked'),
      created_ms: Date.parse(this.manifest.updated),
      kept: 'library',
      left_bytes: sum(shards, 'bytes') - sum(here, 'bytes'),
    };
  }

  /** Whether a scan part is on this device. */
  isHere(digest: string): boolean {
    return this.device.hasScanPart(digest);
  }

  /** The parts of a corpus on their way; `threads` are unpacked at once, and `most_bytes` are kept in memory. */
  arrival(corpus: PublishedCorpus, threads: number, most_bytes: number): Arrival {
    const { host, address, device, unpacking } = this;
    return new Arrival(corpus, { host, address, device, unpacking, threads, most_bytes });
  }

  /**
   * What names of sets are stored under: the id of the corpus, because it stays when its name changes. Another host chooses its ids as
   * it likes, so its address belongs to them.
   */
  setsOf({ id }: PublishedCorpus): string {
    const isOwn = new URL(this.address).origin === location.origin;
    return isOwn ? SETS + id : `${SETS}${digestOfText(this.address, this.unpacking)}.${id}`;
  }

  texts(corpus: PublishedCorpus): PublishedTexts {
    return new PublishedTexts(corpus, this.host, this.address);
  }

  /** Removes the games of a corpus from this device. What another corpus has too goes with them. */
  async remove({ shards }: PublishedCorpus): Promise<void> {
    await this.device.removeScanParts(shards.map(({ scan }) => scan.digest));
  }

  /** Why something could not be kept: one sentence, empty if all was. */
  get storageNote(): string {
    return this.device.note;
  }

  /** A text of the publisher; without it, the library is complete all the same. */
  private async bringText(named: { file: string; digest: string } | null, most_bytes: number): Promise<string> {
    if (!named) return '';
    const isIt = (text: string) => isDigestOf(named.digest, new TextEncoder().encode(text), this.unpacking);
    const kept = await this.device.publishersText(named.digest);
    if (kept !== null && isIt(kept)) return kept;
    try {
      const text = await fetchText(this.host, new URL(named.file, this.address).href, most_bytes, 'default');
      if (!isIt(text)) return '';
      await this.device.keepPublishersText(named.digest, text);
      return text;
    } catch {
      return '';
    }
  }
}


function idOf(corpus: PublishedCorpus | JoinedCorpus): string {
  if (!('members' in corpus)) return publishedId([corpus.name]);
  return publishedId(corpus.name === ALL_GAMES ? [ALL] : corpus.members.map(({ name }) => name));
}

function manifestOf(text: string): Manifest {
  try {
    return readManifest(text);
  } catch (error) {
    throw { code: 'bad-input', message: error instanceof Error ? error.message : String(error) };
  }
}

async function fetchText(host: Host, url: string, bytes: number, cache: RequestCache): Promise<string> {
  const received = await host.fetch({ url, bytes, range: null, cache }, new AbortController().signal);
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(received.bytes);
}
