/**
 * Scans from a terminal: makes the call, shows how far it is, and says how it ended. The exit code is promised in --help.
 */
import { ClientError } from './client-error.ts';
import { followScan, type Followed } from './follow-scan.ts';
import { parseOptions, USAGE, type ClientOptions } from './options.ts';
import { describeAnswer, EXIT, exitCodeOf } from './outcome.ts';
import { advance, eventLine, fieldsOf, NO_PROGRESS, progressLine } from './progress.ts';

/** To the beginning of the line, and clears it. */
const CLEAR_LINE = '\r\u001b[2K';

const followed: Followed = { scanId: undefined, lastId: '' };
try {
  const options = parseOptions(process.argv.slice(2), process.env);
  // The scan goes on whoever listens: the paper has moved.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      console.error(`\n${leftRunning(options)}`);
      process.exit(EXIT.interrupted);
    });
  }
  process.exitCode = await run(options);
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  console.error(error.message);
  process.exitCode = error.exitCode;
}

async function run(options: ClientOptions): Promise<number> {
  if (options.help) {
    console.log(USAGE);
    return EXIT.done;
  }
  const isTerminal = process.stdout.isTTY && !options.json;
  const events = followScan(options, options.call, followed);
  let progress = NO_PROGRESS;
  for (;;) {
    const next = await events.next();
    if (next.done === true) {
      if (isTerminal) process.stdout.write(CLEAR_LINE);
      if (options.json) console.log(JSON.stringify({ event: 'result', ...next.value }));
      else console.log(describeAnswer(next.value, commandOf(options)));
      return exitCodeOf(next.value);
    }
    progress = advance(progress, next.value);
    if (options.json)
      console.log(JSON.stringify({ event: next.value.event, ...fieldsOf(next.value) }));
    else if (isTerminal) process.stdout.write(`${CLEAR_LINE}${progressLine(progress)}`);
    else {
      const line = eventLine(next.value);
      if (line !== undefined) console.log(line);
    }
  }
}

function leftRunning(options: ClientOptions): string {
  const { scanId } = followed;
  if (scanId === undefined) return 'The scan may have begun: GET /scans shows whether it did.';
  return `The scan goes on. Watch it:\n  ${commandOf(options)} --watch ${scanId}`;
}

function commandOf({ baseUrl }: ClientOptions): string {
  return `npm run scan -- --url ${baseUrl}`;
}
