import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import { deliveriesOf, resultDocuments, storedForm } from '../../../service/archive/stored-form.ts';
import { accepted, refused } from '../../../service/paperless/destination.ts';
import { sha256 } from '../../support/scan-parts.ts';
import {
  assembled,
  begun,
  dms,
  DOCUMENT,
  ended,
  jammedScan,
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

test('scan.json has the result so far, the state, and what the scan began with', () => {
  const form = storedForm(recordOf(jammedScan({ name: 'a' })));
  assert.equal(Object.keys(form).toSorted(), [
    'documents',
    'dropped_pages',
    'duration_ms',
    'ended_at',
    'error',
    'page_count',
    'pages',
    'profile',
    'request',
    'scan_id',
    'settings',
    'stage',
    'started_at',
    'state',
    'timings_ms',
    'warnings',
  ]);
  assert.is(form.scan_id, STORED_ID);
  assert.is(form.page_count, 2);
  assert.equal(form.pages, ['page-0001.tif', 'page-0002.tif']);
  assert.is(form.settings.name, 'a');
});

test('a document is shown when it is complete, with exactly the fields of a result', () => {
  const record = recordOf([...MADE.slice(0, 3), planned([1], [2]), assembled(1)]);
  assert.equal(resultDocuments(record), [
    {
      filename: 'document-0002.pdf',
      pages: [2],
      page_count: 1,
      bytes: DOCUMENT.length,
      sha256: sha256(DOCUMENT),
      confidence: null,
      no_text: [],
      destinations: [],
    },
  ]);
});

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
    const [document] = record.documents;
    assert.ok(document);
    const outcomes = (isOpen: boolean): string[] =>
      deliveriesOf(record, document, isOpen).map(({ outcome }) => outcome);
    assert.equal(outcomes(true), running);
    assert.equal(outcomes(false), left);
  });
}

test('an upload under way is never shown as one that was cut off', () => {
  const record = recordOf([...MADE, uploadBegun(), uploadEnded(refused('no')), uploadBegun()]);
  const text = JSON.stringify([storedForm(record), resultDocuments(record)]);
  assert.not.match(text, 'cut off');
  assert.match(JSON.stringify(resultDocuments(record, false)), 'cut off');
});

test('a destination whose turn has not come is shown as failed only beside a later one', () => {
  const record = recordOf([...MADE, uploadBegun(0, 1), uploadEnded(accepted('t'), 0, 1), ended()]);
  const [document] = resultDocuments(record, false);
  assert.equal(document?.destinations, [
    { status: 'failed', error: 'The upload has not begun.' },
    { status: 'submitted', task_id: 't' },
  ]);
});

test.run();
