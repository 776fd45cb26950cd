// The texts of the games of a published corpus. They stay on the host: the blocks that some games need are fetched as ranges of
// bytes before the engine asks for them, and the engine then reads them from here.
import type { TextSource } from '../engine/types';
import type { Host } from './host';
import type { PublishedCorpus, TextPart } from './manifest';

/** The engine reads a text at its offset in the corpus file, which begins with a header of this length. */
const FILE_HEADER_BYTES = 64;
/** Blocks that are not further apart are one range. */
const GAP_BYTES = 16 << 10;
const MOST_RANGE_BYTES = 1 << 20;
const AT_ONCE = 4;
/** What is kept for further games. */
const MOST_KEPT_BYTES = 32 << 20;

/** Bytes of the corpus file: offset and length. */
export type Span = readonly [at: number, length: number];

interface Section {
  /** Where the text section begins in the corpus file. */
  at: number;
  text: TextPart;
}

/** Bytes of a section. */
interface Range {
  section: Section;
  from: number;
  to: number;
}

interface Kept {
  at: number;
  bytes: Uint8Array;
}

/** Bytes that a host has been asked for. */
interface UnderWay {
  at: number;
  length: number;
  /** Resolves when they are here, or will not come. */
  settled: Promise<void>;
}

export class PublishedTexts implements TextSource {
  private readonly sections: readonly Section[];
  private readonly host: Host;
  private readonly address: string;
  /** The ones used last stand last. */
  private kept: Kept[] = [];
  private readonly underWay = new Set<UnderWay>();
  private readonly abort = new AbortController();

  /** `address` is that of `library.json`. */
  constructor(corpus: PublishedCorpus, host: Host, address: string) {
    let at = FILE_HEADER_BYTES;
    const sections: Section[] = [];
    for (const { bytes, text } of corpus.shards) {
      if (text) sections.push({ at: at + text.offset, text });
      at += bytes;
    }
    this.sections = sections;
    this.host = host;
    this.address = address;
  }

  /** Fetches these bytes, if they are not here. Until the next call, `read` has them all. */
  async bring(spans: readonly Span[]): Promise<void> {
    // A game may be shown again while its text is on its way.
    for (let others = this.fetching(spans); others.length > 0; others = this.fetching(spans)) await Promise.all(others);
    this.forget();
    const ranges = this.ranges(spans.filter(([at, length]) => !this.find(at, length)));
    let next = 0;
    const one = async () => {
      for (let range = ranges[next++]; range; range = ranges[next++]) await this.fetch(range);
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, ranges.length) }, one));
  }

  read(into: Uint8Array, at: number): number {
    const kept = this.find(at, into.length);
    if (!kept) throw new Error('comments of a published library are not searched, because their texts are on its host. Import its games as a PGN file to search them');
    into.set(kept.bytes.subarray(at - kept.at, at - kept.at + into.length));
    return into.length;
  }

  close(): void {
    this.abort.abort();
    this.kept = [];
  }

  private find(at: number, length: number): Kept | undefined {
    return this.kept.find((kept) => at >= kept.at && at + length <= kept.at + kept.bytes.length);
  }

  /** The ranges to fetch, each within one section; blocks that lie close together are one. */
  private ranges(spans: readonly Span[]): Range[] {
    const ranges: Range[] = [];
    for (const [at, length] of [...spans].sort(([one], [two]) => one - two)) {
      const section = this.sections.find((one) => at >= one.at && at + length <= one.at + one.text.bytes);
      if (!section) throw { code: 'bad-corpus', message: 'library.json of this library does not say where the text of this game is. Tell its publisher' };
      const from = at - section.at;
      const last = ranges.at(-1);
      if (last?.section === section && from <= last.to + GAP_BYTES && from + length - last.from <= MOST_RANGE_BYTES) last.to = Math.max(last.to, from + length);
      else ranges.push({ section, from, to: from + length });
    }
    return ranges;
  }

  private fetch(range: Range): Promise<void> {
    const coming = this.fetchRange(range);
    const { section, from, to } = range;
    const entry: UnderWay = { at: section.at + from, length: to - from, settled: coming.catch(() => undefined) };
    this.underWay.add(entry);
    return coming.finally(() => this.underWay.delete(entry));
  }

  private async fetchRange({ section, from, to }: Range): Promise<void> {
    const url = new URL(section.text.file, this.address).href;
    // A file of which a part came may have come as a whole.
    if (this.find(section.at + from, to - from)) return;
    const wanted = { url, bytes: section.text.bytes, range: { from, length: to - from }, cache: 'default' } as const;
    const { bytes, isWhole } = await this.host.fetch(wanted, this.abort.signal);
    const complete = isWhole ? bytes.length === section.text.bytes : bytes.length === to - from;
    if (!complete) throw { code: 'host', message: `${new URL(url).host} sent ${bytes.length} bytes of a text where ${isWhole ? section.text.bytes : to - from} were expected. Try again`, isPassing: true };
    this.kept.push({ at: isWhole ? section.at : section.at + from, bytes });
  }

  /** What other calls fetch of these bytes. */
  private fetching(spans: readonly Span[]): Promise<void>[] {
    const covers = (one: UnderWay) => spans.some(([at, length]) => at >= one.at && at + length <= one.at + one.length);
    return [...this.underWay].filter(covers).map((one) => one.settled);
  }

  /** Drops the oldest bytes if there are too many. */
  private forget(): void {
    let sum = 0;
    const kept = this.kept.toReversed().filter(({ bytes }) => (sum += bytes.length) <= MOST_KEPT_BYTES);
    this.kept = kept.reverse();
  }
}
