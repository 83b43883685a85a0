import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDirectoryLocks, lockDirectory } from '../../../../service/archive/directory-lock.ts';
import { createScanId } from '../../../../service/archive/scan-id.ts';
import type { CheckResult } from '../../../../service/self-test/check.ts';
import { mountTmpfs, type Tmpfs } from '../../../fault/storage-support/tmpfs.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { NOBODY, TOKEN, type SelfTestBench, type Break, type Breaks } from '../self-test-bench.ts';

const run = promisify(execFile);

function follow({ remedy }: CheckResult): Promise<{ stdout: string }> {
  const [, command = ''] = /(?:Run: sudo|with:) (.*)$/.exec(remedy ?? '') ?? [];
  const [file = '', ...args] = command.split(' ');
  return run(file, args);
}

function mistake(wrong: string, right: string): Break {
  return async ({ write }) => {
    await write('a.yaml', wrong);
    return () => write('a.yaml', right);
  };
}

/** Mounts a disk for the scans. Ignores its response time, which depends on this machine. */
async function onDisk(bench: SelfTestBench, size: string, fields: object = {}): Promise<Tmpfs> {
  const disk = await mountTmpfs(size);
  bench.later(() => disk.close());
  await bench.profile({ paths: { output_dir: disk.path }, ...fields });
  return disk;
}

function tokenFile(damage: (file: string) => Promise<unknown>): Break {
  return async ({ secretFile }) => {
    await damage(secretFile);
    return () => writeFile(secretFile, `${TOKEN}\n`);
  };
}

/** A file that only root may read, while the service runs as another user. */
function unreadable(fileOf: (bench: SelfTestBench) => string | Promise<string>): Break {
  return async (bench) => {
    const file = await fileOf(bench);
    await chmod(file, 0o600);
    await bench.elsewhere({ uid: NOBODY });
    return () => chmod(file, 0o644);
  };
}

/** A scan directory in which the service's user cannot write. The remedy contains the command. */
function scansOfOthers(make: (scans: string) => Promise<unknown>): Break {
  return async ({ places: { scans }, elsewhere }) => {
    await elsewhere({ uid: NOBODY });
    await make(scans);
    return follow;
  };
}

const A = 'name: a\ndestinations: []\n';
const reading = (language: string): string => `${A}processing: {languages: [${language}]}\n`;

export const APPLIANCE_BREAKS: Breaks = {
  'a clock that was never set: fail clock: The clock says 1970-01-01…in the past. Set it, or let NTP through…':
    async ({ change }) => {
      change({ now: () => new Date(0) });
      return () => change({ now: () => new Date() });
    },
  'no profile at all: fail profiles: No profile is loaded. Put one into the profiles directory.':
    async ({ places, profile }) => {
      await rm(path.join(places.profiles, 'default.yaml'));
      return () => profile();
    },
  'a profile with a mistake: fail profiles.file: a.yaml is not loaded. "resolution" must be a whole number…Correct the file; the other profiles work.':
    mistake(`${A}resolution: 300dpi\n`, `${A}resolution: 300\n`),
  'a profile that names a language which is not installed: fail profiles.file: …names chi_sim, but the processor has eng. Install it (with Docker: OCR_LANGUAGES in .env, then docker compose up --detach --build; else the package tesseract-ocr-chi-sim), or correct the file…':
    mistake(reading('chi_sim'), reading('eng')),
  'a profile that the service may not read: fail profiles.file: a.yaml is not loaded. The file cannot be read (EACCES). Let the service read it, as with chmod 0644…':
    unreadable(async ({ write, places }) => {
      await write('a.yaml', A);
      return path.join(places.profiles, 'a.yaml');
    }),

  'no token: fail secrets.token: There is no API token. Create the secret dms_api_token or set DMS_API_TOKEN.':
    tokenFile((file) => rm(file)),
  'more than a token: fail secrets.token: The secret dms_api_token holds more than a token. Store only the token in it.':
    tokenFile((file) => writeFile(file, `token=${TOKEN} user=admin`)),
  'a token that the service may not read: fail secrets.token: …is not readable for the service, uid 65534: run "docker compose up --detach", or change its owner or mode (EACCES)…':
    unreadable(({ secretFile }) => secretFile),
  'a token in a profile, where the name of its secret should be: fail profiles.file: …"destinations[0].token_secret" must be the name of a secret, …and never the token itself. Correct the file…':
    async ({ write, sample }) => {
      const destination = `{kind: dms, base_url: "${sample.url}", token_secret: `;
      const naming = (secret: string): Promise<void> =>
        write('a.yaml', `name: a\ndestinations: [${destination}${secret}}]\n`);
      await naming(TOKEN);
      return () => naming('dms_api_token');
    },
  'a caller token that was emptied: fail secrets.caller_token: The caller token cannot be read, so every request is refused …is empty). Correct the secret scan_api_token.':
    async ({ change }) => {
      change({
        callerToken: {
          required: () => ({ state: 'unreadable', reason: 'scan_api_token is empty' }),
        },
      });
      return undefined;
    },
  'a caller token that can be guessed: warn secrets.caller_token: The caller token is short: it can be guessed. Make another one, as with: openssl rand -hex 20':
    async ({ change }) => {
      const set = (token: string): void =>
        change({ callerToken: { required: () => ({ state: 'readable', token }) } });
      set('123456');
      return async (found) => set((await follow(found)).stdout.trim());
    },

  'an output directory that is a file: fail storage.writable: …scans is not a directory. Move it away, or choose another output directory.':
    async ({ places: { scans } }) => {
      await rm(scans, { recursive: true });
      await writeFile(scans, '');
      return () => rm(scans);
    },
  'an output directory that cannot be made: fail storage.writable: …scans does not exist, and the service, uid 65534, cannot make it in … (EACCES). Run: sudo install -d …':
    scansOfOthers((scans) => rm(scans, { recursive: true })),
  'an output directory of another user: fail storage.writable: The service, uid 65534, cannot write to … (EACCES); it belongs to uid 0. Run: sudo chown -R …':
    scansOfOthers((scans) => run('chown', ['0:0', scans])),
  'scans of another user: fail storage.scans: Scans in … belong to another user: the service, uid 65534, cannot read or finish them. Run: sudo chown -R …':
    scansOfOthers(async (scans) => {
      const scan = path.join(scans, createScanId(new Date()));
      await mkdir(scan, { mode: 0o750 });
      await writeFile(path.join(scan, 'events.jsonl'), '', { mode: 0o640 });
    }),
  'a read-only disk: fail storage.writable: …cannot write to … (EROFS). It is on a read-only file system: mount it writable.':
    async (bench) => {
      const disk = await onDisk(bench, '400m');
      await disk.setReadOnly(true);
      return () => disk.setReadOnly(false);
    },
  'a full disk: fail storage.free: Only # MB are free in …, and a scan needs 128 MB. Free some space…':
    async (bench) => {
      const disk = await onDisk(bench, '400m');
      disk.leave(5_000_000);
      return () => disk.free();
    },
  'room for fewer pages than a profile allows: warn storage.free: There is room for about 3# pages in …, and a profile allows 200 per scan. Free some space…':
    async (bench) => {
      const disk = await onDisk(bench, '400m', { max_pages: 200 });
      return () => run('mount', ['-o', 'remount,size=3g', disk.path]);
    },
  'a disk without inodes: fail storage.free: …has no inodes left. Remove files: there are too many of them.':
    async (bench) => {
      const disk = await onDisk(bench, '400m,nr_inodes=2');
      const file = path.join(disk.path, 'file');
      await writeFile(file, '');
      return () => rm(file);
    },
  'a disk that is slow: warn storage.sync: It takes 1500 ms until 1 MB is safe on disk. Use another disk: an SD card may be worn out…':
    async ({ change }) => {
      change({ syncSpeed: async () => 1500 });
      return () => change({ syncSpeed: async () => 5 });
    },
  'a second service on the same directory: fail storage.owner: Another scan service writes to …. Stop it, or give each service an output directory of its own.':
    async ({ places: { scans }, change }) => {
      const release = await lockDirectory(scans);
      const locks = createDirectoryLocks(capturedLog().log);
      change({ checkOwner: (directory) => locks.check(directory) });
      return () => release();
    },
};
