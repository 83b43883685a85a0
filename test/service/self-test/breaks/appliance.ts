import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createDirectoryLocks, lockDirectory } from '../../../../service/archive/directory-lock.ts';
import { createScanId } from '../../../../service/archive/scan-id.ts';
import { watchCallerToken } from '../../../../service/http/caller-token.ts';
import { createSecretReader } from '../../../../service/paperless/secrets.ts';
import type { CheckResult } from '../../../../service/self-test/check.ts';
import { mountTmpfs, type Tmpfs } from '../../../fault/storage-support/tmpfs.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { NOBODY, TOKEN, type SelfTestBench } from '../self-test-bench.ts';
import type { Break } from './break.ts';

const run = promisify(execFile);

/** Runs the command that a remedy names after "Run: sudo", word by word. */
async function follow({ remedy }: CheckResult): Promise<void> {
  const [file = '', ...args] = /Run: sudo (.*)$/.exec(remedy ?? '')?.[1]?.split(' ') ?? [];
  await run(file, args);
}

/** A disk of its own for the scans, without the time that a disk takes, which is that of this machine. */
async function onDisk(bench: SelfTestBench, size: string, fields: object = {}): Promise<Tmpfs> {
  const disk = await mountTmpfs(size);
  bench.later(() => disk.close());
  await bench.profile({ paths: { output_dir: disk.path }, ...fields });
  return disk;
}

/** A profile that is the only one: where it is wrong, none is loaded. */
const BESIDE = 'name: other\ndestinations: []\n';

const profiles: readonly Break[] = [
  {
    what: 'a clock that was never set',
    check: 'fail clock',
    says: /^The clock says 1970-01-01.*in the past\. Set it, or let NTP through/,
    break: async (bench) => {
      bench.change({ now: () => new Date(0) });
      return () => bench.change({ now: () => new Date() });
    },
  },
  {
    what: 'no profile at all',
    check: 'fail profiles',
    says: /^No profile is loaded\. Put one into the profiles directory\.$/,
    break: async (bench) => {
      await rm(path.join(bench.places.profiles, 'default.yaml'));
      return () => bench.profile();
    },
  },
  {
    what: 'a profile with a mistake',
    check: 'fail profiles.file',
    says: /^a\.yaml is not loaded\. "resolution" must be a whole number.*Correct the file; the other profiles work\.$/,
    break: async ({ write }) => {
      await write('a.yaml', 'name: a\nresolution: 300dpi\ndestinations: []\n');
      return () => write('a.yaml', 'name: a\nresolution: 300\ndestinations: []\n');
    },
  },
  {
    what: 'a profile with a key that there is not',
    check: 'fail profiles.file',
    says: /^a\.yaml is not loaded\. "resolutoin" .*\(line 2\)\. Correct the file/,
    break: async ({ write }) => {
      await write('a.yaml', 'name: a\nresolutoin: 300\ndestinations: []\n');
      return () => write('a.yaml', 'name: a\nresolution: 300\ndestinations: []\n');
    },
  },
  {
    what: 'a profile that is no YAML',
    check: 'fail profiles.file',
    says: /^a\.yaml is not loaded\. The file is not valid YAML \(line \d.*Correct the file/,
    break: async ({ write }) => {
      await write('a.yaml', 'name: a\ndestinations: [\n');
      return () => write('a.yaml', 'name: a\ndestinations: []\n');
    },
  },
  {
    what: 'two profiles of one name',
    check: 'fail profiles.file',
    says: /^other\.yaml is not loaded\. "name" is the name of the profile in default\.yaml already/,
    break: async ({ write }) => {
      await write('other.yaml', 'name: default\ndestinations: []\n');
      return () => write('other.yaml', BESIDE);
    },
  },
  {
    what: 'a profile that names a language which is not installed',
    check: 'fail profiles.file',
    says: /names chi_sim, but the processor has eng\. Install it \(with Docker: OCR_LANGUAGES in \.env, then docker compose up --detach --build; else the package tesseract-ocr-chi-sim\), or correct the file/,
    break: async ({ write }) => {
      const text = 'name: a\ndestinations: []\nprocessing: {languages: ';
      await write('a.yaml', `${text}[chi_sim]}\n`);
      return () => write('a.yaml', `${text}[eng]}\n`);
    },
  },
  {
    what: 'a profile that the service may not read',
    check: 'fail profiles.file',
    says: /^a\.yaml is not loaded\. The file cannot be read \(EACCES\)\. Let the service read it, as with chmod 0644/,
    break: async ({ write, places, elsewhere }) => {
      await write('a.yaml', BESIDE);
      await chmod(path.join(places.profiles, 'a.yaml'), 0o600);
      await elsewhere({ uid: NOBODY });
      return () => chmod(path.join(places.profiles, 'a.yaml'), 0o644);
    },
  },
  {
    what: 'no address of Paperless-ngx',
    check: 'fail profiles.file',
    says: /^a\.yaml is not loaded\. .*DMS_URL/,
    break: async ({ write, change, sample }) => {
      await write('a.yaml', 'name: a\ndestinations: [{kind: dms}]\n');
      return () => change({}, { dmsUrl: sample.url });
    },
  },
];

const secrets: readonly Break[] = [
  ...(
    [
      [
        'no token',
        (file) => rm(file),
        /^There is no API token\. Create the secret dms_api_token or set DMS_API_TOKEN\.$/,
      ],
      [
        'an empty token',
        (file) => writeFile(file, ' \n'),
        /^There is no API token\. Create the secret/,
      ],
      [
        'more than a token',
        (file) => writeFile(file, `token=${TOKEN} user=admin`),
        /^The secret dms_api_token holds more than a token\. Store only the token in it\.$/,
      ],
      [
        'a directory where the token should be',
        (file) => rm(file).then(() => mkdir(file)),
        /^The token cannot be read\. Correct its file\. \(.*dms_api_token is a directory\)$/,
      ],
    ] satisfies readonly (readonly [string, (file: string) => Promise<unknown>, RegExp])[]
  ).map(([what, damage, says]): Break => ({
    what,
    check: 'fail secrets.token',
    says,
    break: async ({ secretFile }) => {
      await damage(secretFile);
      return async () => {
        await rm(secretFile, { recursive: true, force: true });
        await writeFile(secretFile, `${TOKEN}\n`);
      };
    },
  })),
  {
    what: 'a token that the service may not read',
    check: 'fail secrets.token',
    says: /is not readable for the service, uid 65534: run "docker compose up --detach", or change its owner or mode \(EACCES\)/,
    break: async ({ secretFile, elsewhere }) => {
      await chmod(secretFile, 0o600);
      await elsewhere({ uid: NOBODY });
      return () => chmod(secretFile, 0o644);
    },
  },
  {
    what: 'a token in a profile, where the name of its secret should be',
    check: 'fail profiles.file',
    says: /"destinations\[0\]\.token_secret" must be the name of a secret, .*and never the token itself\. Correct the file/,
    break: async ({ write, sample }) => {
      const text = `name: a\ndestinations: [{kind: dms, base_url: "${sample.url}", token_secret: `;
      await write('a.yaml', `${text}${TOKEN}}]\n`);
      return () => write('a.yaml', `${text}dms_api_token}]\n`);
    },
  },
  {
    what: 'a caller token that was emptied',
    check: 'fail secrets.caller_token',
    says: /^The caller token cannot be read, so every request is refused .*is empty\)\. Correct the secret scan_api_token\.$/,
    break: async ({ places, change, later }) => {
      const file = path.join(places.secrets, 'scan_api_token');
      const readSecret = createSecretReader({ directory: places.secrets, environment: {} });
      const watch = async (text: string): Promise<void> => {
        await writeFile(file, text);
        const { log } = capturedLog();
        const callerToken = await watchCallerToken({ readSecret, secretsDir: places.secrets, log });
        later(() => callerToken.close());
        change({ callerToken });
      };
      await watch('');
      return () => watch('a-token-that-cannot-be-guessed\n');
    },
  },
  {
    what: 'a caller token that can be guessed',
    check: 'warn secrets.caller_token',
    says: /^The caller token is short: it can be guessed\. Make another one, as with: openssl rand -hex 20$/,
    break: async ({ change }) => {
      const set = (token: string): void =>
        change({ callerToken: { required: () => ({ state: 'readable', token }) } });
      set('123456');
      return async ({ remedy }) => {
        const [file = '', ...args] = /with: (.*)$/.exec(remedy ?? '')?.[1]?.split(' ') ?? [];
        set((await run(file, args)).stdout.trim());
      };
    },
  },
];

const storage: readonly Break[] = [
  {
    what: 'an output directory that is a file',
    check: 'fail storage.writable',
    says: /scans is not a directory\. Move it away, or choose another output directory\.$/,
    break: async ({ places: { scans } }) => {
      await rm(scans, { recursive: true });
      await writeFile(scans, '');
      return () => rm(scans);
    },
  },
  {
    what: 'an output directory that cannot be made',
    check: 'fail storage.writable',
    says: /scans does not exist, and the service, uid 65534, cannot make it in .* \(EACCES\)\. Run: sudo install -d /,
    break: async ({ places: { scans }, elsewhere }) => {
      await elsewhere({ uid: NOBODY });
      await rm(scans, { recursive: true });
      return follow;
    },
  },
  {
    what: 'an output directory of another user',
    check: 'fail storage.writable',
    says: /^The service, uid 65534, cannot write to .* \(EACCES\); it belongs to uid 0\. Run: sudo chown -R /,
    break: async ({ places: { scans }, elsewhere }) => {
      await elsewhere({ uid: NOBODY });
      await run('chown', ['0:0', scans]);
      return follow;
    },
  },
  {
    what: 'scans of another user',
    check: 'fail storage.scans',
    says: /^Scans in .* belong to another user: the service, uid 65534, cannot read or finish them\. Run: sudo chown -R /,
    break: async ({ places: { scans }, elsewhere }) => {
      await elsewhere({ uid: NOBODY });
      const scan = path.join(scans, createScanId(new Date()));
      await mkdir(scan, { mode: 0o750 });
      await writeFile(path.join(scan, 'events.jsonl'), '', { mode: 0o640 });
      return follow;
    },
  },
  {
    what: 'a read-only disk',
    check: 'fail storage.writable',
    says: /cannot write to .* \(EROFS\)\. It is on a read-only file system: mount it writable\.$/,
    break: async (bench) => {
      const disk = await onDisk(bench, '400m');
      await disk.setReadOnly(true);
      bench.later(() => disk.setReadOnly(false));
      return () => disk.setReadOnly(false);
    },
  },
  {
    what: 'a full disk',
    check: 'fail storage.free',
    says: /^Only \d+ MB are free in .*, and a scan needs 128 MB\. Free some space/,
    break: async (bench) => {
      const disk = await onDisk(bench, '400m');
      disk.leave(5_000_000);
      return () => disk.free();
    },
  },
  {
    what: 'room for fewer pages than a profile allows',
    check: 'warn storage.free',
    says: /^There is room for about 3\d pages in .*, and a profile allows 200 per scan\. Free some space/,
    break: async (bench) => {
      const disk = await onDisk(bench, '400m', { max_pages: 200 });
      return () => run('mount', ['-o', 'remount,size=3g', disk.path]);
    },
  },
  {
    what: 'a disk without inodes',
    check: 'fail storage.free',
    says: /has no inodes left\. Remove files: there are too many of them\.$/,
    break: async (bench) => {
      const disk = await onDisk(bench, '400m,nr_inodes=2');
      const file = path.join(disk.path, 'file');
      await writeFile(file, '');
      return () => rm(file);
    },
  },
  {
    what: 'a disk that is slow',
    check: 'warn storage.sync',
    says: /^It takes 1500 ms until 1 MB is safe on disk\. Use another disk: an SD card may be worn out/,
    break: async ({ change }) => {
      change({ syncSpeed: async () => 1500 });
      return () => change({ syncSpeed: async () => 5 });
    },
  },
  {
    what: 'a second service on the same directory',
    check: 'fail storage.owner',
    says: /^Another scan service writes to .*\. Stop it, or give each service an output directory of its own\.$/,
    break: async ({ places: { scans }, change }) => {
      const release = await lockDirectory(scans);
      const locks = createDirectoryLocks(capturedLog().log);
      change({ checkOwner: (directory) => locks.check(directory) });
      return () => release();
    },
  },
];

/** What is wrong with the service's own configuration and its disk. */
export const APPLIANCE_BREAKS: readonly Break[] = [...profiles, ...secrets, ...storage];
