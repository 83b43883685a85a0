import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DmsKind } from './composition.ts';
import { program } from '../debian/programs.ts';
import { writeSaneConfig } from '../../simulators/virtual-scanner/sane-config.ts';

export interface Workspace {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** Listed in the order of the SANE configuration, since the index is part of SANE's names. */
const SCANNERS = [
  { name: 'Virtual', url: 'http://virtual-scanner:8089/eSCL' },
  { name: 'Slow', url: 'http://slow-scanner:8089/eSCL' },
];
const FAST = 'airscan:e0:Virtual';
const SLOW = 'airscan:e1:Slow';

const DMS = { kind: 'dms', base_url: 'http://paperless:8000' };
const ARCHIVE = { kind: 'dms', base_url: 'http://archive:8000', token_secret: 'archive_token' };
/** Enough for a scan of twenty pages on a busy machine. */
const TIMEOUT_SECONDS = 900;
const A4_GRAY = {
  device: FAST,
  source: 'ADF',
  mode: 'Gray',
  resolution: 300,
  timeout_seconds: TIMEOUT_SECONDS,
};

const PROFILES = [
  { ...A4_GRAY, name: 'simplex', destinations: [DMS] },
  { ...A4_GRAY, name: 'twice', source: 'ADF Duplex', destinations: [DMS, ARCHIVE] },
  { ...A4_GRAY, name: 'slow', device: SLOW, destinations: [DMS] },
  { ...A4_GRAY, name: 'found', device: 'auto', destinations: [DMS] },
] as const;

/** Makes all tokens except Paperless-ngx's, which it makes itself. */
export async function makeWorkspace(dms: DmsKind): Promise<Workspace> {
  const directory = await mkdtemp(path.join(tmpdir(), 'scan-service-compose-'));
  const inside = (name: string): string => path.join(directory, name);
  const [archiveToken, dmsToken] = [newToken(), newToken()];
  await mkdir(inside('profiles'));
  await mkdir(inside('secrets'));
  await mkdir(inside('setup'));
  for (const profile of PROFILES) {
    await writeFile(inside(`profiles/${profile.name}.yaml`), JSON.stringify(profile));
  }
  await writeFile(inside('secrets/archive_token'), `${archiveToken}\n`);
  if (dms === 'sample') await writeFile(inside('secrets/dms_api_token'), `${dmsToken}\n`);
  await writeSaneConfig(inside('sane.d'), SCANNERS);
  // As if an operator had used umask 077: "prepare" gives the containers access.
  await program(['chmod', '--recursive', 'go=', directory]);
  return {
    directory,
    environment: {
      PROFILES: inside('profiles'),
      SECRETS: inside('secrets'),
      SANE_CONFIG: inside('sane.d'),
      TEST_WORKSPACE: directory,
      TEST_ARCHIVE_TOKEN: archiveToken,
      ...(dms === 'sample' && { TEST_DMS_TOKEN: dmsToken }),
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

function newToken(): string {
  return randomBytes(20).toString('hex');
}
