import { programEnvironment } from '../child-process.ts';
import { serveRequests } from '../ipc/request-server.ts';
import { createLog } from '../log.ts';
import { readEnvironment } from './environment.ts';
import { createScannerRuntime } from './runtime.ts';

try {
  const { socketPath, saneConfigDir, logLevel, pageTimeoutMs } = readEnvironment();
  const log = createLog('scanner-runtime', logLevel);
  const env = programEnvironment({ SANE_CONFIG_DIR: saneConfigDir });
  const scanimage = { file: 'scanimage', env };
  const runtime = createScannerRuntime({ scanimage, pageTimeoutMs, log });
  const server = await serveRequests(socketPath, runtime, log);

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    log.info({ signal }, 'stopping after the current sheet');
    await runtime.close();
    await server.close();
    log.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
  log.info({ socketPath, saneConfigDir }, 'ready');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
