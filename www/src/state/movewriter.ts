// Writes a game from the tree of its moves: what was not changed as it was written, and what is new as the PGN standard has it.
import type { MoveNode, MoveText, Remark, WrittenMove } from './movetext';

/** The text of a game. `ply` is that of its first move, counted from the start of chess: 0 for the first move of White. */
export function writeMoveText({ head, start, moves, tail, tailFrom }: MoveText, ply: number): string {
  const writer = new Writer();
  writer.put(head, 0);
  for (const remark of start) writer.remark(remark);
  const [first] = moves.children;
  if (first) writer.line(first, moves.children, ply);
  writer.put(tail, tailFrom);
  return writer.parts.join('');
}

/** The move behind which the variation stands that begins with the `nth` of these moves of one position. */
export function hostOf(moves: readonly MoveNode[], nth: number): MoveNode | undefined {
  const host = moves[nth]?.data.host;
  const at = host ? moves.indexOf(host) : -1;
  return host && at >= 0 && at < nth ? host : moves[0];
}

/** The variations that stand behind one of these moves of one position. */
export function variationsBehind(move: MoveNode, moves: readonly MoveNode[]): MoveNode[] {
  return moves.filter((_, nth) => nth > 0 && hostOf(moves, nth) === move);
}

class Writer {
  readonly parts: string[] = [];
  /** Where the last part ends in the text that was read; -1 if it is new. */
  private end = 0;
  /** Whether the last part is a comment to the end of its line. */
  private isLineOpen = false;

  /** Puts a part that begins at `from` in the text that was read. What did not stand side by side gets a blank in between. */
  put(part: string, from = -1): void {
    if (part === '') return;
    const before = this.parts.at(-1) ?? '';
    const isBeside = from >= 0 && from === this.end;
    if (!isBeside && this.isLineOpen && !/^[^\S\r\n]*[\r\n]/.test(part)) this.parts.push('\n');
    else if (!isBeside && /[^\s(]$/.test(before) && /^[^\s)]/.test(part)) this.parts.push(' ');
    // A blank at the beginning is one too many.
    this.parts.push(isBeside || /[^\s(]$/.test(before) ? part : part.replace(/^[^\S\r\n]+/, ''));
    this.end = from < 0 ? -1 : from + part.length;
    this.isLineOpen = false;
  }

  remark({ kind, lead, text, from }: Remark): void {
    this.put(lead + text, from);
    this.isLineOpen = kind === 'comment' && text.startsWith(';');
  }

  /** Writes a line of moves from `first` on, which is one of `moves`, those of its position; `isNew` if it was no line of its own. */
  line(first: MoveNode, moves: readonly MoveNode[], firstPly: number, isNew = false): void {
    let [isInterrupted, move, those]: [boolean, MoveNode | undefined, readonly MoveNode[]] = [true, first, moves];
    for (let ply = firstPly; move; ply++) {
      for (const remark of move.data.before) this.remark(remark);
      this.move(move.data, ply, isInterrupted || move.data.before.length > 0, move === first && isNew);
      isInterrupted = this.behind(move, variationsBehind(move, those), those, ply);
      those = move.children;
      move = those[0];
    }
  }

  private move({ san, lead, from, wasInterrupted }: WrittenMove, ply: number, isInterrupted: boolean, isNewLine: boolean): void {
    const numbered = `${Math.floor(ply / 2) + 1}.${ply % 2 === 1 ? '..' : ''} ${san}`;
    if (lead === null) return this.put(isInterrupted || ply % 2 === 0 ? numbered : san);
    const hasNumber = /\d/.test(lead);
    // A number comes or goes with what stands between it and the move before.
    if (!hasNumber && isInterrupted && (!wasInterrupted || isNewLine)) this.put(numbered);
    else if (hasNumber && !isInterrupted && wasInterrupted && ply % 2 === 1) this.put(san);
    else this.put(lead + san, from);
  }

  /** Writes what stands behind a move; returns whether that is more than signs. */
  private behind({ data: { after } }: MoveNode, variations: readonly MoveNode[], moves: readonly MoveNode[], ply: number): boolean {
    for (let nth = 0; nth <= variations.length; nth++) {
      const isLast = nth === variations.length;
      for (const remark of after) if (remark.behind === nth || (isLast && remark.behind > nth)) this.remark(remark);
      const variation = variations[nth];
      if (variation) this.variation(variation, moves, ply);
    }
    return variations.length > 0 || after.some(({ kind }) => kind !== 'sign');
  }

  private variation(first: MoveNode, moves: readonly MoveNode[], ply: number): void {
    const { open, openFrom, close, closeFrom } = first.data;
    this.put(open || '(', openFrom);
    this.line(first, moves, ply, open === '');
    this.put(close || ')', closeFrom);
  }
}
