import { isIP, type LookupFunction } from 'node:net';
import {
  ABORTED,
  trackedRequest,
  type NoResponse,
  type RequestTimeouts,
  type TrackedResponse,
} from '../http-client/tracked-request.ts';
import { guardedLookup, hasRefusedHost, REFUSED_ADDRESS } from './address-rule.ts';

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
  const problems = await Promise.all(urls.map((url) => problemOf(url)));
  const url = urls.find((_, index) => problems[index] === undefined);
  if (url !== undefined) return { kind: 'found', url };
  return { kind: 'none', reasons: urls.map((one, index) => `${one}: ${explain(problems[index])}`) };
}

/** Decides which addresses may be asked. */
export interface AddressGuard {
  readonly lookup: LookupFunction;
  readonly isRefused: (url: URL) => boolean;
}

const GUARD: AddressGuard = { lookup: guardedLookup, isRefused: hasRefusedHost };

/** Why no scanner was found: the key of its text. */
export type EsclProblem = 'not_an_address' | 'local_address' | 'name' | 'tcp' | 'other';

/** Like `findEscl`, but for a caller's address: refuses this machine, requests only `/eSCL/`. */
export async function findEsclGuarded(
  address: string,
  { lookup, isRefused }: AddressGuard = GUARD,
): Promise<Extract<Search, { readonly kind: 'found' }> | EsclProblem> {
  const urls = rootsOf(address);
  if (urls.length === 0) return 'not_an_address';
  if (urls.some((url) => isRefused(new URL(url)))) return 'local_address';
  const problems = await Promise.all(urls.map((url) => problemOf(url, lookup)));
  const url = urls.find((_, index) => problems[index] === undefined);
  if (url !== undefined) return { kind: 'found', url };
  const kinds = problems.flatMap((problem) => (problem ? [kindOf(problem)] : []));
  return WORST_FIRST.find((kind) => kinds.includes(kind)) ?? 'tcp';
}

const WORST_FIRST: readonly EsclProblem[] = ['local_address', 'other', 'name', 'tcp'];

/** A name or an IP address, optionally with a port. */
const HOST = /^(?:[a-z0-9][a-z0-9._-]*(?::\d{1,5})?|[0-9a-f:.]+|\[[0-9a-f:.]+\](?::\d{1,5})?)$/iu;

function rootsOf(address: string): string[] {
  if (HOST.test(address)) return candidates(address);
  const isUrl = /^https?:\/\//iu.test(address) && canAsk(address);
  return isUrl ? [`${new URL(address).origin}/eSCL`] : [];
}

type Problem = NoResponse | TrackedResponse;

function kindOf(problem: Problem): EsclProblem {
  if (problem.kind === 'response') return 'other';
  if (problem.code === REFUSED_ADDRESS) return 'local_address';
  return ['ENOTFOUND', 'EAI_AGAIN'].includes(problem.code) ? 'name' : 'tcp';
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
async function problemOf(url: string, lookup?: LookupFunction): Promise<Problem | undefined> {
  const answer = await trackedRequest({
    method: 'GET',
    url: new URL(`${url}/ScannerCapabilities`),
    headers: {},
    timeouts: TIMEOUTS_MS,
    signal: AbortSignal.timeout(ANSWER_MS),
    lookup,
  });
  const isScanner =
    answer.kind === 'response'
      ? answer.status === 200 && answer.body.includes('ScannerCapabilities')
      : /CERT|SIGNED|ISSUER/u.test(answer.code);
  return isScanner ? undefined : answer;
}

function explain(problem: Problem | undefined): string {
  if (problem === undefined) return 'a scanner answers';
  if (problem.kind === 'response') return `answers ${problem.status}, but not as a scanner`;
  const { code, timeout } = problem;
  if (timeout !== undefined || code === ABORTED) return `no answer within ${ANSWER_MS / 1000} s`;
  return REASONS.get(code) ?? code;
}
