/**
 * The self-test of an appliance in a directory, as another user or with another environment: prints the checks as JSON.
 * Usage: self-test-process.ts DIRECTORY [UID]
 */
import { createScannerClient } from '../../../service/scanner/scanner-client.ts';
import { createSelfTest } from '../../../service/self-test/self-test.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { partsIn, placesIn } from './self-test-parts.ts';

const [directory = '', uid = '0', scanner = ''] = process.argv.slice(2);
// All modules are loaded: another user may not read them.
if (uid !== '0') {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
const parts = await partsIn(directory);
const socketPath = placesIn(directory).socket;
const real =
  scanner === ''
    ? undefined
    : { scanner: createScannerClient({ socketPath, log: capturedLog().log }) };
const { checks } = await createSelfTest({ ...parts, ...real })(true);
process.stdout.write(JSON.stringify(checks));
await real?.scanner.close();
