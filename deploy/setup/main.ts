/**
 * The set-up assistant: finds the scanner, checks Paperless-ngx, writes profile, settings and
 * tokens, and offers a test scan. Runs on the machine itself with its own scanner runtime, or in a
 * container with that of docker-compose.yml.
 */
import path from 'node:path';
import { createLog } from '../../helpers/log.ts';
import { createScannerClient } from '../../service/scanner/scanner-client.ts';
import { CALLER_TOKEN_SECRET } from '../../service/set-up/caller-token.ts';
import { chooseCallerToken } from './choose-caller-token.ts';
import { chooseDestination } from './choose-destination.ts';
import { chooseLanguages, chooseTimeZone } from './choose-locale.ts';
import { chooseProfile } from './choose-profile.ts';
import { chooseScanner } from './choose-scanner.ts';
import { chooseSettings } from './choose-settings.ts';
import { readEarlier } from './earlier.ts';
import { refusedFields } from './loaded-profile.ts';
import { installUnits, wantsUnits } from './install-units.ts';
import { nextSteps } from './next-steps.ts';
import { offerLanguages } from './offer-languages.ts';
import { parseOptions, USAGE, type SetUpOptions } from './options.ts';
import type { OwnParts } from './own-parts.ts';
import { placesFor, type Places } from './places.ts';
import { createQuestions, type Questions } from './questions.ts';
import { SetUpError } from './set-up-error.ts';
import {
  describeStop,
  exitCodeOf,
  noteScan,
  stopOnSignals,
  untilStopped,
  type Progress,
} from './stopping.ts';
import { testScan } from './test-scan.ts';
import { writeFiles } from './write-files.ts';

const closers: (() => Promise<void> | void)[] = [];
const stop = stopOnSignals();
const progress: Progress = {};
// A closed terminal must not prevent stopping the parts.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {});
try {
  process.exitCode = await untilStopped(main(), stop.signal);
} catch (error) {
  process.exitCode = await explain(error);
} finally {
  await closeAll();
  // A request to the scanner may still be open.
  if (stop.signal.aborted) process.exit();
}

/** Resolves with the exit code. */
async function explain(error: unknown): Promise<number> {
  if (stop.signal.aborted) {
    const inContainer = process.env['SERVICE_URL'] !== undefined;
    const command = inContainer ? 'docker compose run --rm setup' : 'npm run setup';
    console.error(await describeStop(progress, command));
    return exitCodeOf(stop.signal);
  }
  if (!(error instanceof Error) || !/^(?:SetUp|Demo|Client)Error$/u.test(error.name)) throw error;
  console.error(error.message);
  return error instanceof SetUpError ? error.exitCode : 1;
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const questions = createQuestions(process.stdin.isTTY && !options.yes, () =>
    stop.abort('SIGINT'),
  );
  closers.push(questions.close);
  const places = placesFor(process.env);
  const own = await ownParts(places);
  const socketPath = own?.socket ?? '/run/scan-service/scanner.sock';
  const scanner = createScannerClient({ socketPath, log: createLog('setup', 'silent') });
  closers.push(scanner.close);
  const earlier = await readEarlier(places, options.profile ?? 'default');
  if (questions.canAsk) {
    questions.say(
      'Enter takes the answer in brackets. Ctrl-C ends; nothing is written before step 4.',
    );
  }

  heading(questions, '1. Scanner');
  const chosen = await chooseScanner(scanner, {
    questions,
    given: options.scanner,
    earlier: earlier.device,
  });
  const settings = await chooseSettings(scanner, chosen.description, {
    questions,
    options,
    earlier: earlier.profile,
  });

  heading(questions, '2. Paperless-ngx');
  const destination = await chooseDestination({ questions, options, earlier });

  heading(questions, '3. Languages and access');
  const locale = { questions, options, earlier, environment: process.env };
  const wanted = await chooseLanguages(locale);
  const languages = own === undefined ? wanted : await offerLanguages(wanted, questions);
  const timeZone = await chooseTimeZone(locale);
  const callerToken = await chooseCallerToken({ questions, options, earlier: earlier.callerToken });

  heading(questions, '4. Files');
  const profile = await chooseProfile(
    {
      profile: options.profile ?? 'default',
      device: chosen.device,
      settings,
      languages,
      destination,
    },
    earlier.profile,
    { questions, places },
  );
  const built = new Set(['eng', ...(earlier.setting('OCR_LANGUAGES') ?? '').split(/[\s"']+/u)]);
  const isNew = own === undefined && languages.some((code) => !built.has(code));
  progress.writing = writeFiles(places, {
    profile: profile.name,
    profileText: profile.text,
    scanner: chosen,
    secrets: {
      [earlier.tokenSecret]: destination.token,
      ...(callerToken !== undefined && { [CALLER_TOKEN_SECRET]: callerToken }),
    },
    variables: {
      DMS_URL: destination.url,
      ...(timeZone !== undefined && { TZ: timeZone }),
      ...(isNew && { OCR_LANGUAGES: imageLanguages([...built, ...languages]) }),
      ...own?.variables,
    },
  });
  for (const file of await progress.writing) questions.say(`  ${path.relative(places.root, file)}`);
  if (earlier.setting('SHIPPED_PROFILES') !== 'off') {
    questions.say(
      'The page also shows four profiles that come with the service (both sides, glass, receipts, cards). They give no tags and read\n' +
        'English only. SHIPPED_PROFILES=off in .env hides them; docs/profiles.md says how to change them.',
    );
  }
  if (callerToken !== undefined) {
    questions.say(
      `The caller token is ${callerToken}\n` +
        'Enter it once on each device, where the control page asks for it. It stays in secrets/scan_api_token.',
    );
  }

  heading(questions, '5. Test scan');
  const token = callerToken ?? earlier.callerToken;
  const service = { baseUrl: String(process.env['SERVICE_URL']), token };
  const refused = own === undefined && !isNew ? await refusedFields(service, profile.name) : [];
  const needsBuild = isNew || refused.includes('processing.languages');
  const problem = reasonForNoScan(chosen.description === undefined, needsBuild);
  const isGood =
    problem === undefined
      ? await offerScan(questions, options, {
          own,
          profile: profile.name,
          dmsUrl: destination.url,
          timeZone,
          callerToken: token,
        })
      : true;
  if (problem !== undefined) questions.say(problem);
  if (own !== undefined && isGood && (await wantsUnits(questions, options.systemd))) {
    // Frees the port and the scan directory, which the units need.
    await closeAll();
    return installUnits(places);
  }
  const steps = {
    inContainer: own === undefined,
    profile: profile.name,
    button: profile.button,
    needsBuild,
  };
  questions.say(`\n${nextSteps(steps)}`);
  return isGood ? 0 : 1;
}

async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

async function ownParts(places: Places): Promise<OwnParts | undefined> {
  // In a container, the parts are already running, and this module does not exist.
  if (process.env['SERVICE_URL'] !== undefined) return undefined;
  const { startOwnParts } = await import('./own-parts.ts');
  const own = await startOwnParts(places);
  closers.push(own.stop);
  return own;
}

function imageLanguages(codes: readonly string[]): string {
  return [...new Set(codes)].filter((code) => code !== '' && code !== 'eng').join(' ');
}

function reasonForNoScan(isLater: boolean, needsBuild: boolean): string | undefined {
  if (isLater) return 'Not done: the scanner is not at hand.';
  if (needsBuild) {
    return (
      'Not done yet: the processor must be built with its new language first, by the command below. Then answer the set-up\n' +
      'once more, with Enter, for a test scan.'
    );
  }
  return undefined;
}

interface ScanFacts {
  readonly own: OwnParts | undefined;
  readonly profile: string;
  readonly dmsUrl: string;
  readonly timeZone: string | undefined;
  readonly callerToken: string | undefined;
}

/** Returns false if a test scan failed. */
async function offerScan(
  questions: Questions,
  options: SetUpOptions,
  { own, profile, dmsUrl, timeZone, callerToken: token }: ScanFacts,
): Promise<boolean> {
  const question = 'Put a sheet into the scanner. Scan it now?';
  if (!(await questions.confirm(question, options.testScan))) {
    questions.say('Not done.');
    return true;
  }
  const settings = { DMS_URL: dmsUrl, ...(timeZone !== undefined && { TZ: timeZone }) };
  const url = own === undefined ? process.env['SERVICE_URL'] : await own.startService(settings);
  return testScan(String(url), profile, {
    questions,
    token,
    signal: stop.signal,
    onEvent: (event) => noteScan(progress, event, own === undefined),
  });
}

function heading({ say }: Questions, text: string): void {
  say(`\n${text}`);
}
