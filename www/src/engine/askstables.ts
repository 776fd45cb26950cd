// Whether a query or a key asks endgame tables.

/** Recognises the words of the language that ask tables. A player may be called so, too; then tables are read for nothing. */
export function asksTables(text: string): boolean {
  return /\b(?:tb|tb_dtm|threw_away|half_points_lost)\b/i.test(text);
}
