import { exitAtOnce } from './exit.ts';
import { createFileReader } from './outside-files.ts';
import { whyUnreadable } from './plain-file.ts';

/** The bundle of all public certificate authorities is 220 KB. */
const MAX_BYTES = 4 * 1024 * 1024;

const PATIENCE_MS = 5000;

/**
 * Exits with code 1 and a line on stderr if the NODE_EXTRA_CA_CERTS file cannot be read. Node
 * itself ignores a missing file, and blocks the whole process at the first TLS connection if the
 * file hangs.
 */
export async function requireExtraCertificate(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await createFileReader({ maxBytes: MAX_BYTES, patienceMs: PATIENCE_MS })(file);
  } catch (error) {
    const remedy = 'Give it a file with certificates in PEM format.';
    process.stderr.write(
      `NODE_EXTRA_CA_CERTS names ${file}, which ${whyUnreadable(error)}. ${remedy}\n`,
    );
    // A Node thread is reading the same file and may hang.
    exitAtOnce(1);
  }
}
