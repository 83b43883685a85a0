import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import { resultOf, viewOf } from '../../../service/archive/scan-view.ts';
import { accepted, refused, unknown } from '../../../service/paperless/destination.ts';
import {
  assembled,
  begun,
  dms,
  ended,
  resumed,
  page,
  planned,
  recordOf,
  STORED_ID,
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';

const test = suite('a scan as scan.json and callers see it');

const DESTINATIONS = [dms('http://a'), dms('http://b'), dms('http://c')];
const MADE = [
  begun({ destinations: DESTINATIONS }),
  page(1),
  page(2),
  planned([1, 2]),
  assembled(),
];

/** What was sent, and what is shown at each destination while the scan runs here, and once it does not. */
const SHOWN: [string, NewScanEvent[], string[], string[]][] = [
  ['nothing', [], [], []],
  ['an upload that is under way', [uploadBegun()], [], ['unknown']],
  [
    'one that was accepted, the next one under way',
    [uploadBegun(), uploadEnded(accepted('t')), uploadBegun(0, 1)],
    ['accepted'],
    ['accepted', 'unknown'],
  ],
  [
    'one that was refused and is made again',
    [uploadBegun(), uploadEnded(refused('no')), uploadBegun()],
    ['refused'],
    ['unknown'],
  ],
  [
    'only the last one',
    [uploadBegun(0, 2), uploadEnded(accepted('t'), 0, 2)],
    ['refused', 'refused', 'accepted'],
    ['refused', 'refused', 'accepted'],
  ],
];

for (const [what, events, running, left] of SHOWN) {
  test(`of ${what} a caller sees ${running.join(', ') || 'nothing'}; ${left.join(', ') || 'nothing'} once nobody is at it`, () => {
    const record = recordOf([...MADE, ...events]);
    assert.equal(viewOf(record, true).documents[0]?.outcomes, running);
    assert.equal(viewOf(record, false).documents[0]?.outcomes, left);
  });
}

test('an upload under way is never shown as one that was cut off', () => {
  const record = recordOf([...MADE, uploadBegun(), uploadEnded(refused('no')), uploadBegun()]);
  assert.not.match(JSON.stringify(viewOf(record, true)), 'cut off');
  assert.match(JSON.stringify(viewOf(record, false)), 'cut off');
});

test('a destination whose turn has not come is shown as failed only beside a later one', () => {
  const record = recordOf([...MADE, uploadBegun(0, 1), uploadEnded(accepted('t'), 0, 1), ended()]);
  const [document] = viewOf(record, false).documents;
  assert.equal(document?.destinations, [
    { status: 'failed', error: 'The upload has not begun.' },
    { status: 'submitted', task_id: 't' },
  ]);
});

test('says of an upload of which nobody knows what to look for, where, and what to do then', () => {
  const record = recordOf([...MADE, uploadBegun(), uploadEnded(unknown('gone'))]);
  const [doubt = ''] = resultOf(record).warnings;
  assert.match(doubt, /^It is unknown whether \S+ accepted \S+-document-0001\.pdf\. /);
  assert.match(doubt, /the title ".+" or the file name "\S+-document-0001\.pdf"/);
  assert.match(doubt, `POST {"resend_unknown": true} to /scans/${STORED_ID}/resume`);
});

test('a back that was fed again is shown as replaced before any document is planned', () => {
  const backs = [resumed({ stage: 'scan', side: 'backs' }), page(3, { sheet: 2, side: 'back' })];
  const again = resumed({ stage: 'scan', side: 'backs' });
  const mismatch = ended({
    state: 'held',
    error: { error: 'sheet_count_mismatch', message: 'No.' },
  });
  const events = [begun(), page(1), page(2), ...backs, mismatch, again];
  const record = recordOf([...events, page(4, { sheet: 2, side: 'back' })]);
  assert.equal(viewOf(record, true).dropped_pages, [{ page: 3, reason: 'replaced' }]);
});

test.run();
