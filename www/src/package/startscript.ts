// A worker's script must come from the host of the page. If the package comes from another host, the worker gets a script of one
// line, which imports the other one.

const scripts = new Map<string, string>();

/** The address with which a worker is started whose script is at `address`. */
export function startScript(address: string): string {
  const { href, origin, protocol } = new URL(address, location.href);
  if (origin === location.origin || protocol === 'blob:') return href;
  const script = scripts.get(href) ?? URL.createObjectURL(new Blob([`import ${JSON.stringify(href)};`], { type: 'text/javascript' }));
  scripts.set(href, script);
  return script;
}
