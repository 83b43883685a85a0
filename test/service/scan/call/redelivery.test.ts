import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Delivery } from '../../../../service/paperless/destination.ts';
import {
  DEFAULT_REDELIVERY,
  isToBeSent,
  type Redelivery,
} from '../../../../service/scan/stages/deliver.ts';

const test = suite('which uploads of an earlier call are made again');

type Outcome = Delivery['outcome'];

/** Which uploads are made, by what is known of them and what the caller asks for. */
const TABLE: [Outcome | undefined, Redelivery, boolean][] = (
  [undefined, 'accepted', 'refused', 'unknown'] as const
).flatMap((outcome) =>
  [false, true].flatMap((redeliverFailed) =>
    [false, true].map((resendUnknown): [Outcome | undefined, Redelivery, boolean] => {
      const isSent = {
        none: true,
        accepted: false,
        refused: redeliverFailed,
        unknown: resendUnknown,
      }[outcome ?? 'none'];
      return [outcome, { redeliverFailed, resendUnknown }, isSent];
    }),
  ),
);

for (const [outcome, redelivery, isSent] of TABLE) {
  const { redeliverFailed, resendUnknown } = redelivery;
  const asked = `redeliver_failed ${redeliverFailed}, resend_unknown ${resendUnknown}`;
  test(`${outcome ?? 'never tried'} is ${isSent ? 'sent' : 'left alone'} with ${asked}`, () => {
    assert.is(isToBeSent(outcome, redelivery), isSent);
  });
}

test('unless asked, what was refused is sent and what is unknown is not', () => {
  assert.equal(DEFAULT_REDELIVERY, { redeliverFailed: true, resendUnknown: false });
});

test.run();
