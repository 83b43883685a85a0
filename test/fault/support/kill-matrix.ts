import { once } from 'node:events';
import type { Part } from '../../support/appliance/part.ts';
import { shippedPage } from '../../support/pages.ts';
import { EVENT_MS, type Test, within } from '../../support/suite.ts';
import { BLANK_PAGE, checkAfter, type StruckScan } from './invariants.ts';
import { type FaultBench, withFaultBench } from './fault-bench.ts';
import { programBelow, sendSignal, workingPythonBelow } from '../../support/native-programs.ts';

/** 250 ms per sheet, which leaves time to kill a part before the first sheet is scanned. */
const PAGES_PER_MINUTE = 240;

export function withKilledParts(test: Test<{ bench: FaultBench }>): void {
  withFaultBench(test, { scanner: { pagesPerMinute: PAGES_PER_MINUTE } });
}

/** Adds a row of the matrix: a test per phase in which the victim is killed. */
export function addKills(
  test: Test<{ bench: FaultBench }>,
  victim: Victim,
  signal: KillSignal,
  phases: readonly Phase[],
): void {
  for (const phase of phases) {
    test(`the ${victim} ${phase}, by ${signal}`, async ({ bench }) => {
      const cell = { victim, signal, phase };
      await checkAfter(bench, await killDuring(bench, cell));
    });
  }
}

/** The last two are native programs, which the parts supervise. */
type Victim = 'service' | 'runtime' | 'processor' | 'DMS' | 'scanimage' | 'OCR';

type Phase =
  | 'before the first sheet'
  | 'while feeding'
  /** The scanner stops responding: a program waiting for it must not outlive its parent. */
  | 'while the scanner hangs'
  /** Twenty pages are merged while others are still arriving. */
  | 'while merging ahead'
  | 'while recognizing after the last sheet'
  | 'while assembling'
  | 'while delivering';

type KillSignal = 'SIGKILL' | 'SIGTERM';

interface KillCell {
  readonly victim: Victim;
  readonly phase: Phase;
  readonly signal: KillSignal;
}

const PAGE_COUNT = 3;
const MERGED_AHEAD = 20;

/** Enough text to keep OCR busy with the last page after feeding has ended. */
const DENSE_PAGE = shippedPage('small-print').file;

const HANG = { kind: 'hang', where: 'before', atPage: 2 } as const;

/** A test can miss short phases, such as assembling. */
const ATTEMPTS = 5;

/** Tries again if the phase was missed. */
async function killDuring(bench: FaultBench, cell: KillCell): Promise<StruckScan> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const struck = await strike(bench, cell);
    if (struck) return struck;
  }
  throw new Error(`${ATTEMPTS} scans were not seen ${cell.phase}`);
}

async function strike(bench: FaultBench, cell: KillCell): Promise<StruckScan | undefined> {
  const { appliance } = bench;
  const { victim, phase, signal } = cell;
  appliance.scanner.load(stackFor(phase));
  if (phase === 'while the scanner hangs') appliance.scanner.setFault(HANG);
  const begins = appliance.service.nextLine(/"event":"scan_begun"/);
  const ended = appliance.service.nextLine(/"event":"scan_ended"/).then(() => 'missed' as const);
  // The scan may not end, for example if the service is killed.
  ended.catch(() => {});
  const reached =
    phase === 'while assembling'
      ? assemblingPython(bench)
      : phaseReached(bench, phase).then(() => programOf(bench, victim));
  // Awaited below, unless the scan fails to begin.
  reached.catch(() => {});
  const scan = bench.scan();
  const { scan_id: id } = JSON.parse(await begins) as { scan_id: string };
  const program = await Promise.race([reached, ended]);
  const killed = program !== 'missed' && (await kill(bench, cell, program));
  appliance.scanner.setFault(null);
  const call = await scan;
  const serviceKilled = victim === 'service' && signal === 'SIGKILL';
  return killed ? { id, call, serviceKilled } : undefined;
}

function stackFor(phase: Phase): string[] {
  const last = phase === 'while recognizing after the last sheet' ? DENSE_PAGE : BLANK_PAGE;
  const length = phase === 'while merging ahead' ? MERGED_AHEAD + PAGE_COUNT : PAGE_COUNT;
  return [...Array.from({ length: length - 1 }, () => BLANK_PAGE), last];
}

async function phaseReached(
  bench: FaultBench,
  phase: Exclude<Phase, 'while assembling'>,
): Promise<void> {
  const { scanner, service } = bench.appliance;
  switch (phase) {
    case 'before the first sheet':
      return void (await within(EVENT_MS, once(scanner.events, 'job'), 'a job of the scanner'));
    case 'while feeding':
    case 'while the scanner hangs':
      return void (await service.nextLine(/"event":"scan_page".*"page":1,/));
    case 'while merging ahead':
      return void (await service.nextLine(/"event":"scan_recognized".*"page":20,/));
    case 'while recognizing after the last sheet':
      return void (await service.nextLine(/"event":"scan_fed"/));
    case 'while delivering':
      // The worst moment: the document is stored, but the service has no answer.
      return void (await bench.dms.nextLine(/"msg":"upload stored"/));
  }
}

/** Waits for the assembly of the next scan. Resolves with the Python process doing it. */
async function assemblingPython({ appliance }: FaultBench): Promise<number> {
  // Until this event, a working Python process may still be examining a page.
  await appliance.service.nextLine(/"event":"scan_documents"/);
  return workingPythonBelow(appliance.processor.pid());
}

async function programOf({ appliance }: FaultBench, victim: Victim): Promise<number | undefined> {
  const { runtime, processor } = appliance;
  if (victim === 'scanimage') return programBelow(runtime.pid(), ['scanimage']);
  return victim === 'OCR' ? programBelow(processor.pid(), ['tesseract']) : undefined;
}

/** Kills the victim; restarts it if the appliance does not. Returns false if it had just ended. */
async function kill(
  { appliance, dms }: FaultBench,
  { victim, signal }: KillCell,
  program: number | undefined,
): Promise<boolean> {
  const parts: Partial<Record<Victim, Part>> = { ...appliance, DMS: dms };
  const part = parts[victim];
  if (!part) return program !== undefined && sendSignal(program, signal);
  await part.stop(signal);
  await part.start();
  return true;
}
