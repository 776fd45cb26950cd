// Addresses of files that the address of the page, or the page itself, names.

/** Reads an address that may be relative to the page; null if it is none that a browser fetches. */
export function hostAddress(named: string): URL | null {
  if (named === '' || !URL.canParse(named, location.href)) return null;
  const address = new URL(named, location.href);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') return null;
  address.hash = '';
  return address;
}
