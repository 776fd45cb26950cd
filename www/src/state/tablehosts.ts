// The addresses of hosts whose tables the user has chosen, newest first. They are offered again, and asked only when the user
// chooses one again.
import type { TableHosts } from '../tables/protocol';
import { keepValue, keptValue } from './kept';

export type HostKind = keyof TableHosts;
export type RememberedHosts = Readonly<Record<HostKind, readonly string[]>>;

const KEY = 'plyfold.tablehosts';
/** How many addresses of each kind are remembered. */
const MOST = 5;

export function rememberedHosts(): RememberedHosts {
  const stored = keptValue(KEY);
  return { folder: addresses(stored, 'folder'), server: addresses(stored, 'server') };
}

function addresses(stored: unknown, kind: HostKind): string[] {
  const list: unknown = typeof stored === 'object' && stored !== null ? (stored as Partial<Record<HostKind, unknown>>)[kind] : null;
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string' && one !== '').slice(0, MOST) : [];
}

/** Puts an address first; an empty one changes nothing. */
export function rememberHost(kind: HostKind, address: string): RememberedHosts {
  const known = rememberedHosts();
  if (address === '') return known;
  return kept({ ...known, [kind]: [address, ...known[kind].filter((one) => one !== address)].slice(0, MOST) });
}

export function forgetHost(kind: HostKind, address: string): RememberedHosts {
  const known = rememberedHosts();
  return kept({ ...known, [kind]: known[kind].filter((one) => one !== address) });
}

function kept(hosts: RememberedHosts): RememberedHosts {
  keepValue(KEY, hosts);
  return hosts;
}
