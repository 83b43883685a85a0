import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { attach, until } from '../appliance.ts';
import { openDms } from '../stored-documents.ts';
import { assert, suite } from '../../support/suite.ts';

const NOTICED_MS = 60_000;
const FILED_MS = 180_000;

interface Checked {
  readonly id: string;
  readonly subject: string;
  readonly status: string;
  readonly message: string;
  readonly remedy: string | null;
}

const test = suite("the operator's seat");
const appliance = await attach();
const inside = (file: string): string => path.join(appliance.facts.workspace, file);

async function doctor(
  ...options: string[]
): Promise<{ code: number | undefined; printed: string }> {
  const exec = ['exec', '--no-TTY', 'service', 'doctor', ...options];
  const { exitCode, stdout, stderr } = await appliance.tryCompose(exec);
  return { code: exitCode, printed: stdout + stderr };
}

async function problems(): Promise<Checked[]> {
  const { printed } = await doctor('--json');
  const { checks }: { checks: Checked[] } = JSON.parse(printed);
  // Ignores the shipped profiles, which fail because there are two scanners to choose from.
  return checks.filter(({ status, subject }) => status === 'fail' && subject !== 'auto');
}

async function prepare(): Promise<void> {
  await appliance.compose(['up', '--detach', '--no-build', '--no-deps', 'prepare']);
  await appliance.compose(['wait', 'prepare']).catch(() => undefined);
}

test('doctor finds no problem, then an unreadable token with its remedy', async () => {
  const token = inside('secrets/dms_api_token');
  assert.equal(await problems(), []);
  await chmod(token, 0o600);
  const [found, ...others] = await problems();
  assert.equal(others, []);
  assert.is(found?.id, 'secrets.token');
  const said = /not readable for the service, uid 10001: run "docker compose/;
  assert.match(found?.message ?? '', said);
  assert.is((await doctor()).code, 1);
  await prepare();
  assert.equal(await problems(), []);
});

test('an inaccessible directory of secrets closes the API, and doctor says why', async () => {
  await chmod(inside('secrets'), 0o700);
  const isOpen = async (): Promise<boolean> => (await appliance.get('/profiles')).status === 200;
  await until(NOTICED_MS, 'the API to be closed', async () => !(await isOpen()));
  const { code, printed } = await doctor();
  assert.is(code, 3);
  assert.match(printed, /requires a token\. .*scan_api_token is not readable .*docker compose up/);
  await prepare();
  await until(NOTICED_MS, 'the API to be open', isOpen);
});

test('set-up leads from the address of a scanner to a filed document', async () => {
  const sane = inside('sane.d/airscan.conf');
  const before = await readFile(sane, 'utf8');
  const dms = await openDms(appliance, 'dms');
  const filed = await dms.count();
  await appliance.load('scanner', { pages: ['receipt.jpg'] });
  const answers = [
    ['--scanner', 'virtual-scanner:8089', '--source', 'ADF', '--mode', 'Gray'],
    ['--profile', 'from-setup', '--dms-url', 'paperless:8000', '--test-scan', '--yes'],
  ].flat();
  try {
    // Empties SANE's list, since set-up writes only scanners that it does not contain.
    await writeFile(sane, '[options]\ndiscovery = disable\n');
    const run = ['run', '--rm', '--no-TTY', 'setup', ...answers];
    const { exitCode, stdout, stderr } = await appliance.tryCompose(run);
    assert.is(exitCode, 0, stdout + stderr);
    assert.match(stdout, /The token is right: it may add documents/);
    assert.match(stdout, /config\/profiles\/from-setup\.yaml[^]*config\/sane\.d\/airscan\.conf/);
    await until(FILED_MS, 'the document', async () => (await dms.count()) === filed + 1);
    const env = await readFile(inside('setup/.env'), 'utf8');
    assert.match(env, /^DMS_URL=http:\/\/paperless:8000$/m);
    const written = ['profiles/from-setup.yaml', 'secrets/dms_api_token', 'sane.d/airscan.conf'];
    for (const file of written) {
      const { mode, gid } = await stat(inside(file));
      assert.equal([(mode & 0o777).toString(8), gid], ['640', 10001], file);
    }
  } finally {
    await writeFile(sane, before);
    await rm(inside('profiles/from-setup.yaml'), { force: true });
  }
});

test('set-up says that the processor must be rebuilt for a language, even when repeated', async () => {
  const sane = inside('sane.d/airscan.conf');
  const before = await readFile(sane, 'utf8');
  const answers = [
    ['--scanner', 'virtual-scanner:8089', '--source', 'ADF', '--mode', 'Gray'],
    ['--profile', 'greek', '--dms-url', 'paperless:8000', '--languages', 'ell', '--yes'],
  ].flat();
  try {
    for (const time of ['at first', 'and again']) {
      const run = ['run', '--rm', '--no-TTY', 'setup', ...answers];
      const { stdout } = await appliance.tryCompose(run);
      assert.match(stdout, /the processor must be built with its new language/, time);
      assert.match(stdout, /docker compose up --detach --build\n.*press "greek"/, time);
    }
    assert.match(await readFile(inside('setup/.env'), 'utf8'), /^OCR_LANGUAGES=.*\bell\b/m);
  } finally {
    await writeFile(sane, before);
    await rm(inside('profiles/greek.yaml'), { force: true });
  }
});
