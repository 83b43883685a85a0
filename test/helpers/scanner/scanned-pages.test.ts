import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ScanRequest } from '../../../helpers/ipc/messages.ts';
import { createFakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { FEEDER_OPTIONS } from '../../support/fake-scanimage/fake-scanimage.ts';

const test = suite('the pages of a scan');

const DUPLEX_OPTION = { source: 'ADF', scanner_options: { duplex: true } };
const SIDES: [string, Partial<ScanRequest>, boolean, [number, string][]][] = [
  [
    'simplex',
    { source: 'ADF' },
    false,
    [
      [4, 'front'],
      [5, 'front'],
      [6, 'front'],
    ],
  ],
  [
    'duplex',
    { source: 'ADF Duplex' },
    true,
    [
      [4, 'front'],
      [4, 'back'],
      [5, 'front'],
    ],
  ],
  [
    'duplex by an option',
    DUPLEX_OPTION,
    true,
    [
      [4, 'front'],
      [4, 'back'],
      [5, 'front'],
    ],
  ],
];
for (const [title, changes, duplex, sides] of SIDES) {
  test(`in ${title} numbers pages without gaps, and says the sheet and side of each`, async () => {
    const scan = 'for n in 3 4 5; do prompt $n; page $n; done; prompt 6';
    const options = `${FEEDER_OPTIONS}    --duplex[=(yes|no)] [no]\n`;
    const bench = await createFakeBench({ scan, options });
    const places = { first_page: 3, first_sheet: 4 };
    const summary = await bench.scan(await bench.request({ ...places, ...changes }));
    assert.is(summary.duplex, duplex);
    assert.equal(
      bench.pages.map(({ number }) => number),
      [3, 4, 5],
    );
    assert.equal(
      bench.pages.map(({ sheet, side }) => [sheet, side]),
      sides,
    );
    await bench.close();
  });
}

test.run();
