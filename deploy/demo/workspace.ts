import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DemoError } from './demo-error.ts';

/** The directories of one run of the demo. */
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

/** Marks the directory as one of the demo, because no other may be used, and names the process that uses it. */
const OWNER_FILE = 'demo.pid';

/** Directories that each demo writes anew. */
const REPLACED = ['logs', 'profiles', 'secrets', 'sane'];

/** Creates the directory, or uses that of an earlier demo, whose scans and filed documents are kept. */
export async function openWorkspace(root: string): Promise<Workspace> {
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
  for (const name of REPLACED) await rm(below(name), { recursive: true, force: true });
  for (const directory of Object.values(workspace)) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  }
  await writeFile(below(OWNER_FILE), String(process.pid));
  // The path of a Unix socket must stay under 108 bytes, wherever the checkout is.
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

/** Throws a DemoError if the directory has other content, or belongs to a demo that is still running. */
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
