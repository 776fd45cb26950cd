// The moves of a PGN text as a tree of chessops of which every part keeps its letters, so that a changed game differs where it was
// changed, and nowhere else. The parser and the writer of chessops lose blanks, numbers, the order of signs and comments, lines
// with %, and whatever they do not know.
import { ChildNode, Node } from 'chessops/pgn';
import { say } from './say';

/** A comment, a sign, or something else that stands beside a move, such as `N` or the result of a variation. */
export interface Remark {
  kind: 'comment' | 'sign' | 'other';
  /** What stands before it: blanks, lines with %, a number without a move. */
  lead: string;
  /** As it is written: `{ good }`, `$1`, `!`. */
  text: string;
  /** How many variations of the move stand before it. */
  behind: number;
  /** Where its lead begins in the text that was read; -1 if it is new or changed. */
  from: number;
}

export interface WrittenMove {
  /** As it is written, without signs: `Nf3+`. */
  san: string;
  /** Blanks and the number before it; null for a new move. */
  lead: string | null;
  from: number;
  /** Whether something other than a move and its signs stands before it. */
  wasInterrupted: boolean;
  /** What stands before the first move of a variation. */
  before: Remark[];
  after: Remark[];
  /** The parentheses around the variation that begins with it, with the blanks before them; empty if it begins none. */
  open: string;
  openFrom: number;
  close: string;
  closeFrom: number;
  /** The move behind which the variation that begins with it stands; null if it begins none. */
  host: ChildNode<WrittenMove> | null;
}

export type MoveNode = ChildNode<WrittenMove>;

/** A game: its tags, what stands before its moves, its moves, and its result with what stands behind it. */
export interface MoveText {
  head: string;
  start: Remark[];
  /** The first child of a node is the move of its line, and the others begin variations. */
  moves: Node<WrittenMove>;
  tail: string;
  tailFrom: number;
}

export function newMove(san: string): MoveNode {
  return new ChildNode({ san, lead: null, from: -1, wasInterrupted: false, before: [], after: [], open: '', openFrom: -1, close: '', closeFrom: -1, host: null });
}

const PIECES = [
  String.raw`(?<blank>\s+|(?<![^\r\n])%[^\r\n]*)`,
  String.raw`(?<comment>\{[^}]*\}|;[^\r\n]*)`,
  String.raw`(?<bracket>[()])`,
  String.raw`(?<sign>\$\d+|[!?]{1,2}(?![!?]))`,
  String.raw`(?<result>(?:1[-–—:]0|0[-–—:]1|(?:1\/2|½)(?:[-–—:](?:1\/2|½))?|\*)(?=[\s{;()]|$))`,
  String.raw`(?<number>(?!0000)\d+(?:(?:\s*[.…])+|(?=[\s{;(]|$))|[.…]+)`,
  String.raw`(?<word>[^\s{}();$!?]+|[^])`,
];

/** A word that says a move, legal or not. */
const MOVE = /^(?:[KQRBNP♔-♟]?[a-h]?[1-8]?[-–x:×]?[a-h][1-8](?:[=/]?[nbrqNBRQ])?|([O0o])[-–—−]?\1(?:[-–—−]?\1)?|--|Z0|0000|@@@@|<>|null|pass)(?:e\.?p\.?)?[+#]*$/;

/** Variations that stand in each other more deeply were written by no person, and to write them would take a call each. */
const MOST_NESTED = 300;

/** The line that is being read: the game, or a variation in it. */
interface Line {
  /** The position before the next move, and before the last one. */
  at: Node<WrittenMove>;
  lastFrom: Node<WrittenMove>;
  first: MoveNode | null;
  last: MoveNode | null;
  /** What stands before its first move. */
  pending: Remark[];
  /** The variations behind the last move. */
  behind: number;
  isInterrupted: boolean;
  /** Its opening parenthesis with the blanks before it, and where they begin. */
  open: { text: string; from: number };
  host: MoveNode | null;
}

function newLine(at: Node<WrittenMove>, pending: Remark[], open = { text: '', from: -1 }, host: MoveNode | null = null): Line {
  return { at, lastFrom: at, first: null, last: null, pending, behind: 0, isInterrupted: true, open, host };
}

/** Reads the text of one game, or says in a sentence why its moves cannot be edited. */
export function readMoveText(pgn: string): MoveText | string {
  const reader = new Reader(pgn);
  return reader.read();
}

class Reader {
  private readonly pgn: string;
  private readonly game: MoveText;
  /** The game, and the variations that are open, one in the other. */
  private readonly lines: Line[];
  /** Blanks and numbers since the last part of the tree, which ends at `end`. */
  private lead = '';
  private end: number;

  constructor(pgn: string) {
    const start: Remark[] = [];
    this.pgn = pgn;
    this.game = { head: pgn.slice(0, movesBegin(pgn)), start, moves: new Node(), tail: '', tailFrom: -1 };
    this.end = this.game.head.length;
    this.lines = [newLine(this.game.moves, start)];
  }

  read(): MoveText | string {
    const { pgn, game, lines } = this;
    const piece = new RegExp(PIECES.join('|'), 'uy');
    for (piece.lastIndex = game.head.length; piece.lastIndex < pgn.length; ) {
      const found = piece.exec(pgn);
      const { blank, number, comment, sign, result, word, bracket } = found?.groups ?? {};
      if (blank !== undefined || number !== undefined) this.lead += blank ?? number;
      else if (result !== undefined && lines.length === 1) return this.finished(this.lead + pgn.slice(piece.lastIndex - result.length));
      else if (word !== undefined && MOVE.test(word)) this.move(word);
      else if (bracket === '(') {
        const line = this.line();
        if (!line.last) return say('The moves of this game cannot be edited: a variation stands before the move that it replaces.');
        if (lines.length > MOST_NESTED) return say('The moves of this game cannot be edited: its variations stand in each other too deeply.');
        lines.push(newLine(line.lastFrom, [], this.taken('('), line.last));
      } else if (bracket === ')' && lines.length > 1) this.close();
      else if (word === '{') return say('The moves of this game cannot be edited: a comment is not closed.');
      else this.remark(comment !== undefined ? 'comment' : sign !== undefined ? 'sign' : 'other', found?.[0] ?? '');
    }
    return lines.length > 1 ? say('The moves of this game cannot be edited: a variation is not closed.') : this.finished(this.lead);
  }

  private finished(tail: string): MoveText {
    return { ...this.game, tail, tailFrom: this.end };
  }

  private line(): Line {
    return this.lines.at(-1) as Line;
  }

  /** What stands before this part, and the part; and where they begin. */
  private taken(part: string): { text: string; from: number } {
    const [text, from] = [this.lead + part, this.end];
    [this.lead, this.end] = ['', from + text.length];
    return { text, from };
  }

  private move(san: string): void {
    const line = this.line();
    const node = newMove(san);
    const { text, from } = this.taken(san);
    Object.assign(node.data, { lead: text.slice(0, text.length - san.length), from, wasInterrupted: line.isInterrupted });
    if (!line.first && line.host) Object.assign(node.data, { before: line.pending, open: line.open.text, openFrom: line.open.from, host: line.host });
    line.at.children.push(node);
    [line.lastFrom, line.at, line.last, line.behind, line.isInterrupted] = [line.at, node, node, 0, false];
    line.first ??= node;
  }

  private remark(kind: Remark['kind'], part: string): void {
    const line = this.line();
    const { text, from } = this.taken(part);
    (line.last?.data.after ?? line.pending).push({ kind, lead: text.slice(0, text.length - part.length), text: part, behind: line.behind, from });
    if (kind !== 'sign') line.isInterrupted = true;
  }

  /** Closes a variation. One without moves is a remark. */
  private close(): void {
    const { first, open } = this.lines.pop() as Line;
    const line = this.line();
    const { text, from } = this.taken(')');
    line.isInterrupted = true;
    if (first) {
      [first.data.close, first.data.closeFrom] = [text, from];
      line.behind += 1;
      return;
    }
    const lead = open.text.slice(0, -1);
    line.last?.data.after.push({ kind: 'other', lead, text: this.pgn.slice(open.from + lead.length, this.end), behind: line.behind, from: open.from });
  }
}

/** Where the moves begin: behind the lines with tags, and the blank lines and lines with % among them. */
function movesBegin(pgn: string): number {
  return /^\uFEFF?(?:[^\S\r\n]*(?:[[%][^\r\n]*)?(?:\r\n?|\n|$))*/.exec(pgn)?.[0].length ?? 0;
}
