/**
 * Takes the lock of an output directory, says `locked` or the code of the failure, and stays until it is killed:
 * `node lock-owner-process.ts <directory>`.
 */
import { Failure } from '../../../helpers/failure.ts';
import { lockDirectory } from '../../../service/archive/directory-lock.ts';

/** The lock alone keeps no process alive; the test kills this one long before. */
const LIFETIME_MS = 60_000;

try {
  await lockDirectory(process.argv[2] ?? '');
  process.stdout.write('locked\n');
  setTimeout(() => {}, LIFETIME_MS);
} catch (error) {
  process.stdout.write(`${error instanceof Failure ? error.code : String(error)}\n`);
}
