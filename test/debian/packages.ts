import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { program, ProgramError } from './programs.ts';

const INSTALL_MS = 10 * 60_000;
const DPKG_LOCK_WAIT_S = 300;
const LOCK = '/run/lock/scan-service-tests-apt';
const ENVIRONMENT = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Runs its arguments without starting newly installed services. Keeps an existing policy-rc.d. */
const WITHOUT_SERVICES = `policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  trap 'exit 143' INT TERM
  printf '#!/bin/sh\\nexit 101\\n' >$policy
  chmod +x $policy
fi
"$@"`;

/** Starts no services. Unless run by root, throws a `ProgramError` with the command to type. */
export async function installPackages(
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (process.getuid?.() !== 0) {
    throw new ProgramError(
      `These packages are needed, and only root can install them: sudo apt-get install --no-install-recommends ${names.join(' ')}`,
    );
  }
  const settings = { timeoutMs: INSTALL_MS, env: ENVIRONMENT, signal };
  const wait = ['-o', `DPkg::Lock::Timeout=${DPKG_LOCK_WAIT_S}`];
  // The lock serves parallel tests: apt-get does not wait while another one updates its lists.
  const aptGet = [
    'flock',
    LOCK,
    'sh',
    '-c',
    WITHOUT_SERVICES,
    'sh',
    'apt-get',
    '--quiet',
    ...wait,
  ] as const;
  await program([...aptGet, 'update'], settings);
  await program(
    [...aptGet, 'install', '--yes', '--no-remove', '--no-install-recommends', ...names],
    settings,
  );
}

export async function debianMirror(): Promise<string> {
  const format = '$(SITE) $(LABEL) $(CREATED_BY)';
  const listed = await program(['apt-get', 'indextargets', '--format', format]).catch(() => '');
  const line = listed.split('\n').find((one) => /^\S+ Debian Packages$/u.test(one));
  const mirror = line?.split(' ')[0]?.replace(/\/$/u, '');
  if (mirror === undefined) {
    throw new ProgramError(
      "apt's sources name no Debian mirror with its lists: run apt-get update",
    );
  }
  return mirror;
}

/**
 * Unpacks without installing, with its own apt configuration and lists instead of the machine's.
 */
export async function unpackFromTrixie(
  name: string,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const lists = path.join(directory, 'apt');
  await mkdir(path.join(lists, 'lists', 'partial'), { recursive: true });
  await mkdir(path.join(lists, 'archives', 'partial'), { recursive: true });
  await writeFile(path.join(lists, 'status'), '');
  const source = `deb [signed-by=${KEYRING}] ${await debianMirror()} trixie main\n`;
  await writeFile(path.join(lists, 'sources.list'), source);
  const options = Object.entries({
    'Dir::Etc::SourceList': path.join(lists, 'sources.list'),
    'Dir::Etc::SourceParts': '-',
    'Dir::State': lists,
    'Dir::State::Status': path.join(lists, 'status'),
    'Dir::Cache': lists,
    'APT::Sandbox::User': 'root',
  }).flatMap(([option, value]) => ['-o', `${option}=${value}`]);
  const settings = { timeoutMs: INSTALL_MS, env: ENVIRONMENT, signal, cwd: directory };
  await program(['apt-get', '--quiet', ...options, 'update'], settings);
  await program(['apt-get', '--quiet', ...options, 'download', name], settings);
  const architecture = (await program(['dpkg', '--print-architecture'])).trim();
  const found = await program(
    ['find', directory, '-maxdepth', '1', '-name', `${name}_*_${architecture}.deb`],
    settings,
  );
  const [file] = found.split('\n');
  if (!file) throw new ProgramError(`apt-get downloaded no ${name}`);
  await program(['dpkg', '--extract', file, directory], settings);
  await rm(file);
  await rm(lists, { recursive: true });
}
