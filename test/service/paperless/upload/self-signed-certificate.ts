import { execFileSync } from 'node:child_process';

/** An EC key valid for a day for the loopback address. Key and certificate go to stdout. */
const ARGUMENTS =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=sample -addext subjectAltName=IP:127.0.0.1 -keyout - -out -';

/** Creates the key on demand, so that the repository contains no private key. */
export function createSelfSignedCertificate(): { readonly key: string; readonly cert: string } {
  const made = execFileSync('openssl', ARGUMENTS.split(' '), { encoding: 'utf8', stdio: 'pipe' });
  const at = made.indexOf('-----BEGIN CERTIFICATE');
  return { key: made.slice(0, at), cert: made.slice(at) };
}
