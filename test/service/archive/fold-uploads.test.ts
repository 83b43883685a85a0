import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { uploadOf } from '../../../service/archive/fold.ts';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import type { ScanRecord } from '../../../service/archive/scan-record.ts';
import { deliveryOf } from '../../../service/archive/deliveries.ts';
import { accepted, refused } from '../../../service/paperless/destination.ts';
import { testProfile } from '../../support/test-app.ts';
import {
  assembled,
  begun,
  dms,
  ended,
  page,
  planned,
  recordOf,
  resumed,
  uploadBegun,
  uploadEnded,
} from '../../support/stored-scan.ts';

const test = suite('what the events of a scan say of its uploads');

const [A, B] = [dms('http://a'), dms('http://b')];

/** A scan of two documents, up to where they are delivered. */
const MADE: readonly NewScanEvent[] = [
  begun({ destinations: [A, B] }),
  page(1),
  page(2),
  planned([1], [2]),
  assembled(0),
  assembled(1),
];

const outcomeOf = (record: ScanRecord, document: number, destination: number): string | undefined =>
  deliveryOf(uploadOf(record, { document, destination }), false)?.outcome;

test('an upload that has begun is under way, and unknown once nobody works on the scan', () => {
  const upload = uploadOf(recordOf([...MADE, uploadBegun()]), { document: 0, destination: 0 });
  assert.equal(upload, { isOpen: true, last: undefined });
  assert.is(deliveryOf(upload, true), undefined);
  assert.is(deliveryOf(upload, false)?.outcome, 'unknown');
});

test('an upload that is made again shows the last one until it ends', () => {
  const again = [...MADE, uploadBegun(), uploadEnded(refused('no')), uploadBegun()];
  const upload = uploadOf(recordOf(again), { document: 0, destination: 0 });
  assert.equal(deliveryOf(upload, true), refused('no'));
  assert.is(deliveryOf(upload, false)?.outcome, 'unknown');
  assert.is(outcomeOf(recordOf([...again, uploadEnded(accepted('t'))]), 0, 0), 'accepted');
});

test('an upload that a kill cut off stays unknown when the scan is taken up again', () => {
  const record = recordOf([...MADE, uploadBegun(), resumed()]);
  const upload = uploadOf(record, { document: 0, destination: 0 });
  assert.is(deliveryOf(upload, true)?.outcome, 'unknown');
});

test('a document has the title with which it was sent last', () => {
  const record = recordOf([...MADE, { ...uploadBegun(), title: 'Coffee' }]);
  assert.equal(
    record.documents.map(({ title }) => title),
    ['Coffee', 'title 2'],
  );
});

/** Profiles with which a scan may be resumed that A accepted and B refused; the outcome at each of their destinations. */
const RESUMED_WITH: [string, object[], (string | undefined)[]][] = [
  ['as it was', [A, B], ['accepted', 'refused']],
  ['in another order', [B, A], ['refused', 'accepted']],
  ['with another destination for B', [A, dms('http://new')], ['accepted', undefined]],
  ['with that first', [dms('http://new'), A], [undefined, 'accepted']],
  [
    'with another account of A',
    [dms('http://a', { token_secret: 'other' }), B],
    [undefined, 'refused'],
  ],
  [
    'with another spelling and tags',
    [dms('HTTP://A:80//', { tags: [9] }), B],
    ['accepted', 'refused'],
  ],
  ['without B', [A], ['accepted']],
  ['with one more', [dms('http://c'), A, B], [undefined, 'accepted', 'refused']],
  ['without any', [], []],
];

for (const [what, destinations, outcomes] of RESUMED_WITH) {
  test(`resumed with the profile ${what}, what A accepted is known`, () => {
    const settings = testProfile({ name: 'corrected', destinations });
    const record = recordOf([
      ...MADE,
      uploadBegun(0, 0),
      uploadEnded(accepted('t'), 0, 0),
      uploadBegun(0, 1),
      uploadEnded(refused('no'), 0, 1),
      ended(),
      resumed({ settings }),
    ]);
    assert.equal(
      destinations.map((_, destination) => outcomeOf(record, 0, destination)),
      outcomes,
    );
    assert.is(record.profile, 'corrected');
  });
}

test('what was accepted stays so through every order that the profile had since', () => {
  const accepting = [...MADE, uploadBegun(0, 0), uploadEnded(accepted('t'), 0, 0)];
  const orders = [
    [B, A],
    [B],
    [dms('http://c'), B],
    [A, B, dms('http://c')],
    [B, dms('http://c'), A],
  ];
  const calls = orders.map((destinations) =>
    resumed({ settings: testProfile({ name: 'a', destinations }) }),
  );
  const record = recordOf([...accepting, ...calls]);
  assert.is(outcomeOf(record, 0, 2), 'accepted');
});

test.run();
