import { attach, until } from '../appliance.ts';
import { assert, suite } from '../../support/suite.ts';

/** The service looks at the directory every second. */
const NOTICED_MS = 60_000;

const test = suite('buttons saved on the control page');
const appliance = await attach();

const DIRECTORY = '/var/lib/scan-service/saved-profiles';
const BUTTON = { based_on: 'simplex', label: 'Schule', settings: { page_grouping: 'per_page' } };

async function isSaved(name: string): Promise<boolean> {
  const { body } = await appliance.get('/profiles');
  const listed = body['profiles'] as readonly { readonly name: string; readonly saved: boolean }[];
  return listed.some((profile) => profile.name === name && profile.saved);
}

async function isOffered(): Promise<boolean> {
  const { body } = await appliance.get('/profiles');
  return (body['saving'] as { readonly possible: boolean }).possible;
}

/** Changes the mode of the directory as its owner, the service, which is not root. */
async function allow(mode: number): Promise<void> {
  await appliance.node('service', `require('fs').chmodSync('${DIRECTORY}', ${mode})`);
}

test('outlive the container, and scan with the settings they were saved with', async () => {
  assert.is((await appliance.put('/profiles/school-1f3a', BUTTON)).status, 201);
  const before = await appliance.container('service');
  await appliance.compose(['rm', '--stop', '--force', 'service']);
  await appliance.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
  assert.is.not(await appliance.container('service'), before);
  assert.ok(await isSaved('school-1f3a'));
  await appliance.load('scanner', { pages: ['receipt.jpg', 'receipt.jpg'] });
  const { documents } = await appliance.scanned({ profile: 'school-1f3a' });
  assert.is(documents.length, 2);
});

test('are not offered where the service cannot write them, and are there all the same', async () => {
  await allow(0o500);
  try {
    await until(NOTICED_MS, 'the offer to end', async () => !(await isOffered()));
    const { status, body } = await appliance.put('/profiles/other-1f3a', BUTTON);
    assert.equal([status, body['error']], [507, 'insufficient_storage']);
    assert.ok(await isSaved('school-1f3a'));
  } finally {
    await allow(0o750);
  }
  await until(NOTICED_MS, 'the offer', isOffered);
});
