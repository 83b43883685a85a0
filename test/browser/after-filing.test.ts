import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withFixture } from '../support/with-fixture.ts';
import { checkAccessible, createPageBench, press, says, takePicture } from './page-bench.ts';

const test = withFixture(suite('the control page, after filing'), () =>
  createPageBench({ publicUrl: 'https://paperless.example/docs/' }),
);

test('a document is looked for in its system by its title, and is only sent again where it is not there', async ({
  dms,
  feeder,
  open,
}) => {
  const page = await open();
  await page.getByText('Title, tags, look before filing').click();
  await page.getByLabel('Title').fill('Bill & tax');
  await press(page, /Letters and invoices/);
  await feeder.feedPages(1);
  feeder.end();
  await says(page, 'Filed');
  const link = page.getByRole('link', { name: 'Look for it there' });
  assert.is(
    await link.getAttribute('href'),
    'https://paperless.example/docs/documents?title__icontains=Bill%20%26%20tax',
  );
  await checkAccessible(page);
  await takePicture(page, 'after-filing');
  await dms.idle();
  await press(page, 'It is not there: send again');
  const resumed = page.waitForRequest(/\/resume$/);
  await press(page, 'Press again to confirm');
  assert.equal((await resumed).postDataJSON(), { resend_submitted: ['document-0001.pdf'] });
  await page.getByText(/It is there already, as number 1/).waitFor();
  await link.waitFor();
  assert.is(dms.uploads().length, 1);
});

test.run();
