import { startAppliance } from '../support/appliance/appliance.ts';
import { cleanPages } from '../support/pages.ts';
import { assert, withFixture } from '../support/suite.ts';
import { launch, openPage, press, says, takePicture } from './page-bench.ts';

const test = withFixture('the control page of a whole appliance', async () => {
  const appliance = await startAppliance({
    scanner: {
      pages: cleanPages()
        .slice(0, 6)
        .map(({ file }) => file),
    },
    profiles: [
      { name: 'letters', description: 'Letters', source: 'ADF', mode: 'Gray', resolution: 150 },
    ],
  });
  const browser = await launch();
  return {
    appliance,
    page: await openPage(browser, `http://127.0.0.1:${appliance.service.port()}/`),
    close: async () => {
      await browser.close();
      await appliance.close();
    },
  };
});

test('six sheets become a document, titled and tagged by name', async ({ appliance, page }) => {
  await says(page, 'What are you scanning?');
  await page.getByText('Title and tags').click();
  await page.getByLabel('Title', { exact: true }).fill('Six letters');
  const tags = page.locator('#tag-names option');
  await tags.first().waitFor({ state: 'attached' });
  const [tag = ''] = await tags.evaluateAll(valuesOf);
  assert.is.not(tag, '');
  await page.getByLabel('Tags').fill(tag);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Remove ${tag}` }).waitFor();
  await takePicture(page, 'tags');
  await press(page, /Letters/);
  await says(page, 'Filed');
  await page.getByRole('heading', { name: 'Six letters' }).waitFor();
  await page
    .getByText(/^6 pages · 1 document/)
    .first()
    .waitFor();
  const fields = appliance.dms.uploads()[0]?.fields ?? [];
  const valuesOfField = (name: string): string[] =>
    fields.filter(([field]) => field === name).map(([, value]) => value);
  assert.equal(valuesOfField('title'), ['Six letters']);
  assert.is(valuesOfField('tags').length, 1);
  const [document] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open PDF' }).click(),
  ]);
  assert.match(document.url(), /files\/document-0001\.pdf$/);
});

function valuesOf(options: readonly { getAttribute(name: string): string | null }[]): string[] {
  return options.map((option) => option.getAttribute('value') ?? '');
}
