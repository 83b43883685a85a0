import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCode } from '../../../helpers/error-code.ts';
import { createSyncSpeed } from '../../../service/self-test/check-storage.ts';
import { rejection } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite('the speed of a disk');

test('is measured once for many self-tests, which spares SD cards; a failure is not kept', async () => {
  const temporary = await temporaryDirectory();
  const { path } = temporary;
  const [rarely, always] = [createSyncSpeed(), createSyncSpeed(0)];
  const first = await rarely(path);
  await always(path);
  await temporary.remove();
  assert.is(await rarely(path), first);
  assert.is(errorCode(await rejection(always(path))), 'ENOENT');
});

test.run();
