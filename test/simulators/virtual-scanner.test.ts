import { once } from 'node:events';
import path from 'node:path';
import sharp from 'sharp';
import { PAGES_DIR, readManifest } from '../../simulators/pages/manifest.ts';
import { ScanJob } from '../../simulators/virtual-scanner/scan-job.ts';
import { createVirtualScanner } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { assert, EVENT_MS, suite, within } from '../support/suite.ts';

/** Covers only what other tests and the benchmark rely on without noticing its failure. */
const test = suite('virtual scanner and its pages');

const SETTINGS = {
  source: 'ADF',
  mode: 'Gray',
  resolution: 100,
  region: { x: 0, y: 0, width: 600, height: 900 },
  format: 'image/png',
} as const;

const XML = `<?xml version="1.0"?>
<scan:ScanSettings xmlns:scan="s" xmlns:pwg="p"><pwg:ScanRegions><pwg:ScanRegion>
<pwg:XOffset>0</pwg:XOffset><pwg:YOffset>0</pwg:YOffset><pwg:Width>600</pwg:Width><pwg:Height>900</pwg:Height>
</pwg:ScanRegion></pwg:ScanRegions><pwg:InputSource>Feeder</pwg:InputSource><scan:Duplex>false</scan:Duplex>
<scan:ColorMode>Grayscale8</scan:ColorMode><pwg:DocumentFormat>image/png</pwg:DocumentFormat>
<scan:XResolution>100</scan:XResolution><scan:YResolution>100</scan:YResolution></scan:ScanSettings>`;

const PAGE = path.join(PAGES_DIR, 'invoice.jpg');

function postJob(url: string): Promise<Response> {
  return fetch(`${url}/ScanJobs`, { method: 'POST', body: XML });
}

async function openJob(url: string): Promise<string> {
  return (await postJob(url)).headers.get('location') ?? '';
}

test('sheets arrive at the set pace for an eager client, and one is fed ahead for a late one', async () => {
  const pace = new ScanJob(SETTINGS, { pagesPerMinute: 60, orphanAfterMs: 1000 });
  const first = pace.startSheet();
  assert.is(Math.round(pace.startSheet() - first), 1000);
  const late = new ScanJob(SETTINGS, { pagesPerMinute: 6000, orphanAfterMs: 1000 });
  late.startSheet();
  await late.sheetThrough(new AbortController().signal);
  const asked = performance.now() + 50;
  while (performance.now() < asked);
  assert.ok(late.startSheet() <= performance.now() - 10);
});

test('a deleted job drops its current page and makes way for the next one', async () => {
  const scanner = await createVirtualScanner({ pages: [PAGE, PAGE], pagesPerMinute: 20 });
  const job = await openJob(scanner.url);
  assert.is((await postJob(scanner.url)).status, 503, 'there is one job at a time');
  const fed = once(scanner.events, 'sheet');
  const page = fetch(`${job}/NextDocument`);
  await within(EVENT_MS, fed, 'the sheet');
  assert.is((await fetch(job, { method: 'DELETE' })).status, 200);
  assert.is((await page).status, 404);
  assert.equal([scanner.state.sheetsFed, scanner.state.pagesSent], [1, 0]);
  assert.is((await postJob(scanner.url)).status, 201);
  await scanner.close();
});

test('after a jam no job opens until the paper is removed', async () => {
  const scanner = await createVirtualScanner({ pages: [PAGE, PAGE] });
  scanner.setFault({ kind: 'jam', atPage: 1 });
  const job = await openJob(scanner.url);
  assert.is.not((await fetch(`${job}/NextDocument`)).status, 200);
  await fetch(job, { method: 'DELETE' });
  assert.is.not((await postJob(scanner.url)).status, 201);
  scanner.setFault(null);
  assert.is((await postJob(scanner.url)).status, 201);
  await scanner.close();
});

test('the job of a client that leaves within a page ends, and the sheet is lost', async () => {
  const scanner = await createVirtualScanner({ pages: [PAGE], orphanAfterMs: 1000 });
  scanner.setFault({ kind: 'hang', where: 'midBody', atPage: 1 });
  const closed = once(scanner.events, 'closed');
  const client = new AbortController();
  const job = await openJob(scanner.url);
  const response = await fetch(`${job}/NextDocument`, { signal: client.signal });
  const half = Math.floor(Number(response.headers.get('content-length')) / 2);
  let received = 0;
  for await (const chunk of response.body ?? []) {
    received += chunk.length;
    if (received >= half) break;
  }
  client.abort();
  assert.is(received, half);
  const [{ by }] = await within(EVENT_MS, closed, 'the end of the job');
  assert.is(by, 'orphan');
  assert.equal([scanner.state.sheetsFed, scanner.state.pagesSent], [1, 0]);
  await scanner.close();
});

/** Requests to load paper that must be refused, and the expected error message. */
const UNLOADED: readonly (readonly [body: string, said: RegExp])[] = [
  ['{"pages":["nosuch.jpg"]}', /"nosuch\.jpg".* has: article-one\.jpg, .*receipt\.jpg/],
  ['{"pages":["receipt.jpg","nosuch.jpg"]}', /"nosuch\.jpg"/],
  ['{"pages":[{"front":"receipt.jpg","back":"nosuch.jpg"}]}', /"nosuch\.jpg"/],
  ['{"pages":["receipt.txt"]}', /"receipt\.txt"/],
  ['{"pages":["../pages"]}', /"\.\.\/pages"/],
  ['{"stack":"nosuch"}', /"nosuch"; there are: .*demo/],
  ['{"pages":[""]}', /pages\[0\]/],
  ['{"paper":[]}', /paper/],
  ['{"pages":', /JSON/],
];

test('paper that cannot be scanned is not loaded, and the answer says what is there', async () => {
  const scanner = await createVirtualScanner({ pages: [PAGE, PAGE] });
  const load = (body: string): Promise<Response> =>
    fetch(new URL('/control/load', scanner.url), { method: 'POST', body });
  for (const [body, said] of UNLOADED) {
    const answer = await load(body);
    assert.is(answer.status, 400, body);
    const { error } = (await answer.json()) as { readonly error: string };
    assert.match(error, said);
    assert.is(scanner.state.sheetsLeft, 2, body);
  }
  // Names are those of the shipped pages, whatever directory the program was started in.
  assert.is((await load('{"pages":["receipt.jpg"]}')).status, 200);
  assert.is(scanner.state.sheetsLeft, 1);
  await scanner.close();
});

test('the pages are A4 at 300 dpi, except on small paper', async () => {
  const { pages } = await readManifest();
  for (const { file, mode, tags } of pages) {
    const { width, height, density, channels } = await sharp(path.join(PAGES_DIR, file)).metadata();
    assert.is(density, 300, file);
    if (!tags.includes('small-paper')) assert.equal([width, height], [2480, 3508], file);
    if (file.endsWith('.jpg')) assert.is(channels, mode === 'gray' ? 1 : 3, file);
  }
});
