import { isIP } from 'node:net';
import {
  ABORTED,
  trackedRequest,
  type NoResponse,
  type RequestTimeouts,
} from '../http-client/tracked-request.ts';

/** An eSCL scanner answers quickly, unless it sleeps. */
const ANSWER_MS = 5000;

const TIMEOUTS_MS: RequestTimeouts = {
  lookup: ANSWER_MS,
  connect: ANSWER_MS,
  secureConnect: ANSWER_MS,
  socket: ANSWER_MS,
  send: ANSWER_MS,
  response: ANSWER_MS,
  read: ANSWER_MS,
};

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'nothing in this network has that name'],
  ['EAI_AGAIN', 'the name server does not answer: give the address in digits'],
  ['EHOSTUNREACH', 'nothing answers at that address'],
  ['ENETUNREACH', 'there is no way to that network'],
  ['ECONNREFUSED', 'a device is there, but no scanner answers at this port'],
  ['ECONNRESET', 'a device is there, but ended the connection'],
]);

/** The name that SANE shows for a scanner given by address. */
export const NETWORK_SCANNER = 'Scanner';

export type Search =
  | { readonly kind: 'found'; readonly url: string }
  /** One reason for each address. Empty if the input is no address. */
  | { readonly kind: 'none'; readonly reasons: readonly string[] };

/** Finds the eSCL address of a scanner at `192.168.1.50`, for example. */
export async function findEscl(address: string): Promise<Search> {
  const urls = candidates(address);
  const problems = await Promise.all(urls.map(problemOf));
  const url = urls.find((_, index) => problems[index] === undefined);
  if (url !== undefined) return { kind: 'found', url };
  return { kind: 'none', reasons: urls.map((one, index) => `${one}: ${problems[index]}`) };
}

/** Returns a device name that SANE accepts without configuration. */
export function deviceName(url: string): string {
  return `airscan:escl:${NETWORK_SCANNER}:${url}`;
}

function candidates(address: string): string[] {
  if (/^https?:\/\//u.test(address)) return canAsk(address) ? [address.replace(/\/+$/u, '')] : [];
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const urls = [`http://${host}/eSCL`, `http://${host}:8080/eSCL`, `https://${host}/eSCL`];
  return urls.filter(canAsk);
}

/** False for an invalid URL, and for one with a password or query. */
function canAsk(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && url.username === '' && url.password === '' && url.search === '';
}

/** Returns undefined if a scanner answers. Accepts self-signed certificates, like SANE. */
async function problemOf(url: string): Promise<string | undefined> {
  const answer = await trackedRequest({
    method: 'GET',
    url: new URL(`${url}/ScannerCapabilities`),
    headers: {},
    timeouts: TIMEOUTS_MS,
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  if (answer.kind === 'no_response') return explain(answer);
  if (answer.status === 200 && answer.body.includes('ScannerCapabilities')) return undefined;
  return `answers ${answer.status}, but not as a scanner`;
}

function explain({ code, timeout }: NoResponse): string | undefined {
  if (/CERT|SIGNED|ISSUER/u.test(code)) return undefined;
  if (timeout !== undefined || code === ABORTED) return `no answer within ${ANSWER_MS / 1000} s`;
  return REASONS.get(code) ?? code;
}
