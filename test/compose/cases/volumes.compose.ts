import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attach } from '../appliance.ts';

const test = suite('the scan directory');
const appliance = await attach();
await appliance.ready();

/** Every file below the scan directories of all scans, with its SHA-256. */
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

test('holds what was scanned and what was delivered', async () => {
  await appliance.load('scanner', { pages: ['letter-bank.jpg', 'invoice.jpg'] });
  const result = await appliance.scanned({ profile: 'simplex' });
  const files = await checksums();
  const [document] = result.documents;
  const directory = `/var/lib/scan-service/scans/${result.scan_id}`;
  assert.is(files[`${directory}/${document?.filename}`], document?.sha256);
  for (const page of result.pages) assert.type(files[`${directory}/${page}`], 'string');
  assert.type(files[`${directory}/scan.json`], 'string');
});

test('is the same after docker compose down and up', async () => {
  const before = await checksums();
  await appliance.compose(['down']);
  await appliance.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  assert.equal(await checksums(), before);
});

test.run();
