import path from 'node:path';
import { commitOf } from '../helpers/checkout-commit.ts';
import { exitDespiteHangingFiles } from '../helpers/exit.ts';
import { requireExtraCertificate } from '../helpers/extra-certificate.ts';
import { createLog, type Log } from '../helpers/log.ts';
import { listen } from '../helpers/http/server.ts';
import { openKnownRoots } from './archive/known-roots.ts';
import { createScanArchive } from './archive/scan-archive.ts';
import { createDms } from './paperless/dms.ts';
import { readEnvironment, type Environment } from './environment.ts';
import { createFollowers } from './followers.ts';
import { createApp } from './http/app.ts';
import { watchCallerToken } from './http/caller-token.ts';
import { readOpenApi } from './http/open-api.ts';
import { readPageFiles } from './http/page-files.ts';
import type { Version } from './http/routes/system.ts';
import { openOperator } from './operator-parts.ts';
import { openOwnSettings, type OwnSettings } from './own-settings.ts';
import { readPackageVersion } from './package-version.ts';
import { watchLanguages } from './processor/languages.ts';
import { createProcessorClient } from './processor/processor-client.ts';
import { watchStart } from './processor/processor-start.ts';
import { createProfileStore, type ProfileStore } from './profiles/store.ts';
import { createSavedProfiles } from './profiles/saved/saved-profiles.ts';
import { createProfileMismatches } from './profiles/profile-summary.ts';
import { createScans } from './scan/call/scans.ts';
import { createScannerClient } from './scanner/scanner-client.ts';
import { createScannerList } from './scanner/scanner-list.ts';
import { testAtStart } from './self-test/at-start.ts';
import { createSelfTest } from './self-test/self-test.ts';
import { triggeredScans } from './trigger/triggered-scans.ts';
import { watchTriggers } from './trigger/triggers.ts';

// Other users must not read scans. The scanner runtime has the same user.
process.umask(0o027);

try {
  await start();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function start(): Promise<void> {
  const environment = readEnvironment();
  await requireExtraCertificate(environment.extraCertificate);
  const { host, port } = environment;
  const log = createLog('service', environment.logLevel);
  const version = await readVersion(environment);
  const parts = await createParts({ environment, version, log });
  const { scanner, processor, profiles } = parts;
  const app = createApp({
    ...parts,
    names: parts.dms.names,
    languages: parts.languages.value,
    saved: createSavedProfiles(environment.savedProfilesDir, profiles),
    openApi: await readOpenApi(version.version),
    page: await readPageFiles(),
    version,
    allowedHosts: environment.allowedHosts,
    log,
  });
  const handle = app.callback();
  const where = { host, port, log };
  const server = await listen((request, response) => void handle(request, response), where);
  const stopping = new AbortController();

  stopOnSignals(log, async () => {
    stopping.abort();
    parts.triggers.close();
    await parts.scans.drain();
    await server.close();
    await parts.close();
  });
  log.info({ event: 'listening', host, port: server.port }, 'listening');
  void testAtStart({
    selfTest: parts.selfTest,
    partsAnswer: (signal) => Promise.all([scanner.health(signal), processor.health(signal)]),
    signal: stopping.signal,
    log,
  });
}

interface Setting {
  readonly environment: Environment;
  readonly version: Version;
  readonly log: Log;
}

// Inferred: spelling out the type would repeat the parts.
// oxlint-disable-next-line typescript/explicit-function-return-type
async function createParts({ environment, version, log }: Setting) {
  const { secretsDir, settingsDir, scannerSocket: socketPath, processorUrl } = environment;
  const own = await openOwnSettings(environment, log);
  const { settings, setUpEvents, readSecret, dmsUrl } = own;
  const scanner = createScannerClient({ socketPath, log });
  const { processor, mayBeStarting } = watchStart(
    createProcessorClient({ baseUrl: processorUrl, log }),
  );
  const languages = await watchLanguages(processor, log);
  const profiles = await openProfiles(environment, { own, installed: languages.value, log });
  const knownRoots = await openKnownRoots(environment.outputDir, {
    current: () => profiles.list().map(({ paths }) => paths.output_dir),
    log,
  });
  const roots = knownRoots.list;
  const components = { runtime: scanner, processor };
  const following = { environment, version, profiles, roots, components, readSecret, log };
  const {
    listener,
    closed,
    refused,
    close: closeFollowers,
    ...followers
  } = await createFollowers(following);
  const archive = createScanArchive({
    roots,
    remember: knownRoots.remember,
    listener,
    onClosed: closed,
    log,
  });
  const dms = createDms(readSecret);
  const scans = createScans({ scanner, processor, dms, mayBeStarting }, archive, log);
  const fire = triggeredScans({ scans, archive, onRefused: refused, log });
  const triggers = await watchTriggers({ scanner, profiles, fire, log });
  const ownSecretsDir = own.secretsDir;
  const callerToken = await watchCallerToken({ readSecret, secretsDir, ownSecretsDir, log });
  const shared = { scanner, processor, profiles, languages, roots, dms, callerToken, triggers };
  const namedDevices = (): string[] => profiles.list().map(({ device }) => device);
  const scannerList = createScannerList({ scanner, namedDevices });
  const parts = { ...shared, settings, setUpEvents, settingsDir, dmsUrl, scannerList };
  const checkOwner = (root: string): Promise<void> => archive.checkOwner(root);
  const mismatches = createProfileMismatches();
  const selfTest = createSelfTest({ ...parts, mismatches, checkOwner, socketPath, processorUrl });
  const context = { ...shared, scannerList, installed: languages.value, selfTest, log };
  const operator = openOperator(environment, own, context);
  const close = async (): Promise<void> => {
    profiles.close();
    callerToken.close();
    settings.close();
    languages.close();
    await closeFollowers();
    await scanner.close();
    await archive.close();
  };
  const { hidden } = own;
  return { ...parts, ...followers, mismatches, hidden, archive, scans, selfTest, operator, close };
}

function openProfiles(
  environment: Environment,
  {
    own,
    installed: installedLanguages,
    log,
  }: {
    readonly own: OwnSettings;
    readonly installed: () => readonly string[] | undefined;
    readonly log: Log;
  },
): Promise<ProfileStore> {
  return createProfileStore({
    directories: own.profilesDirs,
    ownFiles: own.profileFiles,
    savedDir: environment.savedProfilesDir,
    outputDir: environment.outputDir,
    dmsUrl: own.dmsUrl,
    chosen: own.chosen,
    installedLanguages,
    log,
  });
}

async function readVersion({ buildCommit, buildTime }: Environment): Promise<Version> {
  // A container image has no .git, and a checkout has no BUILD_COMMIT.
  const checkedOut = commitOf(path.join(import.meta.dirname, '../.git'));
  const commit = buildCommit === 'unknown' ? (checkedOut ?? buildCommit) : buildCommit;
  return { version: await readPackageVersion(), commit, built_at: buildTime };
}

/** Refuses new scans, and lets running ones end within their deadlines. */
function stopOnSignals(log: Log, stop: () => Promise<void>): void {
  let stopping: Promise<void> | undefined;
  const stopped = async (): Promise<void> => {
    await stop();
    log.info({ event: 'stopped' }, 'stopped');
    exitDespiteHangingFiles(log);
  };
  const shutDown = (signal: string): void => {
    log.info({ event: 'stopping', signal }, 'No new scans; those under way are finished.');
    stopping ??= stopped();
  };
  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
}
