import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { parseJson } from '../../helpers/read-json.ts';
import { csrfPage, notAllowed, redirectAnswer, send, type Answer } from './answer.ts';
import { authenticate } from './authentication.ts';
import { readBody } from './body.ts';
import {
  downloadDocument,
  listDocuments,
  listTasks,
  showDocument,
  type ApiRequest,
  type BrowseContext,
} from './browse.ts';
import { drain } from './multipart.ts';
import { negotiate } from './negotiation.ts';
import { createObject, listObjects, showObject } from './object-lists.ts';
import { OBJECT_KINDS, type ObjectKind } from './objects.ts';
import type { SampleDmsOptions, TokenUser } from './options.ts';
import { loginPage, showStatistics, showStatus, showUiSettings } from './system.ts';
import { giveToken, type TokenContext } from './token.ts';
import { handleUpload, UPLOAD_METHODS, type UploadContext } from './upload.ts';

/** The data that requests are answered from. */
export interface Sample extends UploadContext, BrowseContext, TokenContext {
  readonly options: SampleDmsOptions;
}

type Handler = (
  context: BrowseContext,
  request: ApiRequest,
  parameter: string,
) => Answer | Promise<Answer>;

const UPLOAD_PATH = '/api/documents/post_document/';
const TOKEN_PATH = '/api/token/';

/** Paths for GET, with their trailing slash. */
const READ_ROUTES: readonly (readonly [RegExp, Handler])[] = [
  [/^\/api\/tasks\/$/, listTasks],
  [/^\/api\/documents\/$/, listDocuments],
  [/^\/api\/documents\/(\d+)\/$/, showDocument],
  [/^\/api\/documents\/(\d+)\/download\/$/, downloadDocument],
  [/^\/api\/statistics\/$/, showStatistics],
  [/^\/api\/status\/$/, showStatus],
  [/^\/api\/ui_settings\/$/, showUiSettings],
];

/** Handles a request. */
export async function handle(
  sample: Sample,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'sample'}`);
  if (url.pathname === UPLOAD_PATH && request.method === 'POST') {
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
  if (reading && url.pathname === '/accounts/login/') return loginPage();
  if (reading && url.pathname === '/api/') return redirectAnswer('schema/view/');
  const object = objectPath(url.pathname);
  const read = READ_ROUTES.find(([pattern]) => pattern.test(url.pathname));
  const known = object ?? read ?? [UPLOAD_PATH, TOKEN_PATH].includes(url.pathname);
  if (known === false) {
    const login = `/accounts/login/?next=${url.pathname}`;
    return reading ? redirectAnswer(login) : csrfPage();
  }
  if (url.pathname === TOKEN_PATH) return answerToken(sample, request, response);
  const sender = identify(sample, request, response);
  if ('answer' in sender) return sender.answer;
  const asked = { url, ...sender };
  if (object !== undefined) return answerObject(sample, asked, { ...object, request });
  if (read === undefined) return notAllowed(request.method, UPLOAD_METHODS);
  const [pattern, handler] = read;
  if (!reading) return notAllowed(request.method, 'GET, HEAD, OPTIONS');
  return handler(sample, asked, pattern.exec(url.pathname)?.[1] ?? '');
}

interface ObjectPath {
  readonly kind: ObjectKind;
  /** Undefined for the list. */
  readonly id: number | undefined;
}

function objectPath(path: string): ObjectPath | undefined {
  const [, name, id] = /^\/api\/(\w+)\/(?:(\d+)\/)?$/.exec(path) ?? [];
  const kind = Object.keys(OBJECT_KINDS).find((one): one is ObjectKind => one === name);
  return kind && { kind, id: id === undefined ? undefined : Number(id) };
}

async function answerObject(
  sample: Sample,
  asked: ApiRequest,
  { kind, id, request }: ObjectPath & { readonly request: IncomingMessage },
): Promise<Answer> {
  const { method } = request;
  const reading = method === 'GET' || method === 'HEAD';
  if (id !== undefined) {
    if (reading) return showObject(sample, asked, { kind, id });
    return notAllowed(method, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS');
  }
  const { ms_per_object: ms = 0 } = sample.options;
  if (reading) {
    const answer = listObjects(sample, asked, kind);
    const { results = [] }: { results?: readonly unknown[] } = Object(
      parseJson(String(answer.body)),
    );
    await wait(ms * results.length);
    return answer;
  }
  if (method !== 'POST') return notAllowed(method, 'GET, POST, HEAD, OPTIONS');
  const body = await readBody(request);
  if (body.kind === 'refused') return body.answer;
  await wait(ms * sample.objects[kind].length);
  return createObject(sample, asked, { kind, body: body.value });
}

/** The token endpoint needs no credentials, but refuses wrong ones. */
async function answerToken(
  sample: Sample,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer> {
  const sender = identify(sample, request, response);
  const anonymous = !/^(token|basic)\b/i.test(request.headers.authorization ?? '');
  if ('answer' in sender && !(anonymous && sender.answer.status === 401)) return sender.answer;
  if (request.method !== 'POST') return notAllowed(request.method, UPLOAD_METHODS);
  return giveToken(sample, request);
}

/** Checks the API version, then the credentials. Version headers are only sent to authenticated users. */
function identify(
  { release, users, options }: Sample,
  request: IncomingMessage,
  response: ServerResponse,
): { readonly user: TokenUser; readonly apiVersion: number } | { readonly answer: Answer } {
  const negotiated = negotiate(request.headers.accept, release);
  if (negotiated.kind === 'refused') return { answer: negotiated.answer };
  const authenticated = authenticate(request.headers.authorization, users, options.login);
  if (authenticated.kind === 'refused') return { answer: authenticated.answer };
  response.setHeader('X-Api-Version', String(release.newest_api));
  response.setHeader('X-Version', release.release);
  return { user: authenticated.user, apiVersion: negotiated.version };
}
