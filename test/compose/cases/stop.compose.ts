import { attach, type ScanResult } from '../appliance.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('docker compose stop, down and up');
const appliance = await attach();

const STACK = ['letter-insurance.jpg', 'letter-bank.jpg', 'invoice.jpg', 'minutes.jpg'];

async function checksums(): Promise<Record<string, string>> {
  const printed = await appliance.node(
    'service',
    `const {createHash} = require('crypto'), fs = require('fs');
     const root = '/var/lib/scan-service/scans/';
     const files = fs.readdirSync(root, {recursive: true, withFileTypes: true})
       .filter((one) => one.isFile()).map((one) => one.parentPath + '/' + one.name);
     const hash = (file) => createHash('sha256').update(fs.readFileSync(file)).digest('hex');
     console.log(JSON.stringify(Object.fromEntries(files.map((file) => [file, hash(file)]))));`,
  );
  return JSON.parse(printed) as Record<string, string>;
}

function assertHolds(
  files: Record<string, string>,
  { scan_id, pages, documents }: ScanResult,
): void {
  const directory = `/var/lib/scan-service/scans/${scan_id}`;
  for (const { filename, sha256 } of documents) {
    assert.is(files[`${directory}/${filename}`], sha256);
  }
  for (const name of [...pages, 'events.jsonl', 'scan.json'])
    assert.type(files[`${directory}/${name}`], 'string');
}

await appliance.load('scanner', { pages: STACK.slice(0, 2) });
const earlier = await appliance.scanned({ profile: 'simplex' });
const before = await checksums();

test('the scan directory holds what was scanned and what was delivered', () => {
  assertHolds(before, earlier);
});

let last: ScanResult | undefined;

test('stop: a running scan is finished and answered before anything stops', async () => {
  const stack = await appliance.load('slowScanner', { pages: STACK });
  const scan = appliance.scanned({ profile: 'slow' });
  await Promise.race([stack.sent(1), scan]);
  const id = await appliance.container('service');
  const stopped = appliance.compose(['stop']);
  const result = await scan;
  assert.is(result.page_count, STACK.length);
  assert.is(result.documents[0]?.destinations[0]?.status, 'submitted');
  await stopped;
  const state = await appliance.docker.run(['inspect', '-f', '{{.State.ExitCode}}', id]);
  assert.is(state.trim(), '0');
  last = result;
});

test('down and up: ready again, and the scan directory is as it was', async () => {
  await appliance.compose(['down']);
  await appliance.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  const after = await checksums();
  for (const [file, sum] of Object.entries(before)) assert.is(after[file], sum, file);
  if (last === undefined) throw new Error('no scan was stopped');
  assertHolds(after, last);
  await appliance.load('scanner', { pages: STACK.slice(0, 1) });
  assert.is((await appliance.scanned({ profile: 'simplex' })).page_count, 1);
});
