/**
 * Runs the appliance with a virtual network scanner and a sample document-management system. Scans
 * a stack of paper and shows the result.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { counted } from '../../helpers/counted.ts';
import type { StreamEvent } from '../../service/page/event-stream.js';
import { eventLine, fieldsOf } from '../terminal/progress.ts';
import { startAppliance, type Appliance, type Closers } from './appliance.ts';
import { DemoError } from './demo-error.ts';
import { scanOnce } from './first-scan.ts';
import { parseOptions, USAGE, type DemoOptions } from './options.ts';
import {
  describeFailure,
  describeNextSteps,
  describeParts,
  describeSetUp,
  describeSheet,
  heading,
  say,
  showScan,
} from './report.ts';

/** Exit code after a signal before the first scan has ended, as in shells after Ctrl-C. */
const INTERRUPTED = 130;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort(new Error(signal)));
}
const closers: Closers = [];
let begun: { directory: string; pages: number } | undefined;
try {
  process.exitCode = await run(stop.signal);
} catch (error) {
  process.exitCode = await explain(error, stop.signal);
} finally {
  // Clients were started after their servers, so they are closed first.
  for (const close of closers.toReversed()) await close();
}

async function run(signal: AbortSignal): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options.help) {
    say(USAGE);
    return 0;
  }
  say(heading('Starting the scan service with a virtual scanner, all on this machine.'));
  const appliance = await startAppliance(options, closers);
  say(describeParts(appliance, options));
  await appliance.ready(signal);
  if (!options.isNew) await scan(appliance, options, signal);
  if (!options.once) await stayUp(appliance, options, signal);
  return 0;
}

async function scan(
  appliance: Appliance,
  { profile }: DemoOptions,
  signal: AbortSignal,
): Promise<void> {
  say(`\n${heading(`Pressing the button: POST /scan {"profile":"${profile}"}`)}`);
  const onSheet = (sheet: number, front: string): void => say(describeSheet(sheet, front));
  const onEvent = (event: StreamEvent): void => {
    noteProgress(event, appliance.workspace.scans);
    const line = eventLine(event);
    if (line !== undefined) say(`  ${line}`);
  };
  await showScan(appliance, await scanOnce(appliance, { profile, onSheet, onEvent, signal }));
}

async function stayUp(
  appliance: Appliance,
  { profile }: DemoOptions,
  signal: AbortSignal,
): Promise<void> {
  const { account } = appliance;
  const next = account ? describeSetUp(appliance, account) : describeNextSteps(appliance, profile);
  say(`\n${next}`);
  if (signal.aborted) return;
  const died = Object.values(appliance.parts).map((part) => part.died);
  await Promise.race([once(signal, 'abort'), ...died]);
  say('\nStopping.');
}

function noteProgress(event: StreamEvent, scans: string): void {
  const { scan_id: id } = fieldsOf(event);
  if (typeof id === 'string') begun = { directory: join(scans, id), pages: 0 };
  else if (event.event === 'page' && begun !== undefined) begun.pages += 1;
}

async function explain(error: unknown, signal: AbortSignal): Promise<number> {
  if (signal.aborted) {
    if (begun !== undefined) {
      const { directory, pages } = begun;
      console.error(
        `\nStopped in the middle of the scan. ${counted(pages, 'page')} stored in ${directory}`,
      );
    }
    return INTERRUPTED;
  }
  if (!(error instanceof DemoError)) throw error;
  console.error(`\n${await describeFailure(error)}`);
  return error.exitCode;
}
