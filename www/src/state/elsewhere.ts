// Addresses of pages at other sites.

/** Lichess's analysis board at a position. */
export function lichessAnalysis(fen: string): string {
  return `https://lichess.org/analysis/${encodeURI(fen).replaceAll('%20', '_')}`;
}

/** The name of a site, and the address of a game there at a ply. Lichess's games take the ply after a `#`. */
export function gameElsewhere(link: string, ply: number): { name: string; address: string } | null {
  if (!URL.canParse(link)) return null;
  const address = new URL(link);
  const isLichess = address.hostname.endsWith('lichess.org');
  if (isLichess && /^\/\w{8}(?:\w{4})?(?:\/(?:white|black))?$/.test(address.pathname)) address.hash = ply > 0 ? `${ply}` : '';
  return { name: isLichess ? 'lichess' : 'chess.com', address: address.href };
}
