import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoError } from './demo-error.ts';

export interface Workspace {
  readonly root: string;
  readonly logs: string;
  readonly profiles: string;
  readonly scans: string;
  readonly secrets: string;
  readonly saneConfig: string;
  readonly dmsStore: string;
  readonly scannerSocket: string;
  /** Releases the directory for the next demo. The scans stay in it. */
  readonly release: () => Promise<void>;
}

/** Marks a directory as the demo's. Contains the process id of its user. */
const OWNER_FILE = 'demo.pid';

/** Directories that each demo recreates. */
const REPLACED = ['logs', 'profiles', 'secrets', 'sane'];

/** Directories that a demo of a new appliance removes as well. */
const OF_A_USED_ONE = ['scans', 'dms', 'saved-profiles', 'settings'];

/** Creates the directory, or reuses that of an earlier demo with its scans and documents. */
export async function openWorkspace(root: string, isNew: boolean): Promise<Workspace> {
  await refuseForeign(root);
  const below = (name: string): string => join(root, name);
  const workspace = {
    root,
    logs: below('logs'),
    profiles: below('profiles'),
    scans: below('scans'),
    secrets: below('secrets'),
    saneConfig: below('sane'),
    dmsStore: below('dms'),
  };
  const replaced = isNew ? [...REPLACED, ...OF_A_USED_ONE] : REPLACED;
  for (const name of replaced) await rm(below(name), { recursive: true, force: true });
  for (const directory of Object.values(workspace)) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  }
  await writeFile(below(OWNER_FILE), String(process.pid));
  // Socket paths have at most 108 bytes.
  const sockets = await mkdtemp(join(tmpdir(), 'scan-service-demo-'));
  return {
    ...workspace,
    scannerSocket: join(sockets, 'scanner.sock'),
    release: async () => {
      await rm(sockets, { recursive: true, force: true });
      await writeFile(below(OWNER_FILE), '');
    },
  };
}

/** Throws a DemoError if the directory has other content, or if another demo uses it. */
async function refuseForeign(root: string): Promise<void> {
  const names: string[] = await readdir(root).catch(() => []);
  if (names.length === 0) return;
  if (!names.includes(OWNER_FILE)) {
    throw new DemoError(`${root} was not created by a demo. Choose another directory with --dir.`);
  }
  const pid = (await readFile(join(root, OWNER_FILE), 'utf8')).trim();
  const command = await readFile(`/proc/${pid || 'none'}/cmdline`, 'utf8').catch(() => '');
  if (command.includes('demo')) {
    throw new DemoError(
      `Another demo is running in ${root} (process ${pid}). Stop it, or choose another directory with --dir.`,
    );
  }
}
