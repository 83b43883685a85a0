import { once } from 'node:events';
import { withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { cleanPages } from '../support/pages.ts';
import { assert, EVENT_MS, suite, within } from '../support/suite.ts';

const FILES = cleanPages().map(({ file }) => file);
const [FIRST = '', SECOND = '', THIRD = ''] = FILES;

const test = suite<{ appliance: Appliance; opened: () => number }>(
  'paper in the feeder starts a scan',
);

const QUICK = { source: 'ADF', resolution: 100, processing: { ocr: false } };

withAppliance(test, {
  profiles: [
    { name: 'default', ...QUICK },
    { name: 'paper', ...QUICK, trigger: { paper: true } },
  ],
});
test.before.each((context) => {
  const { scanner } = context.appliance;
  scanner.setFault(null);
  scanner.load([]);
  const before = scanner.state.jobsOpened;
  context.opened = () => scanner.state.jobsOpened - before;
});

async function looks({ scanner }: Appliance, count: number): Promise<void> {
  for (let seen = 0; seen < count;) {
    const [request]: { path: string }[] = await within(
      EVENT_MS,
      once(scanner.events, 'request'),
      'a look',
    );
    if (request?.path.endsWith('/ScannerStatus') === true) seen += 1;
  }
}

interface Ended {
  readonly scan_id: string;
  readonly state: string;
  readonly code?: string;
  readonly page_count: number;
}

async function ended({ service }: Appliance): Promise<Ended> {
  return JSON.parse(await service.nextLine(/"scan_ended"/)) as Ended;
}

/** Loads paper after the feeder was seen empty. Resolves with the end of the resulting scan. */
async function scanned(appliance: Appliance, files: readonly string[]): Promise<Ended> {
  await looks(appliance, 2);
  const end = ended(appliance);
  appliance.scanner.load(files);
  return end;
}

test('each stack is scanned once, and its record names the trigger', async ({
  appliance,
  opened,
}) => {
  for (const files of [FILES.slice(0, 3), [FIRST]]) {
    const { scan_id, state, page_count } = await scanned(appliance, files);
    assert.equal([state, page_count], ['finished', files.length]);
    const { json } = await appliance.get(`/scans/${scan_id}`);
    assert.equal([json?.['profile'], json?.['trigger']], ['paper', { paper: true }]);
  }
  assert.is(opened(), 2);
  assert.is(appliance.dms.uploads().length, 2);
});

test('paper left by a jam does not start a scan', async ({ appliance, opened }) => {
  appliance.scanner.setFault({ kind: 'jam', atPage: 2 });
  const { state, code, page_count } = await scanned(appliance, [FIRST, SECOND]);
  assert.equal([state, code, page_count], ['failed', 'scanner_jammed', 1]);
  appliance.scanner.setFault(null);
  assert.is(appliance.scanner.state.adfState, 'ScannerAdfLoaded');
  await looks(appliance, 5);
  assert.is(opened(), 1);
  appliance.scanner.load([]);
  assert.equal((await scanned(appliance, [SECOND, THIRD])).page_count, 2);
});

test('paper scanned from a phone is scanned only once', async ({ appliance, opened }) => {
  await looks(appliance, 2);
  appliance.scanner.load([FIRST, SECOND]);
  appliance.scanner.setFault({ kind: 'wait', atPage: 2 });
  const begun = within(EVENT_MS, once(appliance.scanner.events, 'fault'), 'the first page');
  const scan = appliance.scan({});
  await begun;
  appliance.scanner.load([SECOND]);
  appliance.scanner.setFault(null);
  const { status, json } = await scan;
  assert.equal([status, json?.['page_count'], json?.['profile']], [200, 2, 'default']);
  await looks(appliance, 4);
  assert.is(opened(), 1);
});

test('a killed service does not scan its paper again', async ({ appliance, opened }) => {
  await looks(appliance, 2);
  const triggered = appliance.service.nextLine(/"event":"triggered"/);
  appliance.scanner.load([FIRST, SECOND]);
  await triggered;
  await appliance.service.stop('SIGKILL');
  await appliance.untilScannerFree();
  await appliance.service.start();
  appliance.scanner.load([FIRST, SECOND]);
  const before = opened();
  await looks(appliance, 5);
  assert.is(opened(), before);
  appliance.scanner.load([]);
  assert.is((await scanned(appliance, [FIRST, SECOND])).page_count, 2);
});
