import { messageOf } from '../../helpers/error-code.ts';
import { DEFAULT_TOKEN_SECRET } from '../paperless/destination.ts';
import type { DmsAccess } from '../paperless/ask-dms.ts';
import { createAccess } from '../paperless/dms.ts';
import { endpointOf } from '../paperless/endpoint.ts';
import { LOOKS_LIKE_TOKEN, TOKEN } from '../paperless/token.ts';
import { dryRun, type Link } from '../paperless/dry-run.ts';

export type Checked =
  | { readonly kind: 'good'; readonly access: DmsAccess }
  | { readonly kind: 'broken'; readonly isToken: boolean; readonly problem: string };

/** Sent to check only the address. Paperless-ngx refuses this token. */
const NO_TOKEN = 'no-token-yet';

const TOKEN_LENGTH = 40;

export async function addressProblem(url: string): Promise<string | undefined> {
  const checked = await checkDestination(url, NO_TOKEN);
  return checked.kind === 'good' || checked.isToken ? undefined : checked.problem;
}

/** Tests an upload without a file, so that nothing is stored. */
export async function checkDestination(url: string, token: string): Promise<Checked> {
  const base_url = /^[a-z]+:\/\//iu.test(url) ? url : `http://${url}`;
  if (endpointOf(base_url) === undefined || LOOKS_LIKE_TOKEN.test(url)) {
    const what = LOOKS_LIKE_TOKEN.test(url) ? 'That looks like the token.' : 'That is no address.';
    const problem = `${what} The address of a Paperless-ngx is like http://192.168.1.10:8000.`;
    return { kind: 'broken', isToken: false, problem };
  }
  const destination = { kind: 'dms', base_url, token_secret: DEFAULT_TOKEN_SECRET } as const;
  if (!TOKEN.test(token)) {
    const problem =
      'That is not a token: it has a blank, or a letter that no token has. Paste only the token.';
    return { kind: 'broken', isToken: true, problem };
  }
  try {
    const access = await createAccess(async () => token)(destination, new AbortController().signal);
    const ran = await dryRun(access, {});
    if (ran.kind === 'reached') return { kind: 'good', access };
    const isToken = ran.link === 'token' || ran.link === 'permission';
    return { kind: 'broken', isToken, problem: forNewcomer(ran, { base_url, token }) };
  } catch (error) {
    return { kind: 'broken', isToken: false, problem: messageOf(error) };
  }
}

/** Words the remedy for people who have no secrets and no profile yet. */
function forNewcomer(
  { problem, link }: { readonly problem: string; readonly link: Link },
  { base_url, token }: { readonly base_url: string; readonly token: string },
): string {
  if (link === 'token') {
    const refused =
      'Paperless-ngx refused the token. Copy it from My Profile in Paperless-ngx, and paste it again.';
    if (token.length === TOKEN_LENGTH) return refused;
    return `${refused} A token has ${TOKEN_LENGTH} letters and digits, and this one has ${token.length}.`;
  }
  const words = problem.replaceAll('base_url', 'the address').replace(' if that is intended', '');
  const { protocol, port, hostname, pathname, origin } = new URL(base_url);
  if (link === 'api' && pathname !== '/')
    return `${words} If you copied it from a browser, leave out what follows the host: ${origin}`;
  if (port !== '' || protocol !== 'http:' || (link !== 'tcp' && link !== 'api')) return words;
  return `${words} An address without a port means port 80; most have port 8000: http://${hostname}:8000`;
}
