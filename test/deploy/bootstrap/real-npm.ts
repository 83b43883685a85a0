import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { watchProgram, type WatchedProgram } from '../../support/programs.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../../..');

/** Time limit of a run. npm starts within a second or so, and retries twice if nothing answers. */
const RUN_WITHIN_MS = 60_000;

export interface BootstrapCheckout {
  readonly directory: string;
  readonly write: (file: string, text: string) => Promise<void>;
  readonly start: (
    program: readonly [string, ...string[]],
    env?: Readonly<Record<string, string>>,
  ) => WatchedProgram;
}

export async function createBootstrapCheckout(parent: string): Promise<BootstrapCheckout> {
  const directory = path.join(parent, 'checkout');
  const write: BootstrapCheckout['write'] = async (file, text) => {
    await mkdir(path.dirname(path.join(directory, file)), { recursive: true });
    await writeFile(path.join(directory, file), text);
  };
  for (const name of ['deploy/bootstrap', 'package.json'])
    await cp(path.join(CHECKOUT, name), path.join(directory, name), { recursive: true });
  const lockfile = JSON.stringify({ lockfileVersion: 3, packages: {} });
  await write('package-lock.json', lockfile);
  await write('node_modules/.package-lock.json', lockfile);
  return {
    directory,
    write,
    start: (program, env = {}) =>
      watchProgram(program, {
        env: {
          PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
          HOME: parent,
          npm_config_update_notifier: 'false',
          ...env,
        },
        cwd: directory,
        withinMs: RUN_WITHIN_MS,
      }),
  };
}
