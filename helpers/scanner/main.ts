import { programEnvironment } from '../child-process.ts';
import { requireExtraCertificate } from '../extra-certificate.ts';
import { Failure } from '../failure.ts';
import { serveRequests } from '../ipc/request-server.ts';
import { createLog } from '../log.ts';
import { readEnvironment } from './environment.ts';
import { createScannerRuntime } from './runtime.ts';

/** Scans belong to the household: only owner and group may read pages. */
const UMASK = 0o027;

try {
  process.umask(UMASK);
  const { extraCertificate, ...environment } = readEnvironment();
  await requireExtraCertificate(extraCertificate);
  const { socketPath, saneConfigDir, logLevel, pageTimeoutMs } = environment;
  const log = createLog('scanner-runtime', logLevel);
  const env = programEnvironment({ SANE_CONFIG_DIR: saneConfigDir });
  const scanimage = { file: 'scanimage', env };
  const runtime = createScannerRuntime({ scanimage, limits: { pageTimeoutMs }, log });
  const server = await serveRequests(socketPath, runtime, log);

  let isStopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) {
      log.info({ event: 'stopping', signal }, 'stopping after the current sheet');
      runtime.stopScans();
      return;
    }
    isStopping = true;
    log.info({ event: 'stopping', signal }, 'stopping when the scans under way have finished');
    await runtime.close();
    await server.close();
    log.info({ event: 'stopped' }, 'stopped');
    process.exit(0);
  };
  process.on('SIGTERM', (signal) => void stop(signal));
  process.on('SIGINT', (signal) => void stop(signal));
  log.info({ event: 'ready', socketPath, saneConfigDir }, 'ready');
  // Devices cannot be listed during a scan, so scanners named by model are found in this list.
  const call = { signal: new AbortController().signal, onPage: () => {} };
  try {
    const devices = (await runtime.list_devices({}, call)).map(({ name }) => name);
    log.info({ event: 'scanners_listed', devices }, 'scanners listed');
  } catch (error) {
    const isForScan = error instanceof Failure && error.code === 'scanner_busy';
    log[isForScan ? 'debug' : 'warn'](
      { event: 'scanners_unknown', err: error },
      'no scanners could be listed',
    );
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
