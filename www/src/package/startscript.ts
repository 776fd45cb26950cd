// A worker's script must come from the host of the page. If the package comes from another host, the worker gets a script of one
// line, which imports the other one.

/** The address with which a worker is started whose script is at `address`. */
export function startScript(address: string): string {
  const { href, origin, protocol } = new URL(address, location.href);
  if (origin === location.origin || protocol === 'blob:') return href;
  return URL.createObjectURL(new Blob([`import ${JSON.stringify(href)};`], { type: 'text/javascript' }));
}
