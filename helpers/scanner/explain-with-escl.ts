import { errorCode } from '../error-code.ts';
import { Failure } from '../failure.ts';
import { esclAddress } from './escl-status.ts';
import type { Scanimage } from './scanimage.ts';

/** A scanner that is awake responds within milliseconds. */
const ANSWER_MS = 2000;

const ABSENT = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EHOSTDOWN'];

/** A scanner with a self-signed certificate responds. SANE accepts the certificate. */
const CERTIFICATE = /CERT|SIGNED|ISSUER/u;

/**
 * Finds out whether the scanner's name does not resolve, nothing is at its address, or it responds
 * with an error or not at all. Returns the failure unchanged if the address is unknown or the
 * scanner responds.
 */
export async function explainWithEscl(
  failure: Failure,
  { device, env }: { readonly device: string; readonly env: Scanimage['env'] },
  signal: AbortSignal,
): Promise<Failure> {
  if (failure.code !== 'no_scanner_detected') return failure;
  const base = await esclAddress(device, env['SANE_CONFIG_DIR'] ?? '');
  if (base === undefined || !URL.canParse(base)) return failure;
  const found = await problemAt(base.replace(/\/+$/u, ''), signal);
  if (found === undefined) return failure;
  const [what, remedy] = found;
  return new Failure(failure.code, what, { remedy, facts: failure.facts, cause: failure });
}

async function problemAt(
  base: string,
  signal: AbortSignal,
): Promise<readonly [string, string] | undefined> {
  const { host, hostname } = new URL(base);
  const late = AbortSignal.timeout(ANSWER_MS);
  try {
    const limit = AbortSignal.any([signal, late]);
    const response = await fetch(`${base}/ScannerCapabilities`, { signal: limit });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const what = `The scanner at ${host} answers with an error (${response.status}).`;
    return [what, 'Switch it off and on. If that does not help, check the address in the profile.'];
  } catch (error) {
    const code = errorCode(error) ?? errorCode(Object(error).cause) ?? '';
    if (code === 'EAI_AGAIN') {
      const what = `The name server does not answer, so the scanner ${hostname} cannot be found.`;
      return [what, 'Check the network and its DNS, or name the scanner by its address in digits.'];
    }
    if (code === 'ENOTFOUND') {
      const what = `Nothing in the network has the name ${hostname}.`;
      return [
        what,
        'Correct the name of the scanner in the profile, or give its address in digits.',
      ];
    }
    if (ABSENT.includes(code)) {
      const what = `No scanner is at ${host} (${code}).`;
      return [what, 'Switch it on. If it is on, it may have another address now: see its display.'];
    }
    if (!late.aborted || CERTIFICATE.test(code)) return undefined;
    const what = `The scanner at ${host} does not answer.`;
    return [what, 'Wake it at its display or cover; if that does not help, switch it off and on.'];
  }
}
