import { AxeBuilder } from '@axe-core/playwright';
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
import { assert, temporaryDirectory } from '../support/suite.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { testProfile } from '../support/test-profile.ts';
import { createPlayedFeeder, type PlayedFeeder } from './played-feeder.ts';

/** For what a browser shows on a machine that is busy with OCR. In milliseconds. */
const SHOWN_MS = 60_000;

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where pictures go. `SCREENSHOTS=docs/images npm test -- browser` renews those of the docs: only files that are there are written in that directory. */
const SCREENSHOTS = path.resolve(ROOT, process.env['SCREENSHOTS'] ?? '.tools/screenshots');

/** The control page of a service in a browser; its scanner and its processor are played. */
export interface PageBench {
  readonly app: TestApp;
  readonly root: string;
  readonly dms: SampleDms;
  readonly feeder: PlayedFeeder;
  /** Holds the text recognition back until the function returned is called, which may end it as that of a processor that is away. */
  readonly holdReading: () => (failure?: Failure) => void;
  /** A new browser, which knows nothing of the others. */
  readonly open: (address?: string, options?: BrowserContextOptions) => Promise<Page>;
  close(): Promise<void>;
}

export interface PageBenchOptions {
  readonly profiles?: readonly { name: string; description?: string; destinations?: object[] }[];
  readonly problems?: readonly ProfileProblem[];
  readonly token?: string;
  /** Where a browser finds the document system. */
  readonly publicUrl?: string;
  /** Stores scans of the past. */
  readonly store?: (root: string) => Promise<void>;
}

/** An iPhone, as the person beside the scanner holds one. */
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  deviceScaleFactor: 2,
  hasTouch: true,
  reducedMotion: 'reduce',
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
};

const DEFAULT_PROFILES = [
  { name: 'default', description: 'Letters and invoices' },
  { name: 'receipts', description: 'Receipts, one document per page' },
];

export async function createPageBench(options: PageBenchOptions = {}): Promise<PageBench> {
  const temporary = await temporaryDirectory();
  const root = path.join(temporary.path, 'scans');
  await mkdir(root);
  await options.store?.(root);
  const dms = await createSampleDms({
    tokens: ['token'],
    storeDir: path.join(temporary.path, 'dms'),
  });
  const { log } = capturedLog();
  const watchers = createScanWatchers();
  const archive = createScanArchive({ roots: () => [root], listener: watchers.listener, log });
  const feeder = createPlayedFeeder();
  let reading = Promise.resolve();
  const parts = playedParts({ feed: feeder.feed, recognize: () => reading });
  const profiles = (options.profiles ?? DEFAULT_PROFILES).map((fields): Profile =>
    testProfile({
      destinations: [{ kind: 'dms', base_url: dms.url, public_url: options.publicUrl }],
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
  const browser = await launch();
  return {
    app,
    root,
    dms,
    feeder,
    holdReading: () => {
      const held = Promise.withResolvers<void>();
      reading = held.promise;
      return (failure) => {
        reading = Promise.resolve();
        if (failure) held.reject(failure);
        else held.resolve();
      };
    },
    open: (address = '/', context = {}) => {
      return openPage(browser, new URL(address, `http://127.0.0.1:${app.port}`).href, context);
    },
    close: async () => {
      await browser.close();
      await app.close();
      await archive.close();
      await dms.close();
      await temporary.remove();
    },
  };
}

/** Opens an address on a phone that knows nothing of any other. */
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

/** Debian's Chromium, which calls nobody but the page. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

/** What assistive technology could not use of the page as it is now: nothing. */
export async function checkAccessible(page: Page): Promise<void> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  assert.equal(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
    [],
  );
}

/** Waits until the page says that. */
export async function says(page: Page, text: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: text }).waitFor();
}

/** Presses the button of that name. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('button', { name }).click();
}

/** Names of what can be done next. */
export function buttons(page: Page): Promise<string[]> {
  return page.locator('#actions button').allInnerTexts();
}

/** A picture waits so long for the images of its page, in milliseconds: a lazy one far below may never be decoded. */
const DECODE_MS = 5000;

/** Checks a state with `checkAccessible`, and keeps a picture of it, for the docs and for those who look at it. */
export async function takePicture(page: Page, name: string): Promise<void> {
  await checkAccessible(page);
  const file = path.join(SCREENSHOTS, `control-page-${name}.png`);
  if (process.env['SCREENSHOTS'] === undefined) await mkdir(SCREENSHOTS, { recursive: true });
  else if (!existsSync(file)) return;
  await page.evaluate(
    `Promise.race([
      Promise.all([...document.images].map((one) => one.decode().catch(() => {}))),
      new Promise((done) => setTimeout(done, ${DECODE_MS})),
    ])`,
  );
  const picture = await page.screenshot({ animations: 'disabled' });
  // A fifth of the size, and nothing that is seen of it.
  await sharp(picture).png({ palette: true }).toFile(file);
}
