// The headers of the site, as `public/_headers` has them: the one place where they are written.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file's blocks: which paths, and names with values, in order. A line with `!` takes a header of an earlier block away. */
const BLOCKS = readFileSync(join(import.meta.dirname, 'public/_headers'), 'utf8')
  .split(/\n(?=\/)/)
  .slice(1)
  .map((block) => {
    const [path = '', ...lines] = block.split('\n');
    const named = lines.filter((line) => /^\s+[^\s!]/.test(line)).map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()] as const);
    return { path: path.trim(), headers: named };
  });

/** Names and values for every file, in order. */
export const HEADERS: readonly (readonly [string, string])[] = BLOCKS.find(({ path }) => path === '/*')?.headers ?? [];

/** Where other values stand for some files: how their paths begin, and these headers. */
export const EXCEPTIONS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = BLOCKS.filter(({ path }) => path !== '/*').map(({ path, headers }) => [path.slice(1).replace('*', ''), headers]);

/** The policy for content as a page can say it of itself: who may frame it, only the host can say. */
export function policyOfPage(): string {
  const policy = HEADERS.find(([name]) => name === 'Content-Security-Policy')?.[1] ?? '';
  const parts = policy.split(';').map((part) => part.trim());
  return parts.filter((part) => part !== '' && !part.startsWith('frame-ancestors')).join('; ');
}
