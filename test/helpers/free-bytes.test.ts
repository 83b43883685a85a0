import { tmpdir } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freeBytes } from '../../helpers/free-bytes.ts';

const test = suite('free bytes');

test('are those of the file system', async () => {
  assert.ok((await freeBytes(tmpdir())) > 0);
  assert.is(await freeBytes('/proc'), 0);
});

test.run();
