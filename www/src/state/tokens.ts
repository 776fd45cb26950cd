// Cuts the text of a query as the engine does (core/query/src/token.rs).

/** A word, number, quoted text or sign of a query, with its place. */
export interface Token {
  from: number;
  to: number;
  /** In lower case, except for quoted texts, which keep their quotes. */
  text: string;
}

/** The tokens of a query, as the engine cuts them; null if a quote is not closed. */
export function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  for (const found of text.matchAll(/"[^"]*"?|[a-z][a-z0-9_]*|\d+|\.\.|<=|>=|!=|<>|==|@[\w.-]*|[^\s]/giu)) {
    const [word] = found;
    const isQuoted = word.startsWith('"');
    if (isQuoted && (word.length < 2 || !word.endsWith('"'))) return null;
    tokens.push({ from: found.index, to: found.index + word.length, text: isQuoted ? word : word.toLowerCase() });
  }
  return tokens;
}

/** A name between quotes. A name has no quote in the language, and punctuation makes no difference. */
export function quotedName(name: string): `"${string}"` {
  return `"${name.replaceAll('"', ' ').trim()}"`;
}
