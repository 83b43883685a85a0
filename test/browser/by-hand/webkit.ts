/**
 * Drives the page with WebKit, the engine of every browser on an iPhone. By hand, with Debian's
 * `webkit2gtk-driver` and `xvfb`: `xvfb-run -a node test/browser/by-hand/webkit.ts [FOLDER]`. Saves
 * screenshots in the folder.
 */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startAppliance } from '../../support/appliance/appliance.ts';
import { cleanPages } from '../../support/pages.ts';
import { openWebKit, type WebKitPage } from './webdriver.ts';

const FOLDER = path.resolve(process.argv[2] ?? '.tools/webkit');
const SHOWN_MS = 120_000;
const ASK_EVERY_MS = 100;
const SETTLED_MS = 2000;

/** Waits for pending data and images first. */
async function picture(name: string): Promise<void> {
  await wait(SETTLED_MS);
  await session.picture(path.join(FOLDER, `${name}.png`));
}

function step(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 23)} ${text}\n`);
}

/** Waits for this heading. Resolves with the page counts shown until then. */
async function says(session: WebKitPage, heading: string): Promise<readonly number[]> {
  const counts = new Set<number>();
  const until = performance.now() + SHOWN_MS;
  while (performance.now() < until) {
    const [headings, count] = (await session.evaluate(
      `[[...document.querySelectorAll('h1')].filter((one) => one.checkVisibility()).map((one) => one.textContent), document.querySelectorAll('#pages li').length]`,
    )) as [readonly string[], number];
    counts.add(count);
    if (headings.includes(heading)) {
      step(`it says "${heading}"; pages shown meanwhile: ${[...counts].join(' ')}`);
      return [...counts];
    }
    await wait(ASK_EVERY_MS);
  }
  throw new Error(`The page does not say "${heading}".`);
}

await mkdir(FOLDER, { recursive: true });
const pages = cleanPages()
  .slice(0, 6)
  .map(({ file }) => file);
const appliance = await startAppliance({
  scanner: { pages, pagesPerMinute: 40 },
  profiles: [
    { name: 'letters', description: 'Letters', source: 'ADF', mode: 'Gray', resolution: 150 },
  ],
});
const session = await openWebKit();
try {
  const browser = await session.evaluate('navigator.userAgent');
  step(String(browser));
  await session.open(`http://127.0.0.1:${appliance.service.port()}/`);
  await says(session, 'What are you scanning?');
  await session.click('.more');
  await wait(1000);
  await session.type('#title', 'Six letters');
  await session.click('.sheet .round');
  await picture('1-start');
  await session.click('button.profile');
  await says(session, 'Scanning');
  await picture('2-scanning');
  await says(session, 'Filed');
  await picture('3-filed');
  step(String(await session.evaluate(`document.querySelector('#documents').textContent`)));
  await session.click('#documents a.open');
  await wait(2000);
  step(`windows: ${await session.windows()}`);
  const link = String(await session.evaluate(`document.querySelector('#documents a.open').href`));
  step(`the link gives ${(await fetch(link)).headers.get('content-type')}`);

  appliance.scanner.load(pages);
  await session.click('#back');
  await says(session, 'What are you scanning?');
  await session.click('#hold');
  await session.click('button.profile');
  await says(session, 'Not filed yet');
  await picture('4-held');
  await session.click('#page-2 button');
  await picture('5-large');
  await session.click('.tools button');
  await wait(SETTLED_MS);
  step(String(await session.evaluate(`document.querySelector('#viewer-title').textContent`)));
  await session.click('.viewer header button:last-child');
  await session.click('#actions button');
  await says(session, 'Filed');
  step(String(await session.evaluate(`document.querySelector('#advice').textContent`)));
  await picture('6-left-out');

  await session.click('#actions button');
  await says(session, 'The feeder is empty');
  await picture('7-empty');
  appliance.scanner.load(pages);
  appliance.scanner.setFault({ kind: 'jam', atPage: 4 });
  await session.click('#actions button');
  await says(session, 'Paper jam');
  await picture('8-jam');
  appliance.scanner.setFault(null);
  await session.click('#actions button');
  await says(session, 'Scanning');
  await session.evaluate('location.reload()');
  await says(session, 'Filed');
  await picture('9-gone-on');
  const { scans } = (await appliance.get('/scans')).json as { scans: readonly object[] };
  step(`scans: ${scans.map((scan) => JSON.stringify(scan)).join('\n  ')}`);
} catch (error) {
  await picture('failed');
  throw error;
} finally {
  await session.close();
  await appliance.close();
}
