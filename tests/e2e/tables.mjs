// The tables of three and four pieces on a page. Making them takes a browser some 15 seconds, so the tests of a file make them
// once, and the others take them as files.

/** The files that a page of this process has made; null before. */
let made = null;

/** Makes the tables on a page, which shows their sources. */
export async function make(page) {
  await page.locator('[data-test=table-make]:enabled').click();
  await page.locator('[data-test=table-said]', { hasText: 'made in' }).waitFor({ timeout: 180_000 });
  made ??= await files(page);
}

/** Brings the tables to a page, which shows their sources: those that were made before, or else it makes them. */
export async function bring(page) {
  const offer = page.locator('[data-test=table-make]');
  await page.locator('[data-test=table-make]:enabled').or(page.locator('[data-test=table-inventory]', { hasText: /^45 tables / })).waitFor();
  if (made === null && (await offer.count()) > 0) return make(page);
  if (made !== null) await page.setInputFiles('[data-test=table-files]', made);
  await offer.waitFor({ state: 'detached', timeout: 60_000 });
  made ??= await files(page);
}

/** The bytes of a table that the page has stored. */
export async function stored(page, name) {
  const [file] = await files(page, name);
  return file.buffer;
}

/** The tables that the page has stored, all or one; null if it may store none. */
async function files(page, only = null) {
  const found = await page.evaluate(async (only) => {
    const root = await navigator.storage.getDirectory().catch(() => null);
    if (root === null) return null;
    const found = [];
    for await (const [name, handle] of (await root.getDirectoryHandle('tables')).entries()) {
      if (!name.endsWith('.egp') || (only !== null && name !== `${only}.egp`)) continue;
      const bytes = new Uint8Array(await (await handle.getFile()).arrayBuffer());
      let text = '';
      for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
      found.push([name, btoa(text)]);
    }
    return found;
  }, only);
  return found?.map(([name, text]) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(text, 'base64') })) ?? null;
}
