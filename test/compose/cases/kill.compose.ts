import { attach, until, type Answer } from '../appliance.ts';
import { killAndSeeItBack } from '../kill-container.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('a container killed in the middle of a scan');
const appliance = await attach();

const STACK = ['letter-insurance.jpg', 'letter-bank.jpg', 'invoice.jpg', 'minutes.jpg'];
/** Pages stored at the time of the kill, of four. */
const STORED_BEFORE = 2;
const STORED_MS = 120_000;
/** Time limit from the scanner's last response to the end of scanimage. */
const FREE_MS = 60_000;

/** Kills a part before the third of four sheets. Returns what the scan's caller gets. */
async function killDuringScan(part: string): Promise<Answer | Error> {
  await appliance.load('slowScanner', { pages: STACK });
  await appliance.setFault('slowScanner', { kind: 'wait', atPage: STORED_BEFORE + 1 });
  const answer = appliance.scan({ profile: 'slow' }).catch((error: unknown) => error as Error);
  await Promise.race([untilStored(), endedEarly(answer)]);
  await killAndSeeItBack(appliance, await appliance.container(part));
  await appliance.setFault('slowScanner', null);
  return answer;
}

async function untilStored(): Promise<void> {
  await until(STORED_MS, `page ${STORED_BEFORE}`, async () => {
    const { body } = await appliance.get('/scans?limit=1');
    const [newest] = body['scans'] as readonly { state: string; page_count: number }[];
    return newest?.state === 'scanning' && newest.page_count === STORED_BEFORE;
  });
}

async function endedEarly(answer: Promise<Answer | Error>): Promise<never> {
  const ended = await answer;
  throw new Error(`the scan ended before the part was killed: ${JSON.stringify(ended)}`);
}

/** The scanner finishes its sheet; then the next person loads paper. */
async function assertNextScanWorks(): Promise<void> {
  await appliance.ready();
  // GET /ready does not cover the processor, and the service's own check is slower.
  for (const part of ['scanner', 'processor']) await appliance.healthy(part);
  await appliance.idle('slowScanner');
  await appliance.load('slowScanner', { pages: STACK.slice(0, 2) });
  let answer: Answer = { status: 409, body: {} };
  await until(FREE_MS, 'the runtime to be done with the last scan', async () => {
    answer = await appliance.scan({ profile: 'slow' });
    return answer.status !== 409;
  });
  assert.is(answer.status, 200, JSON.stringify(answer.body));
  assert.is(answer.body['page_count'], 2);
}

/** The value of a script in the service's container. It may use `fs` and `root`, the scan root. */
async function printed(script: string): Promise<string> {
  const prelude = "const fs = require('fs'), root = '/var/lib/scan-service/scans';";
  return (await appliance.node('service', `${prelude} console.log(${script})`)).trim();
}

/** Pages of a scan, all complete: incomplete pages have other names. */
async function pagesOf(scanId: unknown): Promise<string[]> {
  const names = await printed(`fs.readdirSync(root + '/${String(scanId)}').join()`);
  return names.split(',').filter((name) => /^page-\d{4}\.tif$/.test(name));
}

test('the scanner runtime: the caller gets an error, the pages are kept, the next scan works', async () => {
  const { status, body } = (await killDuringScan('scanner')) as Answer;
  assert.equal([status, body['error']], [503, 'scanner_runtime_unreachable']);
  assert.is(body['page_count'], STORED_BEFORE);
  assert.is((await pagesOf(body['scan_id'])).length, STORED_BEFORE);
  await assertNextScanWorks();
});

test('the processor: the caller gets an answer, every page is kept, the next scan works', async () => {
  const { status, body } = (await killDuringScan('processor')) as Answer;
  assert.ok([200, 502, 503].includes(status), `${status} ${JSON.stringify(body)}`);
  assert.ok((await pagesOf(body['scan_id'])).length >= STORED_BEFORE);
  await assertNextScanWorks();
});

test('the service: the feeder stops, the pages are kept, the next scan works', async () => {
  assert.instance(await killDuringScan('service'), Error);
  // The newest scan: names sort by time.
  const scanId = await printed('fs.readdirSync(root).sort().at(-1)');
  assert.ok((await pagesOf(scanId)).length >= STORED_BEFORE);
  await assertNextScanWorks();
});
