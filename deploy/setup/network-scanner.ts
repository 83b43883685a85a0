import { isIP } from 'node:net';

/** An eSCL scanner answers in milliseconds, unless it has to wake up. */
const ANSWER_MS = 5000;

/** What the codes of a failed connection mean for a person with an address in hand. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'nothing in this network has that name'],
  ['EAI_AGAIN', 'the name server does not answer: give the address in digits'],
  ['EHOSTUNREACH', 'nothing answers at that address'],
  ['ENETUNREACH', 'there is no way to that network'],
  ['ECONNREFUSED', 'a device is there, but no scanner answers at this port'],
  ['ECONNRESET', 'a device is there, but ended the connection'],
]);

/** What SANE calls a scanner that was entered by its address. */
export const NETWORK_SCANNER = 'Scanner';

export type Search =
  | { readonly kind: 'found'; readonly url: string }
  /** `reasons` says for each address that was tried why it is not the one. */
  | { readonly kind: 'none'; readonly reasons: readonly string[] };

/** The eSCL address of the scanner at an address such as `192.168.1.50`, or at a whole URL. */
export async function findEscl(address: string): Promise<Search> {
  const urls = candidates(address);
  const problems = await Promise.all(urls.map(problemOf));
  const url = urls.find((_, index) => problems[index] === undefined);
  if (url !== undefined) return { kind: 'found', url };
  return { kind: 'none', reasons: urls.map((one, index) => `${one}: ${problems[index]}`) };
}

/** The name by which SANE uses the scanner without any configuration. */
export function deviceName(url: string): string {
  return `airscan:escl:${NETWORK_SCANNER}:${url}`;
}

function candidates(address: string): string[] {
  if (/^https?:\/\//u.test(address)) return [address.replace(/\/+$/u, '')];
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const urls = [`http://${host}/eSCL`, `http://${host}:8080/eSCL`, `https://${host}/eSCL`];
  return urls.filter((url) => URL.canParse(url));
}

/** Undefined if a scanner answers there. A certificate that nobody signed is usual, and SANE accepts it. */
async function problemOf(url: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(`${url}/ScannerCapabilities`, { signal });
    const text = await response.text();
    if (response.ok && text.includes('ScannerCapabilities')) return undefined;
    return `answers ${response.status}, but not as a scanner`;
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { code, message } = cause as { code?: string; message?: string };
    if (/CERT|SIGNED|ISSUER/u.test(code ?? '')) return undefined;
    if (error instanceof Error && error.name === 'TimeoutError')
      return `no answer within ${ANSWER_MS / 1000} s`;
    return REASONS.get(code ?? '') ?? code ?? message ?? String(cause);
  }
}
