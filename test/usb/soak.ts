import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { seededRandom } from '../fault/support/seeded-random.ts';
import { BUTTON_RULE } from '../../service/trigger/trigger-state.ts';
import { assert, within } from '../support/suite.ts';
import { untilListed } from './bus.ts';
import type { Case } from './cases.ts';
import type { Lab } from './lab.ts';
import { readSheet, writeSheet } from './numbered-sheets.ts';
import { begunScan, endedScan, scansOf } from './scans.ts';
import { untilTriggerCouldFire, withTriggers } from './trigger-cases.ts';

const STACKS = Number(process.env['STACKS'] ?? 50);
const SHEETS = 10;
const SEED = Number(process.env['SEED'] ?? 24);

const EVENT_MS = 600_000;

/** Stacks before the first measurement, while programs fill their caches. */
const WARM_UP = 5;
/** Permitted growth in files and threads: the sensors may be read at any time. */
const SPARE = 4;
/** Permitted growth per program between the measurements. */
const GROWTH_KB = 20_000;

/** A fault strikes at a sheet of the stack. Half of the stacks have none. */
const FAULTS = ['jam', 'doubleFeed', 'cover', 'unplugged', 'killed'] as const;
type Fault = (typeof FAULTS)[number] | undefined;

/** Runs only on request, since it takes longer than all other cases. Prints a line per stack. */
export const SOAK: Case = {
  title: `soak: ${STACKS} stacks of ${SHEETS} sheets by button, with faults (seed ${SEED})`,
  run: (lab) =>
    withTriggers(lab, { pressed: { button: 'scan' } }, async () => {
      const random = seededRandom(SEED);
      const directory = `${lab.directory}/sheets`;
      await mkdir(directory);
      const uploads = lab.dms.uploads().length;
      let before: readonly Usage[] = [];
      for (let stack = 0; stack < STACKS; stack += 1) {
        if (stack === WARM_UP) before = await usage(lab);
        const fault = random() < 0.5 ? undefined : FAULTS[Math.floor(random() * FAULTS.length)];
        const atSheet = 2 + Math.floor(random() * (SHEETS - 2));
        const numbers = Array.from({ length: SHEETS }, (_, index) => stack * SHEETS + index);
        const files = await Promise.all(numbers.map((one) => writeSheet(directory, one)));
        await lab.reset();
        const scanId = await pressed(lab, files, { fault, atSheet });
        say(`stack ${stack}: ${fault ? `${fault} at sheet ${atSheet}` : 'no fault'}`);
        assert.equal(await numbersOf(lab, scanId), numbers);
      }
      const after = await usage(lab);
      say(`before: ${JSON.stringify(before)}\nafter:  ${JSON.stringify(after)}`);
      assert.is(lab.dms.uploads().length, uploads + STACKS);
      checkGrowth(before, after);
    }),
};

/** Scans a stack by button and feeds again what a fault left. Returns the complete scan. */
async function pressed(
  lab: Lab,
  files: readonly string[],
  { fault, atSheet }: { readonly fault: Fault; readonly atSheet: number },
): Promise<string> {
  const { scanner } = lab;
  const { state } = scanner;
  const known = await scansOf(lab);
  // The trigger requires that the button was off since the last scan.
  await untilTriggerCouldFire(lab, BUTTON_RULE);
  scanner.load(files);
  const isCut = fault === 'unplugged' || fault === 'killed';
  if (isCut) scanner.setFault({ kind: 'wait', atSheet });
  if (fault === 'jam' || fault === 'doubleFeed') scanner.setFault({ kind: fault, atSheet });
  state.coverOpen = fault === 'cover';
  const waits = once(scanner.events, 'waits');
  state.scanButton = true;
  const scanId = await begunScan(lab, 'pressed', known);
  state.scanButton = false;
  if (isCut) {
    await within(EVENT_MS, waits, 'the middle of a page');
    if (fault === 'killed') await lab.guest.run('pkill -9 -x scanimage');
    else {
      await lab.guest.sockets[0]?.unplug();
      await lab.guest.run(untilListed(0));
    }
  }
  const { body } = await endedScan(lab, scanId);
  if (fault === undefined) return scanId;
  assert.is(body['state'], 'failed', JSON.stringify(body));
  scanner.setFault();
  state.coverOpen = false;
  if (fault === 'unplugged') {
    lab.guest.sockets[0]?.plugIn(scanner);
    await lab.guest.run(untilListed(1));
  }
  // A person reloads the sheets that did not become pages, and the rest of the stack.
  scanner.load(files.slice(Number(body['page_count'])));
  const rest = await lab.request('POST', '/scan', { continue_scan: scanId });
  assert.is(rest.status, 200, JSON.stringify(rest.body));
  return scanId;
}

async function numbersOf(lab: Lab, scanId: string): Promise<(number | undefined)[]> {
  const { body } = await lab.request('GET', `/scans/${scanId}`);
  assert.is(body['state'], 'finished', JSON.stringify(body));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer of the service
  const documents = body['documents'] as readonly { page_count: number }[];
  assert.equal(
    documents.map(({ page_count: count }) => count),
    [SHEETS],
  );
  const names = Array.isArray(body['pages']) ? body['pages'].map(String) : [];
  const numbers: (number | undefined)[] = [];
  for (const name of names) {
    numbers.push(await readSheet(await lab.bytes(`/scans/${scanId}/files/${name}`)));
  }
  return numbers;
}

interface Usage {
  readonly unit: string;
  readonly pid: number;
  readonly files: number;
  readonly tasks: number;
  readonly memoryKb: number;
}

async function usage(lab: Lab): Promise<Usage[]> {
  const output = await lab.guest.run(`for unit in scan-service scan-service-scanner; do
pid=$(systemctl show -P MainPID $unit)
echo $unit $pid $(ls /proc/$pid/fd | wc -l) $(systemctl show -P TasksCurrent $unit) $(awk '/VmRSS/ {print $2}' /proc/$pid/status)
done`);
  return output
    .trim()
    .split('\n')
    .map((line) => {
      const [unit = '', ...counts] = line.split(' ');
      const [pid = 0, files = 0, tasks = 0, memoryKb = 0] = counts.map(Number);
      return { unit, pid, files, tasks, memoryKb };
    });
}

function checkGrowth(before: readonly Usage[], after: readonly Usage[]): void {
  for (const [index, was] of before.entries()) {
    const now = after[index] ?? was;
    assert.is(now.pid, was.pid, `${was.unit} was started again`);
    assert.ok(now.files <= was.files + SPARE, `${was.unit} has more open files`);
    assert.ok(now.tasks <= was.tasks + SPARE, `${was.unit} has more threads or programs`);
    assert.ok(now.memoryKb <= was.memoryKb + GROWTH_KB, `${was.unit} has grown`);
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
