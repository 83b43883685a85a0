import { parseArgs } from 'node:util';
import type { Sides } from '../../helpers/ipc/messages.ts';
import { usageProblem, WRONG_USAGE } from '../../helpers/usage.ts';
import { EXPECTED_NAME, PROFILE_NAME } from '../../service/profiles/schema.ts';
import { SetUpError } from './set-up-error.ts';

/** Answers from the command line. The user is asked for undefined ones. */
export interface SetUpOptions {
  readonly help: boolean;
  /** Use the suggestions instead of asking. */
  readonly yes: boolean;
  readonly profile: string | undefined;
  /** Device name, or address of a network scanner. */
  readonly scanner: string | undefined;
  readonly source: string | undefined;
  readonly sides: Sides | undefined;
  readonly mode: string | undefined;
  readonly resolution: string | undefined;
  readonly pageSize: string | undefined;
  readonly dmsUrl: string | undefined;
  readonly token: string | undefined;
  readonly tags: string | undefined;
  readonly correspondent: string | undefined;
  /** Separated by spaces or commas. */
  readonly languages: string | undefined;
  readonly timeZone: string | undefined;
  readonly callerToken: boolean | undefined;
  readonly testScan: boolean | undefined;
  readonly systemd: boolean | undefined;
}

export const USAGE = `Usage: npm run setup -- [options]
       docker compose run --rm setup [options]

Finds the scanner, checks the Paperless-ngx, and writes a profile, the settings and the token. Asks for what no option answers,
and begins with the answers of an earlier set-up.

  --profile NAME          name of the profile (default: default)
  --scanner NAME          name of the device, address of a scanner on the network, or "later"
  --source TEXT           one of the scanner's sources; likewise --mode, --resolution and --page-size
  --sides one|both        sides of each sheet
  --dms-url URL           address of the Paperless-ngx
  --tags A,B              tags for each document, by name
  --correspondent NAME    correspondent of each document
  --languages A,B         languages of the documents, such as deu,eng
  --time-zone NAME        time zone of the dates in titles, such as Europe/Berlin
  --caller-token          make a token that callers must send; --no-caller-token: do not
  --test-scan             scan at the end; --no-test-scan: do not
  --systemd               start it at boot; --no-systemd: do not (only without containers)
  --yes                   do not ask: take the suggestion wherever no option answers
  --help                  show this help

The API token of the Paperless-ngx is read from the variable DMS_API_TOKEN, if it is set.`;

const text = { type: 'string' } as const;

/** Throws a SetUpError that names the wrong option. */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SetUpOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        profile: text,
        scanner: text,
        source: text,
        sides: text,
        mode: text,
        resolution: text,
        'page-size': text,
        'dms-url': text,
        tags: text,
        correspondent: text,
        languages: text,
        'time-zone': text,
        'caller-token': { type: 'boolean' },
        'test-scan': { type: 'boolean' },
        systemd: { type: 'boolean' },
        yes: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.profile !== undefined && !PROFILE_NAME.test(values.profile))
      throw new Error(`--profile must be ${EXPECTED_NAME}.`);
    const { sides } = values;
    if (sides !== undefined && sides !== 'one' && sides !== 'both')
      throw new Error('--sides must be one or both.');
    return {
      help: values.help,
      yes: values.yes,
      profile: values.profile,
      scanner: values.scanner,
      source: values.source,
      sides,
      mode: values.mode,
      resolution: values.resolution,
      pageSize: values['page-size'],
      dmsUrl: values['dms-url'],
      token: environment['DMS_API_TOKEN'] || undefined,
      tags: values.tags,
      correspondent: values.correspondent,
      languages: values.languages,
      timeZone: values['time-zone'],
      callerToken: values['caller-token'],
      testScan: values['test-scan'],
      systemd: values.systemd,
    };
  } catch (error) {
    throw new SetUpError(usageProblem(error, USAGE), { exitCode: WRONG_USAGE });
  }
}
