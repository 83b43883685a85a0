/**
 * `self-test-process.ts UID` runs self-tests as another user. For each line `{ directory, runtime
 * }` it prints the checks as JSON. `runtime` selects the real runtime at the socket.
 */
import { createInterface } from 'node:readline';
import { createScannerClient } from '../../../service/scanner/scanner-client.ts';
import { createSelfTest } from '../../../service/self-test/self-test.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { partsIn, placesIn } from './self-test-parts.ts';

const [uid = '0'] = process.argv.slice(2);
// Changes the user only after loading all modules, which another user may not be able to read.
if (uid !== '0') {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
for await (const line of createInterface(process.stdin)) {
  const { directory, runtime }: { directory: string; runtime: boolean } = JSON.parse(line);
  const socketPath = placesIn(directory).socket;
  const real = createScannerClient({ socketPath, log: capturedLog().log });
  const parts = { ...(await partsIn(directory)), ...(runtime && { scanner: real }) };
  process.stdout.write(`${JSON.stringify((await createSelfTest(parts)(true)).checks)}\n`);
  await real.close();
}
