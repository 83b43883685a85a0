import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Crop } from '../../helpers/page-crop.ts';
import type { ScanDetails } from '../../service/archive/scan-details.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { askewReceipt, RECEIPT_MM } from '../helpers/processor/support/askew-scan.ts';
import { archiveLevelOf, imagesOf } from '../helpers/processor/support/inspect-pdf.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { recoveredShare, shippedPage, textOfPdf } from '../support/pages.ts';
import { sendTo } from '../support/send-to.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ appliance: Appliance }>('a receipt that a person crops');

withAppliance(test, {
  profiles: [{ name: 'default', source: 'Flatbed', resolution: 200, processing: { deskew: true } }],
});

interface Edited {
  readonly state: string;
  readonly page_states: ScanDetails['page_states'];
}

async function edit(appliance: Appliance, page: string, body: object): Promise<Edited> {
  const { status, json, text } = await sendTo(appliance.service.port(), {
    method: 'PATCH',
    path: page,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.is(status, 200, text);
  return json as unknown as Edited;
}

const sha256Of = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

test('is filed as proposed, upright and straight, although the service was killed; the raw page stays', async ({
  appliance,
}) => {
  appliance.scanner.load([await askewReceipt(appliance.directory)]);
  const held = await appliance.scan({ hold: true });
  assert.is(held.status, 200, held.text);
  const { scan_id: id } = held.json as unknown as ScanResult;
  const raw = path.join(appliance.scansDir, id, 'page-0001.tif');
  const before = await sha256Of(raw);
  const page = `/scans/${id}/pages/1`;
  const preview = await appliance.get(`${page}/preview`);
  const details = (await appliance.get(`/scans/${id}`)).json as unknown as ScanDetails;
  const crop = details.page_states[0]?.proposed_crop as Crop;
  assert.ok(crop.width < 0.5 && Math.abs(crop.angle - 6) < 0.5, JSON.stringify(crop));
  await edit(appliance, page, { crop: { ...crop, width: 0.02 } });
  const { page_states } = await edit(appliance, page, { crop });
  assert.equal(page_states[0]?.crop, crop);
  await appliance.service.stop('SIGKILL');
  await appliance.service.start();
  const filed = await appliance.post(`/scans/${id}/resume`, {});
  assert.is(filed.status, 200, filed.text);
  const { documents, warnings } = filed.json as unknown as ScanResult;
  assert.equal([documents.length, warnings], [1, []]);
  const file = path.join(appliance.scansDir, id, documents[0]?.filename ?? '');
  const receipt = shippedPage('receipt');
  assert.ok(recoveredShare(receipt.text, (await textOfPdf(file))[0] ?? '') > 0.9);
  const [image] = await imagesOf(file);
  const millimetres = [image?.width, image?.height].map((px = 0) => (px * 25.4) / 200);
  for (const [index, side] of RECEIPT_MM.entries()) {
    assert.ok(Math.abs((millimetres[index] ?? 0) - side) < 2, String(millimetres));
  }
  assert.is(await archiveLevelOf(file), '2B');
  assert.is(await sha256Of(raw), before);
  assert.equal((await appliance.get(`${page}/preview`)).text, preview.text);
});
