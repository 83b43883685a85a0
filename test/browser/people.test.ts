import { assert, withFixture } from '../support/suite.ts';
import { checkAccessible, createPageBench, press, says, takePicture } from './page-bench.ts';

const HOSTILE = '<script>document.title="hacked"</script><b id=hacked>';

const test = withFixture('the control page, for everyone', () =>
  createPageBench({
    token: 'the token',
    profiles: [
      { name: 'default', description: 'Letters and invoices' },
      { name: 'hostile', description: HOSTILE },
      { name: 'very-long-name-that-does-not-break-anywhere-and-goes-on-for-ever' },
    ],
    problems: [
      {
        file: 'broken.yaml',
        field: 'resolution',
        profile: 'broken',
        message: `"resolution" must be a number, found ${HOSTILE}.`,
      },
    ],
  }),
);

test('the token is asked for once, and German readers get German', async ({ feeder, open }) => {
  const page = await open('/', { locale: 'de-DE' });
  await says(page, 'Dieser Dienst ist geschützt');
  await checkAccessible(page);
  await page.getByLabel('Token').fill('another');
  await press(page, 'Weiter');
  await page.getByText(/Das ist nicht der Token/).waitFor();
  await takePicture(page, 'token-german');
  await page.getByLabel('Token').fill('the token');
  await page.getByLabel('Token').press('Enter');
  await says(page, 'Was möchten Sie scannen?');
  assert.is(await page.evaluate('document.documentElement.lang'), 'de');
  assert.is(await page.evaluate('document.cookie'), '', 'no script can read the cookie');
  await page.reload();
  await says(page, 'Was möchten Sie scannen?');
  await page.getByText(/^1 Profil hat einen Fehler/).click();
  const setUp = page.locator('#set-up');
  await setUp.getByText(/^Für die Person.*npm run doctor.*docker compose exec service/).waitFor();
  await setUp.getByText('Meldung des Dienstes:').waitFor();
  assert.match(await setUp.locator('[lang=en]').innerText(), 'must be a number');
  await takePicture(page, 'set-up-german');
  await press(page, /Letters and invoices/);
  await feeder.feedPages(4);
  feeder.end('scanner_jammed');
  await says(page, 'Papierstau');
  await page.getByText('4 Seiten sind gesichert.').first().waitFor();
  await page.locator('#page-4').scrollIntoViewIfNeeded();
  const picture = page.locator('#page-4 img');
  await picture.evaluate((image: { decode(): Promise<void> }) => image.decode());
  await page.evaluate('scrollTo(0, 0)');
  await takePicture(page, 'jam-german');
});

test('a press that meets a cookie which has expired scans once the token is there; a call that has begun is not made again', async ({
  app,
  feeder,
  open,
}) => {
  const page = await open();
  const enterToken = async (): Promise<void> => {
    await says(page, 'This service is protected');
    await page.getByLabel('Token').fill('the token');
    await press(page, 'Continue');
  };
  await enterToken();
  await page.getByText('Title and tags').click();
  await page.getByLabel('Title', { exact: true }).fill('Kept');
  // The press meets it first, not the list, which asks every few seconds.
  await page.route('**/profiles', () => {});
  await page.context().clearCookies();
  await press(page, /Letters and invoices/);
  await enterToken();
  await feeder.feedPages(1);
  await page.getByText('1 page', { exact: true }).waitFor();

  const posts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(new URL(request.url()).pathname);
  });
  await page.context().clearCookies();
  await page.context().setOffline(true);
  await says(page, 'No connection. Trying again.');
  await page.context().setOffline(false);
  await enterToken();
  await feeder.feedPages(1);
  await page.getByText('2 pages', { exact: true }).waitFor();
  feeder.end();
  await says(page, 'Filed');
  await page.getByRole('heading', { name: 'Kept' }).waitFor();
  assert.equal(posts, ['/session']);
  const headers = { Authorization: 'Bearer the token' };
  const { text } = await app.send({ path: '/scans', headers });
  assert.is((JSON.parse(text) as { scans: object[] }).scans.length, 1);
});

/** How wide a page may be that is zoomed to 400 % on a screen of 1280 pixels, or on the smallest phone. */
const SMALL = [
  { width: 320, height: 568 },
  { width: 320, height: 256 },
];

test('nothing is cut off at 320 pixels, zoomed, or in the dark', async ({ feeder, open }) => {
  for (const viewport of SMALL) {
    const page = await open('/', { viewport, colorScheme: 'dark' });
    await page.getByLabel('Token').fill('the token');
    await press(page, 'Continue');
    await says(page, 'What are you scanning?');
    await page.getByText(/1 profile has a mistake/).click();
    await checkAccessible(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await takePicture(page, `small-${viewport.height}`);
    await press(page, /very-long-name/);
    await feeder.feedPages(2);
    await page.getByText('2 pages', { exact: true }).waitFor();
    await checkAccessible(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320);
    feeder.end();
    await says(page, 'Filed');
    // Where what is above the bar with the buttons may be half behind it, it is scrolled.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await checkAccessible(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), 320);
    await page.context().close();
  }
});

test('what others wrote stays text, and the keyboard is enough', async ({ feeder, open }) => {
  const page = await open();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.route('**/metadata/tags?*', (route) =>
    route.fulfill({ json: { tags: [{ id: 1, name: HOSTILE }] } }),
  );
  const check = { id: 'x', subject: HOSTILE, status: 'fail', message: HOSTILE, remedy: HOSTILE };
  const looked_at = '2026-11-22T10:00:00.000Z';
  await page.route(/self-test/, (route) => {
    const isNew = route.request().url().endsWith('?refresh=true');
    const checks = isNew ? [] : [check];
    return route.fulfill({ json: { status: 'problems', looked_at, checks } });
  });
  await page.getByLabel('Token').fill('the token');
  await page.keyboard.press('Enter');
  await says(page, 'What are you scanning?');
  await page.getByText(/^Check of the set-up: 1 problem/).click();
  await page.getByText(`${HOSTILE} ${HOSTILE}`).waitFor();
  await takePicture(page, 'set-up');
  await page.getByText(/Nov.*2026.*Check again/).waitFor();
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('Check of the set-up: Everything is in order.').waitFor();
  await page.getByText('Title and tags').focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Tags').fill(HOSTILE);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: `Remove ${HOSTILE}` }).click();
  await page.getByLabel('Title', { exact: true }).focus();
  await page.keyboard.type(HOSTILE);
  await page.getByRole('button', { name: /hacked/ }).focus();
  await page.keyboard.press('Enter');
  await feeder.feedPages(1);
  assert.is(await page.evaluate('document.activeElement.id'), 'headline');
  feeder.end();
  await says(page, 'Filed');
  await page.getByRole('heading', { name: HOSTILE }).waitFor();
  const spoken = page.getByRole('status');
  await spoken.filter({ hasText: /^Filed\. 1 page · 1 document/ }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'All scans' }).focus();
  await page.keyboard.press('Enter');
  await says(page, 'What are you scanning?');
  assert.is(await page.evaluate('document.activeElement.id'), 'start-title');
  await page.getByRole('link', { name: HOSTILE }).focus();
  await page.keyboard.press('Enter');
  await says(page, 'Filed');
  assert.is(await page.evaluate('document.activeElement.id'), 'headline');
  await page.goBack();
  await says(page, 'What are you scanning?');
  await page.getByText(/1 profile has a mistake/).click();
  await page.getByText('broken.yaml').waitFor();
  assert.is(await page.locator('#hacked, main script').count(), 0);
  assert.is.not(await page.title(), 'hacked');
  assert.equal(errors, []);
});
