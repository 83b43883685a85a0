import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { words } from '../../service/page/texts/set-up-english.js';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { runScript } from '../support/programs.ts';
import { assert, suite } from '../support/suite.ts';
import { launch, openPage, press, says, takePicture } from './page-bench.ts';

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy');

const COMMANDS = words.closedCommands.map(([, command]) => String(command));

/** An appliance that was set up on the machine, so that it has no operator password. */
const test = suite<{ browser: Browser; appliance: Appliance }>('settings without a password');

test.before(async (context) => {
  context.browser = await launch();
});
test.before.each(async (context) => {
  context.appliance = await startAppliance({ profiles: [{ name: 'default' }] });
});
test.after.each(({ appliance }) => appliance.close());
test.after(({ browser }) => browser.close());

const LANGUAGES = [
  {
    locale: 'en-GB',
    settings: 'Settings',
    why: 'was set up on the machine, and has no operator password',
    check: 'Check again',
    logIn: 'Enter the operator password',
    field: 'Operator password',
  },
  {
    locale: 'de-DE',
    settings: 'Einstellungen',
    why: 'wurde auf dem Rechner eingerichtet und hat kein Betreiber-Passwort',
    check: 'Noch einmal prüfen',
    logIn: 'Betreiber-Passwort eingeben',
    field: 'Betreiber-Passwort',
  },
];

for (const { locale, settings, why, check, logIn, field } of LANGUAGES) {
  test(`say in ${locale} why, and which command makes one`, async ({ browser, appliance }) => {
    const address = `http://127.0.0.1:${appliance.service.port()}/`;
    const page = await openPage(browser, address, { locale });
    await page.locator('#home').getByRole('link', { name: settings }).click();
    await says(page, settings);
    await page.getByText(why).waitFor();
    const commands = await page.locator('code').allInnerTexts();
    assert.equal(commands, COMMANDS);
    await takePicture(page, `set-up-closed-${locale}`);
    assert.is(await page.locator('#set-up-page :is(.setting, input)').count(), 0);
    await press(page, check);
    await page.getByText(why).waitFor();

    const { stdout } = await runScript('deploy/setup/operator-password.ts', [], {
      OUTPUT_DIR: appliance.scansDir,
    });
    await press(page, check);
    await says(page, logIn);
    await page.reload();
    await says(page, logIn);
    await page.getByLabel(field, { exact: true }).fill(/now: (\S+)/u.exec(stdout)?.[1] ?? '');
    await page.keyboard.press('Enter');
    await says(page, settings);
    await page.locator('.setting').first().waitFor();
  });
}

test('the page and the documentation name the same commands', async () => {
  for (const [index, file] of ['systemd/README.md', 'README.md'].entries()) {
    const text = await readFile(path.join(DEPLOY, file), 'utf8');
    assert.ok(text.includes(`\`${COMMANDS[index]}\``), file);
  }
});
