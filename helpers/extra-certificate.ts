import { errorCode } from './error-code.ts';
import { exitAtOnce } from './exit.ts';
import { createFileReader } from './outside-files.ts';
import { UnreadableFile } from './plain-file.ts';

/** The certificates of all public authorities together have 220 KB. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The start waits no longer for a share that hangs. */
const PATIENCE_MS = 5000;

/**
 * Ends the process with 1 and a line on stderr if the file of NODE_EXTRA_CA_CERTS cannot be read. Node itself goes on without a
 * file that is missing, and for one that hangs it stops the whole process at the first TLS connection.
 */
export async function requireExtraCertificate(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await createFileReader({ maxBytes: MAX_BYTES, patienceMs: PATIENCE_MS })(file);
  } catch (error) {
    const other = `cannot be read (${errorCode(error) ?? 'unknown error'})`;
    const reason = error instanceof UnreadableFile ? error.message : other;
    const remedy = 'Give it a file with certificates in PEM format.';
    process.stderr.write(`NODE_EXTRA_CA_CERTS names ${file}, which ${reason}. ${remedy}\n`);
    // A thread of Node has begun to read the file, too, and may hang.
    exitAtOnce(1);
  }
}
