import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Places } from './places.ts';
import type { Questions } from './questions.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../systemd/install.sh');

/** systemd makes it where it is the system's own. */
const SYSTEMD = '/run/systemd/system';

/** Whether a person wants the appliance to start with the machine. Not asked where systemd does not run. */
export async function wantsUnits(
  { confirm }: Questions,
  given: boolean | undefined,
): Promise<boolean> {
  if (!existsSync(SYSTEMD) || process.getuid?.() !== 0) return false;
  return confirm('Start it at boot, as a user of its own (systemd)?', given);
}

/**
 * Installs the units, and hands over what was written. Resolves with the exit code of the script, which says what it does. It ends with
 * this program, but for an apt-get or npm that has begun.
 */
export async function installUnits({ root }: Places): Promise<number> {
  const command = ['--pdeathsig', 'TERM', '--', 'sh', SCRIPT, root];
  const script = spawn('setpriv', command, { stdio: 'inherit' });
  const [code]: unknown[] = await once(script, 'exit');
  return typeof code === 'number' ? code : 1;
}
