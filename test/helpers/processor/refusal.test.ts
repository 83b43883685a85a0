import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal, REFUSALS, storageFull } from '../../../helpers/processor/refusal.ts';

const test = suite('refusals of the processor');

test('each code has an HTTP status for errors', () => {
  for (const [code, status] of Object.entries(REFUSALS)) assert.ok(status >= 400, code);
});

test('a refusal knows its status and keeps its cause', () => {
  const cause = new Error('the cause');
  const refusal = new Refusal('unreadable_page', 'no image', cause);
  assert.is(refusal.status, 422);
  assert.is(refusal.cause, cause);
  assert.is(new Refusal('not_found', 'nothing').cause, undefined);
});

test('a full disk is insufficient_storage, with advice', () => {
  assert.is(storageFull().status, 507);
  assert.match(storageFull().message, /more space/);
});

test.run();
