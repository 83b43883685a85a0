import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Places } from './places.ts';
import type { Questions } from './questions.ts';

const SCRIPT = path.resolve(import.meta.dirname, '../systemd/install.sh');

const SYSTEMD = '/run/systemd/system';

/** Asks whether to start the appliance at boot, if systemd is running. */
export async function wantsUnits(
  { confirm }: Questions,
  given: boolean | undefined,
): Promise<boolean> {
  if (!existsSync(SYSTEMD) || process.getuid?.() !== 0) return false;
  return confirm('Start it at boot, as a user of its own (systemd)?', given);
}

/**
 * Installs the units with the written settings. Resolves with the script's exit code. The script
 * ends with this program, except for a running apt-get or npm.
 */
export async function installUnits({ root }: Places): Promise<number> {
  const command = ['--pdeathsig', 'TERM', '--', 'sh', SCRIPT, root];
  const script = spawn('setpriv', command, { stdio: 'inherit' });
  const [code]: unknown[] = await once(script, 'exit');
  return typeof code === 'number' ? code : 1;
}
