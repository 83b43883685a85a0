import axe from 'axe-core';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import sharp from 'sharp';
import type { Failure } from '../../helpers/failure.ts';
import { createSampleDms, type SampleDms } from '../../simulators/sample-dms/sample-dms.ts';
import { createScanArchive } from '../../service/archive/scan-archive.ts';
import { createScanWatchers } from '../../service/http/events/scan-watchers.ts';
import type { ProfileProblem } from '../../service/profiles/problems.ts';
import type { Profile } from '../../service/profiles/profile.ts';
import { createScans } from '../../service/scan/call/scans.ts';
import { capturedLog } from '../support/captured-log.ts';
import { playedParts } from '../support/scan-parts.ts';
import { assert, withFixture, type FixtureTest } from '../support/suite.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { testProfile } from '../support/test-profile.ts';
import { createCable, type Cable } from './cable.ts';
import { createPlayedFeeder, type PlayedFeeder } from './played-feeder.ts';

const SHOWN_MS = 60_000;

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * `SCREENSHOTS=docs/images npm test -- browser` updates the screenshots in the docs. Any other
 * directory receives all screenshots.
 */
const SCREENSHOTS = process.env['SCREENSHOTS'];

/** The control page of a service with a simulated scanner and processor, in a browser. */
export interface PageBench {
  readonly app: TestApp;
  readonly root: string;
  readonly dms: SampleDms;
  readonly feeder: PlayedFeeder;
  readonly cable: Cable;
  /** Pauses text recognition until the returned function is called, optionally with a failure. */
  readonly holdReading: () => (failure?: Failure) => void;
  readonly open: (address?: string, options?: BrowserContextOptions) => Promise<Page>;
  close(): Promise<void>;
}

interface PageBenchOptions {
  readonly profiles?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly source?: string;
    readonly assembly?: { readonly page_grouping: string };
    readonly title?: string;
    readonly publicUrl?: string;
    /** Keeps documents on the machine. */
    readonly isLocal?: boolean;
  }[];
  readonly problems?: readonly ProfileProblem[];
  readonly token?: string;
  readonly store?: (root: string) => Promise<void>;
}

/** An iPhone, held by the person at the scanner. */
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  // More pixels are slower, and only screenshots need them.
  deviceScaleFactor: SCREENSHOTS === undefined ? 1 : 2,
  hasTouch: true,
  reducedMotion: 'reduce',
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
};

const DEFAULT_PROFILES: NonNullable<PageBenchOptions['profiles']> = [
  { name: 'default', description: 'Letters and invoices', title: 'Letter of {date}' },
  {
    name: 'receipts',
    description: 'Receipts, one document per page',
    publicUrl: 'https://paperless.example/docs/',
  },
  { name: 'both', description: 'Both sides of a sheet', source: 'ADF Duplex' },
  { name: 'glass', description: 'One page from the glass', source: 'Flatbed' },
];

/** A suite whose tests each get a page bench. All share a browser. */
export function pageTests(title: string, options: PageBenchOptions = {}): FixtureTest<PageBench> {
  let browser: Promise<Browser> | undefined;
  const test = withFixture(title, async (directory) => {
    browser ??= launch();
    return createPageBench(await browser, directory, options);
  });
  test.after(async () => (await browser)?.close());
  return test;
}

export async function createPageBench(
  browser: Browser,
  directory: string,
  options: PageBenchOptions = {},
): Promise<PageBench> {
  const root = path.join(directory, 'scans');
  await mkdir(root);
  await options.store?.(root);
  const dms = await createSampleDms({ tokens: ['token'], storeDir: path.join(directory, 'dms') });
  const { log } = capturedLog();
  const watchers = createScanWatchers();
  const archive = createScanArchive({ roots: () => [root], listener: watchers.listener, log });
  const feeder = createPlayedFeeder();
  let reading = Promise.resolve();
  const parts = playedParts({ feed: feeder.feed, recognize: () => reading });
  const profiles = (options.profiles ?? DEFAULT_PROFILES).map(
    ({ publicUrl, isLocal = false, ...fields }): Profile =>
      testProfile({
        destinations: isLocal ? [] : [{ kind: 'dms', base_url: dms.url, public_url: publicUrl }],
        paths: { output_dir: root },
        ...fields,
      }),
  );
  const scans = createScans(parts, archive, log);
  const app = await startTestApp({
    profiles,
    problems: options.problems ?? [],
    archive,
    watchers,
    scans,
    ...(options.token !== undefined && { token: options.token }),
  });
  const cable = await createCable(app.port);
  const pages: Page[] = [];
  return {
    app,
    root,
    dms,
    feeder,
    cable,
    holdReading: () => {
      const held = Promise.withResolvers<void>();
      reading = held.promise;
      return (failure) => {
        reading = Promise.resolve();
        if (failure) held.reject(failure);
        else held.resolve();
      };
    },
    open: async (address = '/', context = {}) => {
      const { href } = new URL(address, `http://127.0.0.1:${app.port}`);
      const page = await openPage(browser, href, context);
      pages.push(page);
      return page;
    },
    close: async () => {
      for (const page of pages) {
        if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
        await page.context().close();
      }
      await cable.close();
      await app.close();
      await archive.close();
      await dms.close();
    },
  };
}

/** Opens an address on a new phone without shared state. */
export async function openPage(
  browser: Browser,
  address: string,
  context: BrowserContextOptions = {},
): Promise<Page> {
  const opened = await browser.newContext({ ...PHONE, ...context });
  opened.setDefaultTimeout(SHOWN_MS);
  const page = await opened.newPage();
  await page.goto(address);
  return page;
}

/** Debian's Chromium without background requests. Headless is twice as fast. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export async function checkAccessible(page: Page): Promise<void> {
  await page.evaluate(`globalThis.axe ?? (() => { ${axe.source} })()`);
  const options = { runOnly: RULES, resultTypes: ['violations'], elementRef: false };
  const violations = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  assert.equal(violations, []);
}

export async function says(page: Page, text: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: text }).waitFor();
}

/** Scans this many pages with one press, then reports an empty feeder. */
export async function scanPages(
  page: Page,
  feeder: PlayedFeeder,
  count = 1,
  profile = /Letters and invoices/,
): Promise<void> {
  await press(page, profile);
  await feeder.feedPages(count);
  feeder.end();
}

/** Like `scanPages`, then waits until the pages are filed. */
export async function filePages(...scan: Parameters<typeof scanPages>): Promise<void> {
  await scanPages(...scan);
  await says(scan[0], 'Filed');
}

export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
}

export async function openOptions(page: Page, button = /Letters/): Promise<void> {
  const card = page.locator('.card').filter({ hasText: button });
  await card.getByRole('button', { name: 'Options' }).click();
}

export async function scanWithOptions(page: Page): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name: 'Scan', exact: true }).click();
}

export async function giveTitle(page: Page, title: string, button?: RegExp): Promise<void> {
  await openOptions(page, button);
  await page.getByLabel('Title of the next scan').fill(title);
  await press(page, 'Close');
}

/** Waits until the page shows this count, such as `2 pages`. */
export async function counts(page: Page, pages: string): Promise<void> {
  await page.getByText(pages, { exact: true }).waitFor();
}

export async function holdRequests(page: Page, url: string | RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    await held.promise;
    await route.continue();
  });
  return held.resolve;
}

export function postsOf(page: Page): string[] {
  const posts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(new URL(request.url()).pathname);
  });
  return posts;
}

export const SCAN = /\/scans\/[\w-]+$/;

export async function changeScan(
  page: Page,
  change: (scan: { page_states: object[]; documents: object[] }) => object,
): Promise<void> {
  await page.route(SCAN, async (route) => {
    const response = await route.fetch();
    const scan: { page_states: object[]; documents: object[] } = await response.json();
    await route.fulfill({ json: { ...scan, ...change(scan) } });
  });
}

export function buttons(page: Page): Promise<string[]> {
  return page.locator('#actions button').allInnerTexts();
}

/** A lazy image far below the screen may never be decoded. */
const DECODE_MS = 5000;

/** Runs `checkAccessible`, and takes a screenshot if requested. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await checkAccessible(page);
  if (SCREENSHOTS === undefined) return;
  const file = path.resolve(ROOT, SCREENSHOTS, `control-page-${name}.png`);
  if (SCREENSHOTS.startsWith('docs/') && !existsSync(file)) return;
  await page.evaluate(
    `Promise.race([
      Promise.all([...document.images].map((one) => one.decode().catch(() => {}))),
      new Promise((done) => setTimeout(done, ${DECODE_MS})),
    ])`,
  );
  const picture = await page.screenshot({ animations: 'disabled' });
  // A palette gives a fifth of the size without a visible difference.
  await sharp(picture).png({ palette: true }).toFile(file);
}
