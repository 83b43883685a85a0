import os from 'node:os';
import { createLog } from '../log.ts';
import { readEnvironment } from './environment.ts';
import { startProcessor } from './processor.ts';

/** Where Debian and the operator install programs. */
const SEARCH_PATH = '/usr/local/bin:/usr/bin:/bin';

try {
  const { logLevel, ...environment } = readEnvironment();
  const log = createLog('processor', logLevel);
  // Installed before listening, since a caller may stop the processor right after.
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const processor = await startProcessor({
    ...environment,
    searchPath: SEARCH_PATH,
    temporaryRoot: os.tmpdir(),
    log,
  });
  const signal = await signalled;
  log.info({ event: 'stopping', signal }, 'stopping');
  await processor.stop();
  log.info({ event: 'stopped' }, 'stopped');
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
