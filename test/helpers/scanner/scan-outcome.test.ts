import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFakeBench } from '../../support/fake-scanimage/fake-bench.ts';
import { failure } from '../../support/rejection.ts';

/** What each exit code of scanimage means is in test/fault/exit-codes-scanimage.test.ts. */
const test = suite('what a scan comes to');

test('without a page never claims that nothing was fed: sane-airscan loses the pages of a quick job', async () => {
  const said = 'echo "scanimage: sane_start: Document feeder out of documents" >&2';
  for (const code of [0, 7]) {
    const bench = await createFakeBench({ scan: `prompt 1; ${said}; exit ${code}` });
    const { message } = await failure('no_documents', bench.scan(await bench.request()));
    assert.match(message, 'The scanner reports that the feeder is empty');
    assert.match(message, 'with any sheet that has just passed through it');
    await bench.close();
  }
});

test.run();
