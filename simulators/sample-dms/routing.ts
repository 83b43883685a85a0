import type { IncomingMessage, ServerResponse } from 'node:http';
import { csrfPage, jsonAnswer, redirectAnswer, send, type Answer } from './answer.ts';
import { authenticate } from './authentication.ts';
import { BROWSE_ROUTES, giveToken, loginPage, type BrowseContext } from './browse.ts';
import { drain } from './multipart.ts';
import { negotiate } from './negotiation.ts';
import { RELEASES, type SampleDmsOptions, type TokenUser } from './options.ts';
import { handleUpload, type UploadContext } from './upload.ts';

/** Everything that a request is answered from. */
export interface Sample extends UploadContext, BrowseContext {
  readonly options: SampleDmsOptions;
  readonly users: readonly TokenUser[];
}

const UPLOAD_PATTERN = /^\/api\/documents\/post_document\/$/;

/** Answers one request. */
export async function handle(
  sample: Sample,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://sample');
  if (UPLOAD_PATTERN.test(url.pathname) && request.method === 'POST') {
    const sender = identify(sample, request, response);
    return handleUpload(sample, { request, response }, sender);
  }
  const answer = await route(sample, url, request, response);
  await drain(request);
  send(response, answer);
}

async function route(
  sample: Sample,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer> {
  const reading = request.method === 'GET' || request.method === 'HEAD';
  const open = await routeWithoutToken(sample, url, request, reading);
  if (open !== undefined) return open;
  const sender = identify(sample, request, response);
  if ('answer' in sender) return sender.answer;
  const found = BROWSE_ROUTES.find(([pattern]) => pattern.test(url.pathname));
  if (found === undefined) return notAllowed(request.method, 'POST, OPTIONS');
  if (!reading) return notAllowed(request.method, 'GET, HEAD, OPTIONS');
  const [pattern, handler] = found;
  return handler(sample, { url, ...sender }, pattern.exec(url.pathname)?.[1] ?? '');
}

/** What is answered without a token: the log-in, and every path that there is not. */
async function routeWithoutToken(
  sample: Sample,
  url: URL,
  request: IncomingMessage,
  reading: boolean,
): Promise<Answer | undefined> {
  if (url.pathname === '/api/token/' && request.method === 'POST') {
    return giveToken(request, sample.users, sample.options.login);
  }
  if (reading && url.pathname === '/accounts/login/') return loginPage();
  if (reading && url.pathname === '/api/') return redirectAnswer('schema/view/');
  const known = [UPLOAD_PATTERN, ...BROWSE_ROUTES.map(([pattern]) => pattern)];
  if (known.some((pattern) => pattern.test(url.pathname))) return undefined;
  const login = `/accounts/login/?next=${encodeURIComponent(url.pathname)}`;
  return reading ? redirectAnswer(login) : csrfPage();
}

/** Version, then token; the versions of the system go into the answer only once the token is found good. */
function identify(
  { version, users }: Sample,
  request: IncomingMessage,
  response: ServerResponse,
): { readonly user: TokenUser; readonly apiVersion: number } | { readonly answer: Answer } {
  const release = RELEASES[version];
  const negotiated = negotiate(request.headers.accept, release);
  if (negotiated.kind === 'refused') return { answer: negotiated.answer };
  const authenticated = authenticate(request.headers.authorization, users);
  if (authenticated.kind === 'refused') return { answer: authenticated.answer };
  response.setHeader('X-Api-Version', String(release.newest_api));
  response.setHeader('X-Version', release.release);
  return { user: authenticated.user, apiVersion: negotiated.version };
}

function notAllowed(method: string | undefined, allow: string): Answer {
  return jsonAnswer(405, { detail: `Method "${method}" not allowed.` }, { allow });
}
