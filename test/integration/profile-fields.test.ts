import path from 'node:path';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { imagesOf } from '../helpers/processor/support/inspect-pdf.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { recoveredShare, shippedPage, textOfPdf } from '../support/pages.ts';
import { assert, suite } from '../support/suite.ts';

/** A feeder with a white backing, as most have, and without Lineart. */
const test = suite<{ appliance: Appliance }>('fields of a profile, on ordinary hardware');

withAppliance(test, {
  profiles: [
    { name: 'auto', source: 'ADF', resolution: 150, page_size: 'auto' },
    { name: 'lineart', source: 'ADF', resolution: 200, mode: 'Lineart' },
  ],
});

async function scan(appliance: Appliance, body: object): Promise<ScanResult> {
  const answer = await appliance.scan(body);
  assert.is(answer.status, 200, answer.text);
  return answer.json as unknown as ScanResult;
}

function documentFile({ scansDir }: Appliance, { scan_id, documents }: ScanResult): string {
  return path.join(scansDir, scan_id, documents[0]?.filename ?? '');
}

test('Lineart and page_size auto need no scanner that has them', async ({ appliance }) => {
  const { json } = await appliance.get('/self-test?refresh=true');
  const checks = json?.['checks'] as { id: string; subject: string; status: string }[];
  const options = checks.filter(({ id }) => id === 'scanner.options');
  assert.equal(
    options.map(({ subject, status }) => `${subject} ${status}`),
    ['auto ok', 'lineart ok'],
  );
});

test('page_size auto on a white backing keeps all, and warns', async ({ appliance }) => {
  const receipt = shippedPage('receipt');
  appliance.scanner.load([receipt.file]);
  const result = await scan(appliance, { profile: 'auto' });
  assert.match(result.warnings.join(), /^Page 1 was not cut to the paper: its edges/);
  const file = documentFile(appliance, result);
  // The largest page of this scanner.
  assert.equal(await imagesOf(file), [{ width: 1275, height: 2100, encoding: 'jpeg', dpi: 150 }]);
  assert.ok(recoveredShare(receipt.text, (await textOfPdf(file)).join(' ')) > 0.9);
});

test('a page fed sideways is turned, read and stored as 1 bit', async ({ appliance }) => {
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
