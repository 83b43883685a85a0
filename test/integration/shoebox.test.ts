import path from 'node:path';
import type { ScanDetails } from '../../service/archive/scan-details.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { printSheets, type PrintedSheets } from '../support/print-sheets.ts';
import { textOfPdf } from '../support/pages.ts';
import { assert, suite } from '../support/suite.ts';
import { DOCUMENTS, SEPARATORS, shoebox } from './support/shoebox.ts';

interface Fixture {
  appliance: Appliance;
  paper: PrintedSheets;
}

const test = suite<Fixture>('a shoebox of mixed mail');

/** The front of this sheet jams, in the middle of a document. */
const JAMMED_SHEET = 22;

test.before(async (context) => {
  context.paper = await printSheets(await shoebox());
  context.appliance = await startAppliance({
    profiles: [
      {
        name: 'shoebox',
        source: 'ADF Duplex',
        resolution: 150,
        assembly: {
          page_grouping: 'separator',
          remove_blank_pages: 'backs',
          barcodes: { metadata: true },
        },
        title: '{first_line}',
      },
    ],
  });
});

test.after(async ({ appliance, paper }) => {
  await appliance.close();
  await paper.remove();
});

test('every document is right, also across a jam', async ({ appliance, paper }) => {
  const { scanner, dms } = appliance;
  scanner.load(paper.sheets);
  scanner.setFault({ kind: 'jam', atPage: 2 * JAMMED_SHEET - 1 });
  const jammed = await appliance.scan({ profile: 'shoebox' });
  assert.is(jammed.json?.['error'], 'scanner_jammed', jammed.text);
  const id = String(jammed.json?.['scan_id']);
  assert.is(jammed.json?.['page_count'], 2 * (JAMMED_SHEET - 1));
  scanner.setFault(null);
  const answer = await appliance.scan({ continue_scan: id });
  assert.is(answer.status, 200, answer.text);
  const result = answer.json as unknown as ScanResult;

  // Page 2 n - 1 is the front of sheet n.
  const pagesOfSheet = (sheet: number): number[] => [2 * sheet - 1, 2 * sheet];
  const dropped = new Map(result.dropped_pages.map(({ page, reason }) => [page, reason]));
  assert.is(result.page_count, 2 * paper.sheets.length);
  assert.equal(
    SEPARATORS.flatMap(pagesOfSheet).filter((page) => dropped.get(page) !== 'separator'),
    [],
  );
  assert.equal(
    result.documents.map(({ pages }) => pages),
    DOCUMENTS.map(({ sheets }) =>
      sheets.flatMap(pagesOfSheet).filter((page) => !dropped.has(page)),
    ),
  );
  const kept = result.documents.flatMap(({ pages }) => pages).filter((page) => page % 2 === 0);
  assert.equal(
    kept,
    DOCUMENTS.flatMap(({ backs }) => backs.map((sheet) => 2 * sheet)),
  );

  for (const [index, { filename }] of result.documents.entries()) {
    const texts = await textOfPdf(path.join(appliance.scansDir, id, filename));
    for (const sheet of DOCUMENTS[index]?.sheets ?? []) {
      assert.match(
        texts.join('\n'),
        new RegExp(`number ${sheet} of the shoebox`),
        `sheet ${sheet}`,
      );
    }
  }
  const details = (await appliance.get(`/scans/${id}`)).json as unknown as ScanDetails;
  const turned = details.page_facts.filter((facts) => facts.turned === 180);
  assert.equal(
    turned.map(({ sheet }) => sheet),
    [17, 18],
  );

  await dms.idle();
  const filed = dms.documents();
  assert.equal(
    filed.map(({ title }) => title),
    DOCUMENTS.map(({ title }) => title),
  );
  const sent = dms.uploads().map(({ fields }) => Object.fromEntries(fields));
  assert.equal(
    sent.map((fields) => fields['archive_serial_number']),
    DOCUMENTS.map(({ serialNumber }) => serialNumber),
  );
  assert.equal(
    sent.map((fields) => [fields['tags'], fields['correspondent'], fields['document_type']]),
    DOCUMENTS.map(({ tag, correspondent, type }) => [tag, correspondent, type]),
  );
  assert.equal(
    result.warnings
      .filter((warning) => !/jam|sheet/i.test(warning))
      .map((warning) => warning.split('.')[0]),
    // The note in pencil.
    ['No text was found on page 4, which is not blank'],
  );
});
