import { createLog } from '../helpers/log.ts';
import { createScanArchive } from './archive/scan-archive.ts';
import { createSecretReader } from './destinations/secrets.ts';
import { readEnvironment } from './environment.ts';
import { createApp } from './http/app.ts';
import { watchCallerToken } from './http/caller-token.ts';
import { readOpenApi } from './http/open-api.ts';
import { listen } from '../helpers/http/server.ts';
import { readPackageVersion } from './package-version.ts';
import { createLanguageWatch } from './processor/language-watch.ts';
import { createProcessorClient } from './processor/processor-client.ts';
import { createProfileStore } from './profiles/store.ts';
import { createScans } from './scan/scans.ts';
import { createScannerClient } from './scanner/scanner-client.ts';

const environment = readEnvironment();
const log = createLog('service', environment.logLevel);
const version = await readPackageVersion();

const readSecret = createSecretReader({
  directory: environment.secretsDir,
  environment: environment.secretVariables,
});
const scanner = createScannerClient({ socketPath: environment.scannerSocket, log });
const processor = createProcessorClient({ baseUrl: environment.processorUrl, log });
const languages = await createLanguageWatch({ processor, log });
const profiles = await createProfileStore({
  directory: environment.profilesDir,
  outputDir: environment.outputDir,
  installedLanguages: languages.installed,
  log,
});
const archive = createScanArchive(() => [
  environment.outputDir,
  ...profiles.list().map((profile) => profile.paths.output_dir),
]);
const scans = createScans({ scanner, processor, readSecret }, archive, log);
const { secretsDir } = environment;
const callerToken = await watchCallerToken({ readSecret, secretsDir, log });
const app = createApp({
  profiles,
  scans,
  archive,
  scanner,
  callerToken,
  openApi: await readOpenApi(version),
  version: { version, commit: environment.buildCommit, built_at: environment.buildTime },
  allowedHosts: environment.allowedHosts,
  log,
});
const handle = app.callback();
const { host, port } = environment;
const server = await listen((request, response) => void handle(request, response), {
  host,
  port,
  log,
});

/** No new scans; the one in flight ends within its deadline, and its caller gets the answer. */
async function shutDown(signal: string): Promise<void> {
  log.info({ signal }, 'stopping: no new scans');
  await scans.drain();
  await server.close();
  profiles.close();
  callerToken.close();
  languages.close();
  await scanner.close();
  log.info('stopped');
}

process.once('SIGTERM', (signal) => void shutDown(signal));
process.once('SIGINT', (signal) => void shutDown(signal));
log.info({ host: environment.host, port: server.port }, 'listening');
