import { execFileSync } from 'node:child_process';

/** For EC keys, the address of loopback and a day, with key and certificate on the standard output. */
const ARGUMENTS =
  'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=sample -addext subjectAltName=IP:127.0.0.1 -keyout - -out -';

/** A fresh key and a certificate for it that is signed by itself: tests carry no key of their own. */
export function createSelfSignedCertificate(): { readonly key: string; readonly cert: string } {
  const made = execFileSync('openssl', ARGUMENTS.split(' '), { encoding: 'utf8', stdio: 'pipe' });
  const at = made.indexOf('-----BEGIN CERTIFICATE');
  return { key: made.slice(0, at), cert: made.slice(at) };
}
