import os from 'node:os';
import { createLog } from '../log.ts';
import { readEnvironment } from './environment.ts';
import { startProcessor } from './processor.ts';

/** Where Debian installs programs, and where an operator does. */
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

try {
  const { host, port, workers, logLevel } = readEnvironment();
  const log = createLog('processor', logLevel);
  const processor = await startProcessor({
    host,
    port,
    workers,
    searchPath: SEARCH_PATH,
    temporaryRoot: os.tmpdir(),
    log,
  });

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    log.info({ signal }, 'stopping');
    await processor.stop();
    log.info('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', (signal) => void stop(signal));
  process.once('SIGINT', (signal) => void stop(signal));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
