/**
 * The set-up assistant: finds the scanner, checks the Paperless-ngx, writes a profile, the settings and the token, and offers a test
 * scan. Runs on the machine itself, with a scanner runtime of its own, or in a container, with that of docker-compose.yml.
 */
import path from 'node:path';
import { createLog } from '../../helpers/log.ts';
import { DEFAULT_TOKEN_SECRET } from '../../service/paperless/destination.ts';
import { createScannerClient } from '../../service/scanner/scanner-client.ts';
import { chooseDestination, type DestinationContext } from './choose-destination.ts';
import { chooseScanner } from './choose-scanner.ts';
import { chooseSettings } from './choose-settings.ts';
import { parseOptions, USAGE, type SetUpOptions } from './options.ts';
import type { OwnParts } from './own-parts.ts';
import { placesFor, type Places } from './places.ts';
import { createQuestions, type Questions } from './questions.ts';
import { testScan } from './test-scan.ts';
import { readOrEmpty, settingIn, writeFiles } from './write-files.ts';

const closers: (() => Promise<void> | void)[] = [];
try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Error) || !/^(?:SetUp|Demo|Client)Error$/u.test(error.name)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  for (const close of closers.toReversed()) await close();
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const questions = createQuestions(process.stdin.isTTY && !options.yes);
  closers.push(questions.close);
  const places = placesFor(process.env);
  const own = await ownParts(places);
  const socketPath = own?.socket ?? '/run/scan-service/scanner.sock';
  const scanner = createScannerClient({ socketPath, log: createLog('setup', 'silent') });
  closers.push(scanner.close);

  heading(questions, '1. Scanner');
  const chosen = await chooseScanner(scanner, questions, options.scanner);
  const settings = await chooseSettings(scanner, chosen.description, { questions, options });
  heading(questions, '2. Paperless-ngx');
  const destination = await chooseDestination({
    questions,
    options,
    earlier: await earlier(places),
  });
  heading(questions, '3. Files');
  const profile = options.profile ?? 'default';
  const written = await writeFiles(places, {
    profile,
    scanner: chosen,
    settings,
    destination,
    variables: own?.variables ?? {},
  });
  for (const file of written) questions.say(`  ${path.relative(places.root, file)}`);
  heading(questions, '4. Test scan');
  const isGood = await offerScan(questions, options, {
    own,
    profile,
    dmsUrl: destination.url,
    secrets: places.secrets,
  });
  questions.say(`\n${nextSteps(own === undefined, profile)}`);
  return isGood ? 0 : 1;
}

async function ownParts(places: Places): Promise<OwnParts | undefined> {
  // In a container the parts are there already, and the module is not.
  if (process.env['SERVICE_URL'] !== undefined) return undefined;
  const { startOwnParts } = await import('./own-parts.ts');
  const own = await startOwnParts(places);
  closers.push(own.stop);
  return own;
}

async function earlier(places: Places): Promise<DestinationContext['earlier']> {
  const url = settingIn(await readOrEmpty(places.settings), 'DMS_URL');
  const token = (await readOrEmpty(path.join(places.secrets, DEFAULT_TOKEN_SECRET))).trim();
  return { url, token: token === '' ? undefined : token };
}

interface ScanFacts {
  readonly own: OwnParts | undefined;
  readonly profile: string;
  readonly dmsUrl: string;
  readonly secrets: string;
}

/** Returns false if a scan was made and failed. */
async function offerScan(
  questions: Questions,
  options: SetUpOptions,
  { own, profile, dmsUrl, secrets }: ScanFacts,
): Promise<boolean> {
  const question = 'Put a sheet into the scanner. Scan it now?';
  if (!(await questions.confirm(question, options.testScan))) {
    questions.say('Not done.');
    return true;
  }
  const url = own === undefined ? process.env['SERVICE_URL'] : await own.startService(dmsUrl);
  const token = (await readOrEmpty(path.join(secrets, 'scan_api_token'))).trim() || undefined;
  return testScan(String(url), profile, { questions, token });
}

function nextSteps(inContainer: boolean, profile: string): string {
  if (inContainer) {
    const body = `-H 'Content-Type: application/json' -d '{"profile": "${profile}"}'`;
    const how = 'Start the appliance with the new settings, then scan:';
    const scan = `curl -X POST http://localhost:8080/scan ${body}`;
    return [how, 'docker compose up --detach', scan].join('\n  ');
  }
  const how = 'Start the three programs as root, each in a terminal of its own:';
  const start = [how, 'npm run scanner', 'npm run processor', 'npm start'].join('\n  ');
  return `${start}\nThen scan, in a fourth one:\n  npm run scan -- ${profile}`;
}

function heading({ say }: Questions, text: string): void {
  say(`\n${text}`);
}
