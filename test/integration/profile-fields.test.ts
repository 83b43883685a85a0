import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { imagesOf } from '../helpers/processor/support/inspect-pdf.ts';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { recoveredShare, shippedPage, textOfPdf } from '../support/pages.ts';
import { printStack } from './support/stacks.ts';

/** A feeder with a white backing, as most have, and without Lineart. */
const test = suite<{ appliance: Appliance }>('fields of a profile, on ordinary hardware');

test.before(async (context) => {
  context.appliance = await startAppliance({
    profiles: [
      { name: 'auto', source: 'ADF', resolution: 150, page_size: 'auto' },
      { name: 'lineart', source: 'ADF', resolution: 200, mode: 'Lineart' },
      { name: 'careful', source: 'ADF', resolution: 150, processing: { low_confidence: 85 } },
    ],
  });
  const { dms, service } = context.appliance;
  const { directory } = context.appliance;
  await copyFile(
    path.join(directory, 'secrets/dms_api_token'),
    path.join(directory, 'secrets/second_account'),
  );
  const loaded = service.nextLine(/"profiles":\[.*titles/);
  await context.appliance.writeProfile({
    name: 'titles',
    source: 'ADF',
    resolution: 150,
    title: '{n} of {count} {asn} {first_line}',
    assembly: { page_grouping: 'separator' },
    destinations: [
      { kind: 'dms', base_url: dms.url },
      {
        kind: 'dms',
        base_url: dms.url,
        token_secret: 'second_account',
        title: 'Box {n}',
        tags: ['Receipt'],
      },
    ],
  });
  await loaded;
});

test.after(({ appliance }) => appliance.close());

async function scan(appliance: Appliance, body: object): Promise<ScanResult> {
  const answer = await appliance.scan(body);
  assert.is(answer.status, 200, answer.text);
  return answer.json as unknown as ScanResult;
}

function documentFile({ scansDir }: Appliance, { scan_id, documents }: ScanResult): string {
  return path.join(scansDir, scan_id, documents[0]?.filename ?? '');
}

test('the self-test has nothing against Lineart and page_size auto on a scanner that has neither', async ({
  appliance,
}) => {
  const { json } = await appliance.get('/self-test?refresh=true');
  const checks = json?.['checks'] as { id: string; subject: string; status: string }[];
  const options = checks.filter(({ id }) => id === 'scanner.options');
  assert.equal(
    options.map(({ subject, status }) => `${subject} ${status}`),
    ['auto ok', 'careful ok', 'lineart ok', 'titles ok'],
  );
});

test('page_size auto on a white backing keeps the whole page, and a warning says so', async ({
  appliance,
}) => {
  const receipt = shippedPage('receipt');
  appliance.scanner.load([receipt.file]);
  const result = await scan(appliance, { profile: 'auto' });
  assert.match(result.warnings.join(), /^Page 1 was not cut to the paper: its edges/);
  const file = documentFile(appliance, result);
  // The largest page of this scanner.
  assert.equal(await imagesOf(file), [{ width: 1275, height: 2100, encoding: 'jpeg', dpi: 150 }]);
  assert.ok(recoveredShare(receipt.text, (await textOfPdf(file)).join(' ')) > 0.9);
});

test('a page that was fed sideways is turned, read, and stored in one bit per pixel', async ({
  appliance,
}) => {
  const roster = shippedPage('roster-landscape');
  appliance.scanner.load([roster.file]);
  const result = await scan(appliance, { profile: 'lineart' });
  assert.equal(result.warnings, []);
  const file = documentFile(appliance, result);
  const [image] = await imagesOf(file);
  assert.ok(image !== undefined && image.width > image.height);
  assert.match(image.encoding, /^(?:ccitt|jbig2)$/);
  assert.ok(recoveredShare(roster.text, (await textOfPdf(file)).join(' ')) > 0.95);
});

test('titles say what they are made of, each system has its own, and the date is that of the request', async ({
  appliance,
}) => {
  const paper = await printStack('separator', 'sticker', 'separator', 'letter');
  appliance.scanner.load(paper.sheets);
  const { documents } = await scan(appliance, { profile: 'titles', created: '2025-01-31' });
  await paper.remove();
  assert.equal(
    documents.map(({ pages }) => pages),
    [[2], [4]],
  );
  const sent = appliance.dms.uploads().slice(-4);
  const field = (name: string): (string | undefined)[] =>
    sent.map(({ fields }) => new Map(fields).get(name));
  assert.equal(field('title'), ['1 of 2 7 Sheet 2', 'Box 1', '2 of 2 Sheet 4', 'Box 2']);
  assert.equal(field('tags'), [undefined, '3', undefined, '3']);
  // The second destination is the same system, which may have filed the number by then.
  assert.equal(field('archive_serial_number').toSpliced(1, 1), ['7', undefined, undefined]);
  assert.equal(
    field('created'),
    Array.from(sent, () => '2025-01-31'),
  );
});

test('a page that could hardly be read is named, with its confidence', async ({ appliance }) => {
  const receipt = shippedPage('receipt');
  const blurred = path.join(appliance.directory, 'blurred.png');
  await sharp(receipt.file).blur(4.5).withMetadata({ density: 300 }).png().toFile(blurred);
  appliance.scanner.load([receipt.file, blurred]);
  const { warnings } = await scan(appliance, { profile: 'careful' });
  assert.match(
    warnings.join(),
    /^low_confidence: the text of these pages of document-0001\.pdf .*: 2 \(\d\d %\)\./,
  );
});

test.run();
