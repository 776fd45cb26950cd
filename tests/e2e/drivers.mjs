// Three browsers behind one small interface, with what a walk through the page needs. Chromium is driven by
// Playwright, Firefox by WebDriver BiDi (puppeteer-core), WebKitGTK by WebDriver (selenium-webdriver).

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import puppeteer from 'puppeteer-core';
import { Builder, By, Capabilities, Key } from 'selenium-webdriver';

const WAIT_MS = 120_000;

/**
 * @typedef {object} Tab A tab of a browser
 * @property {(url: string) => Promise<void>} go
 * @property {() => Promise<void>} reload
 * @property {() => Promise<void>} back
 * @property {(fn: Function, ...values: unknown[]) => Promise<any>} run runs a function in the page
 * @property {(fn: Function, ...values: unknown[]) => Promise<void>} until waits until a function in the page returns something true
 * @property {(selector: string) => Promise<void>} click
 * @property {(selector: string, text: string) => Promise<void>} type replaces the text of a field, and presses Enter
 * @property {(key: 'ArrowRight' | 'ArrowLeft', times: number) => Promise<void>} hold many key events, as fast as the browser takes them
 * @property {(selector: string, paths: string[]) => Promise<void>} give files for a file field
 * @property {() => Promise<Tab>} another opens a second tab
 */

/** The path of a browser's program; fails with the name of the Debian package if it is missing. */
function installed(variable, places, packages) {
  const given = process.env[variable];
  const path = given ?? places.find((place) => existsSync(place));
  assert.ok(path && existsSync(path), `${given ? `${variable} names ${given}, which does not exist` : `there is no ${places[0]}`}: type \`sudo apt-get install ${packages}\`, or set ${variable}`);
  return path;
}

/** The function with its values in one array, because Playwright passes one value only. */
function spread(fn) {
  return new Function('values', `return (${fn})(...values)`);
}

/** Where Debian puts MiniBrowser: `/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser` and the like. */
function miniBrowsers() {
  return readdirSync('/usr/lib')
    .filter((name) => name.endsWith('-linux-gnu'))
    .flatMap((name) => ['4.1', '4.0'].map((version) => `/usr/lib/${name}/webkit2gtk-${version}/MiniBrowser`));
}

/** The address and the text of a page, so that a failure says what happened instead. */
async function shown(page) {
  const text = await page.evaluate(() => `${location.href} ${document.body.innerText}`).catch((error) => error.message);
  return text.replace(/\s+/g, ' ').slice(0, 3000);
}

/** A tab of Playwright or puppeteer, whose pages have nearly the same methods. */
function pageTab(page, { waitFor, setFiles, click, open, goBack, reload }) {
  return {
    go: async (url) => void (await page.goto(url)),
    reload,
    back: goBack,
    run: (fn, ...values) => page.evaluate(spread(fn), values),
    async until(fn, ...values) {
      await waitFor(fn, ...values).catch(async (error) => assert.fail(`${error.message}, for ${fn} of ${values}; the page shows: ${await shown(page)}`));
    },
    click,
    async type(selector, text) {
      await click(selector);
      await page.evaluate((selector) => document.querySelector(selector).select(), selector);
      await page.keyboard.type(text);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
    },
    async hold(key, times) {
      for (let nth = 0; nth < times; nth++) await page.keyboard.down(key);
      await page.keyboard.up(key);
    },
    give: setFiles,
    another: open,
  };
}

/** @returns {Tab} */
export function playwrightTab(page) {
  return pageTab(page, {
    waitFor: async (fn, ...values) => void (await page.waitForFunction(spread(fn), values, { timeout: WAIT_MS })),
    setFiles: (selector, paths) => page.setInputFiles(selector, paths),
    click: (selector) => page.click(selector),
    open: async () => playwrightTab(await page.context().newPage()),
    goBack: async () => void (await page.goBack()),
    reload: async () => void (await page.reload()),
  });
}

/** Runs `test` on a tab of Firefox. @param {(tab: Tab) => Promise<void>} test */
export async function inFirefox(test) {
  const executablePath = installed('FIREFOX', ['/usr/bin/firefox-esr', '/usr/bin/firefox'], 'firefox-esr');
  const browser = await puppeteer.launch({ browser: 'firefox', protocol: 'webDriverBiDi', executablePath, headless: true });
  const errors = [];
  const tab = async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => errors.push(error.message));
    return pageTab(page, {
      // Asked from here: puppeteer's own wait makes a function from text in the page, which the page's policy forbids.
      waitFor: (fn, ...values) => until(() => page.evaluate(fn, ...values)),
      setFiles: async (selector, paths) => (await page.$(selector)).uploadFile(...paths),
      click: (selector) => clickUntilHit(page, selector),
      open: tab,
      // puppeteer waits for a load, but Firefox may show the page as it kept it. Afterwards puppeteer misses the next load too.
      goBack: () => page.evaluate(() => history.back()),
      reload: () => page.evaluate(() => location.reload()),
    });
  };
  try {
    await test(await tab());
    assert.deepEqual(errors, [], 'errors of the page');
  } finally {
    await browser.close();
  }
}

/** puppeteer looks where an element is and clicks there. If the page moves it in between, it is not hit, and is clicked again. */
async function clickUntilHit(page, selector) {
  await until(async () => {
    await page.evaluate((selector) => {
      globalThis.isClickAwaited = true;
      document.querySelector(selector).addEventListener('click', () => (globalThis.isClickAwaited = false), { capture: true, once: true });
    }, selector);
    await page.click(selector);
    // After a click that leaves the page, the next one awaits nothing.
    return page.evaluate(() => globalThis.isClickAwaited !== true).catch(() => true);
  });
}

/** Waits until `ask` answers something true. While a page is being left it may fail, so only its last failure counts. */
async function until(ask) {
  let trouble;
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    try {
      if (await ask()) return;
      trouble = undefined;
    } catch (error) {
      trouble = error;
    }
  }
  throw new Error(`not within ${WAIT_MS} ms${trouble ? `: ${trouble.message}` : ''}`);
}

/** Runs `test` on a tab of WebKitGTK's MiniBrowser, on a display of its own. @param {(tab: Tab) => Promise<void>} test */
export async function inWebKit(test) {
  const packages = 'webkit2gtk-driver xvfb xauth';
  const driver = installed('WEBKIT_DRIVER', ['/usr/bin/WebKitWebDriver'], packages);
  const display = installed('XVFB_RUN', ['/usr/bin/xvfb-run'], packages);
  const binary = installed('MINIBROWSER', miniBrowsers(), packages);
  const port = await freePort();
  // Its own group, so that the display and the browser end with it.
  const server = spawn(display, ['-a', driver, `--port=${port}`], { detached: true, stdio: 'ignore' });
  try {
    await listening(port, server);
    const wanted = new Capabilities({ browserName: 'MiniBrowser', 'webkitgtk:browserOptions': { binary, args: ['--automation'] } });
    const session = await new Builder().usingServer(`http://127.0.0.1:${port}`).withCapabilities(wanted).build();
    try {
      await session.manage().setTimeouts({ script: WAIT_MS, pageLoad: WAIT_MS });
      await test(webDriverTab(session, await session.getWindowHandle()));
    } finally {
      await session.quit().catch(() => undefined);
    }
  } finally {
    process.kill(-server.pid);
  }
}

/** A tab of a WebDriver session, which acts on one window at a time. */
function webDriverTab(session, window) {
  const here = () => session.switchTo().window(window);
  const find = async (selector) => (await here(), session.findElement(By.css(selector)));
  const run = async (fn, ...values) => (await here(), session.executeScript(`return (${fn})(...arguments)`, ...values));
  return {
    go: async (url) => (await here(), session.get(url)),
    reload: async () => (await here(), session.navigate().refresh()),
    back: async () => (await here(), session.navigate().back()),
    run,
    until: (fn, ...values) => until(() => run(fn, ...values)),
    click: async (selector) => (await find(selector)).click(),
    async type(selector, text) {
      const field = await find(selector);
      await run((selector) => document.querySelector(selector).select(), selector);
      await field.sendKeys(text, Key.ESCAPE, Key.ENTER);
    },
    async hold(key, times) {
      const keys = { ArrowRight: Key.ARROW_RIGHT, ArrowLeft: Key.ARROW_LEFT }[key];
      await here();
      await session.switchTo().activeElement().sendKeys(keys.repeat(times));
    },
    give: async (selector, paths) => (await find(selector)).sendKeys(paths.join('\n')),
    async another() {
      await here();
      await session.switchTo().newWindow('tab');
      return webDriverTab(session, await session.getWindowHandle());
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits until the WebDriver program is ready. */
async function listening(port, server) {
  for (const end = Date.now() + 30_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 100))) {
    assert.equal(server.exitCode, null, 'WebKitWebDriver ended at its start');
    const status = await fetch(`http://127.0.0.1:${port}/status`).then((reply) => reply.json(), () => null);
    if (status?.value?.ready) return;
  }
  assert.fail('WebKitWebDriver did not start within 30 seconds');
}
