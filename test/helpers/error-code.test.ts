import { access } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCode } from '../../helpers/error-code.ts';
import { rejection } from '../support/rejection.ts';

const test = suite('the code of an error');

test('is that of the system', async () => {
  assert.is(errorCode(await rejection(access('/nonexistent'))), 'ENOENT');
});

test('is undefined where there is none', () => {
  for (const error of [new Error('x'), { code: 'ENOENT' }, 'ENOENT', undefined]) {
    assert.is(errorCode(error), undefined);
  }
});

test.run();
