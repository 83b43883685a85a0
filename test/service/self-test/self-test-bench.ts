import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { CheckResult, KeyedResult } from '../../../service/self-test/check.ts';
import { createSelfTest, type SelfTestParts } from '../../../service/self-test/self-test.ts';
import { germanText } from '../../../service/set-up/steps/translated-checks.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { partsIn, placesIn } from './self-test-parts.ts';

/** A sentinel that must not appear in any check. */
export const TOKEN = '5ec2e75e41f1e1de57ba11ad00000000deadbeef';

export const NOBODY = 65_534;

export interface SelfTestBench {
  readonly directory: string;
  readonly places: ReturnType<typeof placesIn>;
  readonly secretFile: string;
  readonly sample: SampleDms;
  /**
   * Writes the profile `default`, which delivers to the sample DMS unless `fields` override that.
   */
  readonly profile: (fields?: object) => Promise<void>;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly change: (parts: Partial<SelfTestParts>) => void;
  /** Runs the self-test in a separate process from now on. */
  readonly elsewhere: (options: Elsewhere) => Promise<void>;
  /** Runs all checks. Fails if one contains the token, or has no German text. */
  readonly look: () => Promise<readonly CheckResult[]>;
  /** Registers a clean-up. The last one registered runs first. */
  readonly later: (close: () => unknown) => void;
  readonly close: () => Promise<void>;
}

/** Breaks an appliance. Resolves with a function that follows the remedy, if a test can do that. */
export type Break = (bench: SelfTestBench) => Promise<FollowRemedy | undefined>;

/** Receives the failed check and may take a command or name from its remedy. */
export type FollowRemedy = (found: CheckResult) => unknown;

/** By title: `what: fail id: cause and remedy` of the only failing check; see `matchesPattern`. */
export type Breaks = Readonly<Record<string, Break>>;

export interface Elsewhere {
  /** The service runs as this user, who owns the scans. */
  readonly uid?: number;
  readonly environment?: Record<string, string>;
  /** A wrapper program such as `unshare`, with its arguments. */
  readonly through?: readonly string[];
  /** Queries the runtime at the socket instead of a simulated one. */
  readonly runtime?: boolean;
}

export async function createSelfTestBench(
  processes = createSelfTestProcesses(),
): Promise<SelfTestBench> {
  const temporary = await temporaryDirectory();
  const { path: directory } = temporary;
  const places = placesIn(directory);
  await Promise.all([places.scans, places.profiles, places.secrets].map((one) => mkdir(one)));
  const secretFile = path.join(places.secrets, 'dms_api_token');
  await writeFile(secretFile, `${TOKEN}\n`);
  const storeDir = path.join(directory, 'dms');
  const sample = await createSampleDms({ tokens: [TOKEN], storeDir });
  const closings: (() => unknown)[] = [() => temporary.remove(), () => sample.close()];
  let changed: Partial<SelfTestParts> = {};
  let process_: Elsewhere | undefined;
  const write: SelfTestBench['write'] = (file, text) =>
    writeFile(path.join(places.profiles, file), text);
  const profile: SelfTestBench['profile'] = (fields = {}) =>
    write(
      'default.yaml',
      // JSON is valid YAML. The page limit fits any machine.
      JSON.stringify({
        name: 'default',
        max_pages: 1,
        destinations: [{ kind: 'dms', base_url: sample.url }],
        ...fields,
      }),
    );
  await profile();
  return {
    directory,
    places,
    secretFile,
    sample,
    profile,
    write,
    change: (parts) => void (changed = { ...changed, ...parts }),
    elsewhere: async (given) => {
      process_ = given;
      await chmod(directory, 0o755);
      const parent = path.dirname(directory);
      await chmod(parent, (await stat(parent)).mode | 0o011);
      if (given.uid !== undefined) await chown(places.scans, given.uid, given.uid);
    },
    look: async () => {
      const checks = process_
        ? await processes.look(directory, process_)
        : (await createSelfTest({ ...(await partsIn(directory)), ...changed })(true)).checks;
      if (JSON.stringify(checks).includes(TOKEN)) throw new Error('a check shows the token');
      const untranslated = checks.filter((check) => /^$|\{[a-z]+\}/u.test(germanText(check) ?? ''));
      if (untranslated.length > 0) throw new Error(`no German: ${JSON.stringify(untranslated)}`);
      return checks;
    },
    later: (close) => void closings.push(close),
    close: async () => {
      for (const close of closings.toReversed()) await close();
    },
  };
}

/** Self-tests in separate processes, one per user and environment. One appliance at a time. */
export interface SelfTestProcesses {
  readonly look: (directory: string, where: Elsewhere) => Promise<readonly KeyedResult[]>;
  readonly close: () => Promise<void>;
}

export function createSelfTestProcesses(): SelfTestProcesses {
  const started = new Map<string, ReturnType<typeof startSelfTestProcess>>();
  return {
    look: (directory, { runtime = false, ...where }) => {
      const key = JSON.stringify(where);
      const one = started.get(key) ?? startSelfTestProcess(where);
      started.set(key, one);
      return one.look(JSON.stringify({ directory, runtime }));
    },
    close: async () => void (await Promise.all([...started.values()].map(({ close }) => close()))),
  };
}

function startSelfTestProcess({ uid = 0, environment = {}, through = [] }: Elsewhere): {
  readonly look: (asked: string) => Promise<readonly KeyedResult[]>;
  readonly close: () => Promise<void>;
} {
  const script = path.join(import.meta.dirname, 'self-test-process.ts');
  const [file, ...args] = [...through, process.execPath, script, String(uid)];
  // Another user cannot write to the coverage directory, which Node otherwise passes on.
  const coverage = uid === 0 ? {} : { NODE_V8_COVERAGE: undefined };
  const env = { PATH: process.env['PATH'], ...coverage, ...environment };
  const child = spawn(file, args, { env, cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    look: async (asked: string): Promise<readonly KeyedResult[]> => {
      child.stdin.write(`${asked}\n`);
      return JSON.parse((await lines.next()).value ?? '[]') as readonly KeyedResult[];
    },
    close: async () => {
      const ended = once(child, 'close');
      child.stdin.end();
      await ended;
    },
  };
}

export function problemsIn(checks: readonly CheckResult[]): string {
  return checks
    .filter(({ status }) => status === 'fail' || status === 'warn')
    .map(({ id, status, message, remedy }) =>
      `${status} ${id}: ${message} ${remedy ?? ''}`.trimEnd(),
    )
    .join('\n');
}
