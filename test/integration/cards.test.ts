import path from 'node:path';
import type { ScanDetails } from '../../service/archive/scan-details.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { CARD_BACK, CARD_FRONT, cardOnGlass } from '../helpers/processor/support/card-sample.ts';
import { archiveLevelOf, factsOf, textOf } from '../helpers/processor/support/inspect-pdf.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { assert, suite } from '../support/suite.ts';
import type { TestAnswer } from '../support/send-to.ts';

const test = suite<{ appliance: Appliance }>('a card, from the scanner to the DMS');

withAppliance(test, {
  hasShippedProfiles: true,
  profiles: [
    {
      name: 'stack',
      source: 'ADF Duplex',
      mode: 'Color',
      page_size: 'auto',
      assembly: { page_grouping: 'card' },
    },
  ],
});

async function sideOf({ directory }: Appliance, lines: readonly string[]): Promise<string> {
  const file = path.join(directory, `${lines[0]}.png`);
  await cardOnGlass(lines).withMetadata({ density: 300 }).png().toFile(file);
  return file;
}

const resultOf = ({ status, json, text }: TestAnswer): ScanResult => {
  assert.is(status, 200, text);
  return json as unknown as ScanResult;
};

async function checkCard(
  { scansDir }: Appliance,
  { scan_id, documents }: ScanResult,
  pages: readonly number[],
): Promise<void> {
  assert.equal(
    documents.map((document) => [document.pages, document.page_count]),
    [[pages, 1]],
  );
  const file = path.join(scansDir, scan_id, 'document-0001.pdf');
  const { Pages: count, 'Page size': size } = await factsOf(file);
  assert.equal([count, size], ['1', '595.276 x 841.89 pts (A4)']);
  assert.is(await archiveLevelOf(file), '2B');
  const text = (await textOf(file)).replaceAll(/\s+/g, ' ');
  for (const line of [...CARD_FRONT, ...CARD_BACK]) assert.match(text, line);
}

test('both sides from the glass, with the shipped profile, the front scanned twice', async ({
  appliance,
}) => {
  const { scanner } = appliance;
  scanner.load([shippedPage('blank-back-plain').file]);
  const first = resultOf(await appliance.scan({ profile: 'card' }));
  assert.equal([first.state, first.documents], ['held', []]);
  const { scan_id: id } = first;
  const details = (await appliance.get(`/scans/${id}`)).json as unknown as ScanDetails;
  assert.is(details.kind, 'card');
  scanner.load([await sideOf(appliance, CARD_FRONT)]);
  const again = resultOf(await appliance.scan({ continue_scan: id, replaces: 1 }));
  assert.is(again.state, 'held');
  scanner.load([await sideOf(appliance, CARD_BACK)]);
  const filed = resultOf(await appliance.scan({ continue_scan: id }));
  assert.equal([filed.state, filed.warnings], ['finished', []]);
  await checkCard(appliance, filed, [2, 3]);
  assert.is(filed.documents[0]?.title, 'IDENTITY CARD');
});

test('both sides from a duplex feeder, in one call', async ({ appliance }) => {
  const [front, back] = await Promise.all(
    [CARD_FRONT, CARD_BACK].map((lines) => sideOf(appliance, lines)),
  );
  appliance.scanner.load([{ front: front ?? '', back: back ?? '' }]);
  const filed = resultOf(await appliance.scan({ profile: 'stack' }));
  assert.is(filed.state, 'finished');
  await checkCard(appliance, filed, [1, 2]);
});
