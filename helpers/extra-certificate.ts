import { exitAtOnce } from './exit.ts';
import { createFileReader } from './outside-files.ts';
import { whyUnreadable } from './plain-file.ts';

/** A bundle of all public certificate authorities has 220 KB. */
const MAX_BYTES = 4 * 1024 * 1024;

const TIMEOUT_MS = 5000;

/**
 * Exits with code 1 if the NODE_EXTRA_CA_CERTS file cannot be read. Node ignores a missing file,
 * and a hanging one blocks it at the first TLS connection.
 */
export async function requireExtraCertificate(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await createFileReader({ maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS })(file);
  } catch (error) {
    const remedy = 'Give it a file with certificates in PEM format.';
    process.stderr.write(
      `NODE_EXTRA_CA_CERTS names ${file}, which ${whyUnreadable(error)}. ${remedy}\n`,
    );
    // `process.exit()` would wait for the thread in which Node reads the same file, which may hang.
    exitAtOnce(1);
  }
}
