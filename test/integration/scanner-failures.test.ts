import { isFailureCode, CATALOGUE } from '../../helpers/failure.ts';
import { readOpenApi } from '../../service/http/open-api.ts';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { shippedPage } from '../support/pages.ts';
import { programsLeft } from '../support/processes.ts';
import type { TestAnswer } from '../support/send-to.ts';
import type { Fault } from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ appliance: Appliance }>('what goes wrong at the scanner');

/** For a scanner that hangs: to start scanimage and to scan a small page takes less, on a machine that is busy too. */
const HASTY = { PAGE_TIMEOUT_SECONDS: '6' };

/** Of the runtime, read at each of its starts. */
const runtimeEnvironment: Record<string, string> = {};

const profile = { source: 'ADF', resolution: 100 };

withAppliance(test, {
  profiles: [
    { name: 'default', ...profile },
    { name: 'misspelled', ...profile, source: 'ADF duplex' },
    { name: 'elsewhere', ...profile, device: 'Fujitsu' },
  ],
  runtimeEnvironment,
});

const responses = describedResponses(await readOpenApi('1')).filter(
  ({ path: where, method }) => where === '/scan' && method === 'POST',
);

/** Checks a failed call against the description and that nothing is left running. */
async function checkFailure(answer: TestAnswer, code: string): Promise<Record<string, unknown>> {
  assert.is(answer.json?.['error'], code, answer.text);
  assert.ok(isFailureCode(code));
  assert.is(answer.status, CATALOGUE[code]);
  const described = responses.find(({ status }) => status === answer.status);
  assert.is(described?.check(answer.json), undefined);
  assert.equal(await programsLeft(), []);
  return answer.json ?? {};
}

function stack(appliance: Appliance, count: number): void {
  const blank = shippedPage('blank-back-plain').file;
  appliance.scanner.load(Array.from({ length: count }, () => blank));
}

test('an empty feeder is told apart from every other failure', async ({ appliance }) => {
  appliance.scanner.load([]);
  const body = await checkFailure(await appliance.scan({}), 'no_documents');
  assert.match(String(body['message']), /feeder/);
});

for (const kind of ['empty', 'emptyLate'] as const) {
  test(`an empty feeder is found in the way "${kind}" too`, async ({ appliance }) => {
    stack(appliance, 2);
    appliance.scanner.setFault({ kind });
    await checkFailure(await appliance.scan({}), 'no_documents');
    appliance.scanner.setFault(null);
  });
}

// What else a scanner may lack: helpers/scanner/options.
test('a misspelled source fails with the valid ones, and no sheet moves', async ({ appliance }) => {
  stack(appliance, 1);
  const fed = appliance.scanner.state.sheetsFed;
  const answer = await appliance.scan({ profile: 'misspelled' });
  const body = await checkFailure(answer, 'scan_option_rejected');
  assert.equal(body['valid_values'], ['Flatbed', 'ADF', 'ADF Duplex']);
  assert.is(body['nearest'], 'ADF Duplex');
  assert.match(String(body['message']), /ADF Duplex/);
  assert.is(appliance.scanner.state.sheetsFed, fed);
});

test('a scanner that is not there is told with what to do', async ({ appliance }) => {
  const body = await checkFailure(
    await appliance.scan({ profile: 'elsewhere' }),
    'no_scanner_detected',
  );
  assert.match(String(body['message']), /Fujitsu/);
});

const FAULTS: [string, Fault, string, number][] = [
  ['a jam on the first page', { kind: 'jam', atPage: 1 }, 'scanner_jammed', 0],
  ['a jam on page 3', { kind: 'jam', atPage: 3 }, 'scanner_jammed', 2],
  ['the cover open at the start', { kind: 'coverOpen' }, 'cover_open', 0],
  ['the cover opened at page 2', { kind: 'coverOpen', atPage: 2 }, 'cover_open', 1],
  ['two sheets at once', { kind: 'multipick', atPage: 2 }, 'scanner_error', 1],
  ['a connection that drops before page 2', { kind: 'drop', atPage: 2 }, 'scanner_error', 1],
  ['one that drops in it', { kind: 'drop', atPage: 2, midBody: true }, 'scanner_error', 1],
  ['an image that is broken', { kind: 'corruptImage', atPage: 2 }, 'scanner_error', 1],
  [
    'one that hangs before page 2',
    { kind: 'hang', where: 'before', atPage: 2 },
    'scanner_error',
    1,
  ],
  ['one that hangs in page 1', { kind: 'hang', where: 'midBody', atPage: 1 }, 'scanner_error', 0],
  ['a scanner that refuses the job', { kind: 'refuse', where: 'post' }, 'scanner_error', 0],
];

for (const [what, fault, code, pages] of FAULTS) {
  test(`${what} is ${code}: ${pages} safe pages, then a scan`, async ({ appliance }) => {
    if (fault.kind === 'hang') await restartRuntime(appliance, HASTY);
    stack(appliance, 3);
    appliance.scanner.setFault(fault);
    const body = await checkFailure(await appliance.scan({}), code);
    appliance.scanner.setFault(null);
    if (fault.kind === 'hang') await restartRuntime(appliance, {});
    assert.is(body['page_count'], pages);
    assert.is((await appliance.record(String(body['scan_id'])))['page_count'], pages);

    stack(appliance, 1);
    // A device drops the job of a client that is gone; until then it says that it is busy, as it should.
    await appliance.untilScannerFree();
    const next = await appliance.scan({});
    assert.is(next.status, 200, next.text);
  });
}

async function restartRuntime(
  { runtime }: Appliance,
  environment: Record<string, string>,
): Promise<void> {
  await runtime.stop();
  for (const name of Object.keys(runtimeEnvironment)) delete runtimeEnvironment[name];
  Object.assign(runtimeEnvironment, environment);
  await runtime.start();
}
