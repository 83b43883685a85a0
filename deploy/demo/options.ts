import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { usageProblem, WRONG_USAGE } from '../../helpers/usage.ts';
import { DemoError } from './demo-error.ts';

export interface DemoOptions {
  readonly help: boolean;
  readonly once: boolean;
  /** Starts an appliance that waits to be set up in the browser. */
  readonly isNew: boolean;
  /** Port of the service. Undefined: the usual port, or the next free one. 0: any free port. */
  readonly port: number | undefined;
  /** Directory of page images. Default: the shipped ones. */
  readonly pagesDir: string | undefined;
  readonly dms: { readonly url: string; readonly token: string } | undefined;
  readonly profile: string;
  readonly pagesPerMinute: number;
  readonly directory: string;
}

/** Pages per minute of a common office feeder. Fast feeders reach 80. */
const DEFAULT_PPM = 25;

export const DEMO_PROFILE = 'demo';

export const USAGE = `Usage: npm run demo -- [options]

Runs the whole appliance on this machine with a virtual scanner and a sample document-management system, and scans a stack
of paper.

  --once          stop after one scan instead of staying up
  --new           start an appliance that nobody has set up, to set it up in the browser; scan nothing
  --port N        port of the service (default: 8080, or the next free port)
  --pages DIR     scan the page images in DIR (PNG, JPEG, TIFF), in the order of their names
  --dms URL       deliver to this Paperless-ngx; set its API token in the variable DMS_API_TOKEN
  --profile NAME  scan with this profile (default: ${DEMO_PROFILE}); those in profiles/ are there too
  --ppm N         sheets per minute that the scanner feeds (default: ${DEFAULT_PPM})
  --dir DIR       directory for scans, documents and logs (default: .demo); earlier scans in it are kept. With --new, the default
                  is .demo-new, and what an earlier demo left in it is removed
  --help          show this help`;

/** Throws a DemoError that names the wrong option and the expected value. */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): DemoOptions {
  const values = parse(args);
  // npm changes to the checkout, but users type paths relative to where they are.
  const base = environment['INIT_CWD'] ?? process.cwd();
  const port =
    values.port === undefined ? undefined : wholeNumber(values.port, '--port', 0, 65_535);
  const isNew = values.new;
  if (isNew && (values.once || values.dms !== undefined || values.profile !== DEMO_PROFILE)) {
    throw wrongUsage('--new scans nothing: omit --once, --dms and --profile.');
  }
  return {
    help: values.help,
    once: values.once,
    isNew,
    port,
    pagesDir: values.pages === undefined ? undefined : resolve(base, values.pages),
    dms: values.dms === undefined ? undefined : realDms(values.dms, environment['DMS_API_TOKEN']),
    profile: profileName(values.profile),
    pagesPerMinute: wholeNumber(values.ppm, '--ppm', 1, 1000),
    directory:
      values.dir === undefined
        ? join(import.meta.dirname, '..', '..', isNew ? '.demo-new' : '.demo')
        : resolve(base, values.dir),
  };
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- it follows from the options listed
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        new: { type: 'boolean', default: false },
        port: { type: 'string' },
        pages: { type: 'string' },
        dms: { type: 'string' },
        profile: { type: 'string', default: DEMO_PROFILE },
        ppm: { type: 'string', default: String(DEFAULT_PPM) },
        dir: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw wrongUsage(usageProblem(error, USAGE));
  }
}

function wholeNumber(text: string, option: string, min: number, max: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw wrongUsage(`${option} must be a whole number from ${min} to ${max}, not "${text}".`);
}

function profileName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) return name;
  throw wrongUsage(`--profile must be the name of a profile, such as "demo", not "${name}".`);
}

function realDms(url: string, token: string | undefined): { url: string; token: string } {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw wrongUsage(`--dms must be an address such as http://paperless:8000, not "${url}".`);
  }
  if (token === undefined || token === '') {
    throw wrongUsage('--dms needs the API token of that system in the variable DMS_API_TOKEN.');
  }
  return { url, token };
}

function wrongUsage(message: string): DemoError {
  return new DemoError(message, { exitCode: WRONG_USAGE });
}
