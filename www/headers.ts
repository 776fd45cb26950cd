// The headers of the site, as `public/_headers` has them: the one place where they are written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names and values, in order. */
export const HEADERS: readonly (readonly [string, string])[] = readFileSync(join(import.meta.dirname, 'public/_headers'), 'utf8')
  .split('\n')
  .filter((line) => /^\s+\S/.test(line))
  .map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const;
  });

/** The policy for content as a page can say it of itself: who may frame it, only the host can say. */
export function policyOfPage(): string {
  const policy = HEADERS.find(([name]) => name === 'Content-Security-Policy')?.[1] ?? '';
  const parts = policy.split(';').map((part) => part.trim());
  return parts.filter((part) => part !== '' && !part.startsWith('frame-ancestors')).join('; ');
}
