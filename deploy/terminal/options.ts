import { parseArgs } from 'node:util';
import { usageProblem } from '../../helpers/usage.ts';
import { ClientError } from './client-error.ts';
import { EXIT } from './outcome.ts';

export type Call =
  | { readonly kind: 'scan'; readonly body: object }
  | { readonly kind: 'resume' | 'watch'; readonly scanId: string };

export interface ClientOptions {
  readonly help: boolean;
  readonly json: boolean;
  readonly list: boolean;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly token: string | undefined;
  readonly call: Call;
}

export const DEFAULT_URL = 'http://127.0.0.1:8080';

export const USAGE = `Usage: npm run scan -- [PROFILE] [options]

Scans the stack in the feeder and shows every page as it arrives. Without PROFILE, scans with the profile "default".

  --title TEXT   title of the documents
  --tags A,B     tags of the documents: names, separated by commas
  --created DATE date of the documents, YYYY-MM-DD
  --source, --sides, --mode, --resolution, --page-size, --page-grouping, --remove-blank-pages, --languages
                 settings of this scan in place of the profile's: --mode Color --resolution 600 --languages eng,deu
  --side backs   with --continue: the backs of the sheets
  --hold         make no documents yet: the scan waits for more paper
  --continue ID  feed more paper into a scan that is held or ended early
  --resume ID    finish a scan that is held or ended early, without feeding paper
  --watch ID     watch a scan
  --list         list the newest scans
  --url URL      address of the service (default: SCAN_URL, or ${DEFAULT_URL})
  --json         print each event as a line of JSON; the last one is the result
  --help         show this help

If the service requires a token, set it in the variable SCAN_API_TOKEN. On its own machine it is found automatically.

Exit codes:
  0  every document was accepted by every destination
  1  another failure
  2  wrong usage
  3  a delivery failed, or its outcome is unknown
  4  the feeder is empty
  5  the scanner or the scan is in use
  6  the scan ended early; its pages are stored
  130  Ctrl-C: the scan goes on`;

/** Throws a ClientError that names the wrong option and the expected value. */
export function parseOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ClientOptions {
  const { values, positionals } = parse(args);
  const url = values.url ?? environment['SCAN_URL'] ?? DEFAULT_URL;
  return {
    help: values.help,
    json: values.json,
    list: values.list,
    baseUrl: checkUrl(url).replace(/\/+$/, ''),
    token: environment['SCAN_API_TOKEN'],
    call: chooseCall(values, positionals),
  };
}

const SETTING_OPTIONS = {
  source: { type: 'string' },
  sides: { type: 'string' },
  mode: { type: 'string' },
  resolution: { type: 'string' },
  'page-size': { type: 'string' },
  'page-grouping': { type: 'string' },
  'remove-blank-pages': { type: 'string' },
  languages: { type: 'string' },
} as const;

// oxlint-disable-next-line typescript/explicit-function-return-type -- it follows from the options listed
function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        title: { type: 'string' },
        tags: { type: 'string' },
        created: { type: 'string' },
        ...SETTING_OPTIONS,
        side: { type: 'string' },
        hold: { type: 'boolean' },
        continue: { type: 'string' },
        resume: { type: 'string' },
        watch: { type: 'string' },
        list: { type: 'boolean', default: false },
        url: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw usageError(error);
  }
}

/** The field `settings` of POST /scan. Undefined without options for it. */
function settingsIn(values: Values): { readonly settings: object } | undefined {
  const { source, sides, mode, resolution, languages } = values;
  const settings = {
    source,
    sides,
    mode,
    resolution: resolution === undefined ? undefined : wholeNumber('--resolution', resolution),
    page_size: values['page-size'],
    page_grouping: values['page-grouping'],
    remove_blank_pages: values['remove-blank-pages'],
    languages: languages?.split(',').map((language) => language.trim()),
  };
  return Object.values(settings).some((value) => value !== undefined) ? { settings } : undefined;
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(`${option} must be a whole number such as 300, not "${text}".`);
}

type Values = ReturnType<typeof parse>['values'];

function chooseCall(values: Values, [profile, ...more]: readonly string[]): Call {
  const { title, created, side, hold, resume, watch } = values;
  const settings = settingsIn(values);
  const tags = values.tags?.split(',').map((tag) => tag.trim());
  const [scanId, ...others] = [values.continue, resume, watch].filter((id) => id !== undefined);
  if (more.length > 0) throw usageError(`Only one profile can be given, not "${more[0]}" too.`);
  if (others.length > 0) throw usageError('Give only one of --continue, --resume and --watch.');
  if (side !== undefined && values.continue === undefined) {
    throw usageError('--side is for --continue.');
  }
  if (scanId === undefined) {
    return { kind: 'scan', body: { profile, ...settings, title, tags, created, hold } };
  }
  if ([profile, settings, title, tags, created].some((one) => one !== undefined)) {
    throw usageError(
      'A scan keeps the profile, settings, title, tags and date that it began with. Leave them out.',
    );
  }
  if (values.continue !== undefined) {
    return { kind: 'scan', body: { continue_scan: scanId, side, hold } };
  }
  if (hold === true) throw usageError('--hold is for calls that feed paper.');
  return { kind: resume === undefined ? 'watch' : 'resume', scanId };
}

function checkUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw usageError(`--url must be an address such as ${DEFAULT_URL}, not "${url}".`);
}

function usageError(problem: unknown): ClientError {
  return new ClientError(usageProblem(problem, USAGE), EXIT.usage);
}
