import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { parseDiscardRequest, parsePageEdit } from '../../../service/http/requests.ts';

const test = suite('requests to edit a scan');

for (const edit of [
  { left_out: true },
  { turn: 0 },
  { turn: 270, before: 3 },
  { before: null, starts_document: false },
]) {
  test(`${JSON.stringify(edit)} is an edit`, () => assert.equal(parsePageEdit(edit), edit));
}

for (const [body, field] of [
  [{}, '(body)'],
  [[], '(body)'],
  ['x', '(body)'],
  [{ left_out: 'yes' }, 'left_out'],
  [{ left_out: null }, 'left_out'],
  [{ turn: 45 }, 'turn'],
  [{ turn: '90' }, 'turn'],
  [{ before: 0 }, 'before'],
  [{ before: 1.5 }, 'before'],
  [{ before: '1' }, 'before'],
  [{ starts_document: 1 }, 'starts_document'],
  [{ turn: 90, page: 1 }, 'page'],
] as const) {
  test(`${JSON.stringify(body)} is refused, with the field`, () => {
    try {
      parsePageEdit(body);
      assert.unreachable();
    } catch (error) {
      assert.instance(error, Failure);
      const { code, facts } = error as Failure;
      assert.is(code, 'invalid_body');
      assert.is((facts['fields'] as { field: string }[])[0]?.field, field);
    }
  });
}

test('a scan is discarded unless the request takes that back', () => {
  assert.is(parseDiscardRequest({}).discarded, true);
  assert.is(parseDiscardRequest({ discarded: false }).discarded, false);
  assert.throws(() => parseDiscardRequest({ discarded: 'no' }), /true or false/);
  assert.throws(() => parseDiscardRequest({ undo: true }), /undo/);
});

test.run();
