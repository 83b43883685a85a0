/** Scans from a terminal, with progress. See --help for the exit codes. */
import { ClientError } from './client-error.ts';
import { followScan, type Followed } from './follow-scan.ts';
import { createSecretReader } from '../../service/paperless/secrets.ts';
import { askForScans, describeScans } from './list-scans.ts';
import { DEFAULT_URL, parseOptions, USAGE, type ClientOptions } from './options.ts';
import { describeAnswer, EXIT, exitCodeOf, type Answer } from './outcome.ts';
import { unitsSecrets } from './units-secrets.ts';
import { eventLine, fieldsOf, progressAfter, progressLine } from './progress.ts';

/** Returns to the start of the line and clears it. */
const CLEAR_LINE = '\r\u001b[2K';

const followed: Followed = { scanId: undefined, lastId: '' };
try {
  const options = await withToken(parseOptions(process.argv.slice(2), process.env));
  // Paper has already moved, so the scan continues without this client.
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

/** On the service's machine, uses its token, unless --url or SCAN_URL gives another address. */
async function withToken(options: ClientOptions): Promise<ClientOptions> {
  const { SECRETS_DIR, SCAN_URL: url } = process.env;
  const directory = unitsSecrets(process.env) ?? SECRETS_DIR;
  const isHere = options.baseUrl === DEFAULT_URL && url === undefined;
  if (options.token !== undefined || directory === undefined || !isHere) return options;
  const read = createSecretReader({ directory, environment: {} });
  return { ...options, token: await read('scan_api_token').catch(() => undefined) };
}

async function run(options: ClientOptions): Promise<number> {
  if (options.help) {
    console.log(USAGE);
    return EXIT.done;
  }
  if (options.list) {
    const answer = await askForScans(options);
    if (options.json) console.log(JSON.stringify(answer.body));
    else console.log(answer.status === 200 ? describeScans(answer) : describe(answer, options));
    return answer.status === 200 ? EXIT.done : EXIT.other;
  }
  const isTerminal = process.stdout.isTTY && !options.json;
  const events = followScan(options, options.call, followed);
  for (;;) {
    const next = await events.next();
    if (next.done === true) {
      if (isTerminal) process.stdout.write(CLEAR_LINE);
      if (options.json) console.log(JSON.stringify({ event: 'result', ...next.value }));
      else console.log(describe(next.value, options));
      return exitCodeOf(next.value);
    }
    if (options.json)
      console.log(JSON.stringify({ event: next.value.event, ...fieldsOf(next.value) }));
    else if (isTerminal) {
      const progress = progressAfter(next.value);
      if (progress) process.stdout.write(`${CLEAR_LINE}${progressLine(progress)}`);
    } else {
      const line = eventLine(next.value);
      if (line !== undefined) console.log(line);
    }
  }
}

function describe(answer: Answer, options: ClientOptions): string {
  return describeAnswer(answer, { command: commandOf(options), baseUrl: options.baseUrl });
}

function leftRunning(options: ClientOptions): string {
  const { scanId } = followed;
  if (scanId === undefined) return 'The scan may have begun: GET /scans shows whether it did.';
  return `The scan goes on. Watch it:\n  ${commandOf(options)} --watch ${scanId}`;
}

function commandOf({ baseUrl }: ClientOptions): string {
  return `npm run scan -- --url ${baseUrl}`;
}
