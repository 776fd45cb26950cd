// The addresses of hosts whose tables the user has chosen, newest first. They are offered again, and asked only when the user
// chooses one again.
import type { TableHosts } from '../tables/protocol';

export type HostKind = keyof TableHosts;
export type RememberedHosts = Readonly<Record<HostKind, readonly string[]>>;

const KEY = 'plyfold.tablehosts';
/** How many addresses of each kind are remembered. */
const MOST = 5;

const NONE: RememberedHosts = { folder: [], server: [] };

export function rememberedHosts(): RememberedHosts {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return { folder: addresses(stored, 'folder'), server: addresses(stored, 'server') };
  } catch {
    // Storage is switched off, or holds something else.
    return NONE;
  }
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
  try {
    localStorage.setItem(KEY, JSON.stringify(hosts));
  } catch {
    // Storage is switched off: the addresses are known until the page closes.
  }
  return hosts;
}
