import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  answerOf,
  FORBIDDEN,
  htmlAnswer,
  jsonAnswer,
  pageAnswer,
  Refused,
  send,
  type Answer,
} from './answer.ts';
import { drain, readJsonBody } from './bodies.ts';
import type { Exchange } from './faults.ts';
import { createObject, listObjects } from './object-lists.ts';
import { KINDS } from './objects.ts';
import { demand, identify } from './identify.ts';
import type { TokenUser } from './options.ts';
import type { Asked, Sample } from './sample.ts';
import { describeTasks, type Task } from './tasks.ts';
import { handleUpload } from './upload.ts';

type Handler = (sample: Sample, asked: Asked, parameter: string) => Answer | Promise<Answer>;

const UPLOAD_PATH = '/api/documents/post_document/';
const TOKEN_PATH = '/api/token/';

/** What the scan service and its tests request. Every path ends in a slash. */
const ROUTES: readonly (readonly [method: string, path: RegExp, Handler])[] = [
  ...KINDS.flatMap((kind): (readonly [string, RegExp, Handler])[] => [
    ['GET', new RegExp(`^/api/${kind}/$`), (sample, asked) => listObjects(sample, asked, kind)],
    ['POST', new RegExp(`^/api/${kind}/$`), (sample, asked) => createObject(sample, asked, kind)],
  ]),
  ['GET', /^\/api\/tasks\/$/, listTasks],
  ['POST', /^\/api\/tasks\/acknowledge\/$/, dismissTasks],
  ['GET', /^\/api\/documents\/$/, listDocuments],
  ['GET', /^\/api\/documents\/(\d+)\/download\/$/, downloadDocument],
  ['GET', /^\/api\/status\/$/, showStatus],
];

export async function handle(
  sample: Sample,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'sample'}`);
  if (url.pathname === UPLOAD_PATH && request.method === 'POST') {
    return handleUpload(sample, { request, response });
  }
  const answer = await answerOf(() => route(sample, url, { request, response }));
  await drain(request);
  send(response, answer);
}

function route(
  sample: Sample,
  url: URL,
  { request, response }: Exchange,
): Answer | Promise<Answer> {
  const { pathname } = url;
  if (pathname === TOKEN_PATH && request.method === 'POST') return giveToken(sample, request);
  const routes = ROUTES.filter(([, path]) => path.test(pathname));
  if (routes.length === 0 && pathname !== UPLOAD_PATH) {
    if (request.method !== 'GET') return FORBIDDEN;
    return htmlAnswer(302, '', { location: `/accounts/login/?next=${pathname}` });
  }
  const sender = identify(sample, request, response);
  const found = routes.find(([method]) => method === request.method);
  if (!found) throw new Refused(405, `Method "${request.method}" not allowed.`);
  const [, path, handler] = found;
  return handler(sample, { request, url, ...sender }, path.exec(pathname)?.[1] ?? '');
}

async function giveToken(
  { users, options: { login } }: Sample,
  request: IncomingMessage,
): Promise<Answer> {
  const { username, password } = await readJsonBody(request);
  const isRight = login?.username === username && login?.password === password;
  const token = users.find((user) => user.username === username)?.token;
  if (isRight && token !== undefined) return jsonAnswer(200, { token });
  return jsonAnswer(400, { non_field_errors: ['Unable to log in with provided credentials.'] });
}

function listTasks({ tasks, release }: Sample, asked: Asked): Answer {
  const { url, user } = asked;
  demand(user, 'view_paperlesstask');
  const id = url.searchParams.get('task_id');
  const wanted = tasks
    .all()
    .filter((task) => !task.isForgotten && maySee(user, task))
    .filter((task) => id === null || task.task_id === id)
    .toReversed();
  const described = describeTasks(wanted, asked.apiVersion, release);
  if (asked.apiVersion < 10) return jsonAnswer(200, described);
  return pageAnswer(described, url, (task) => task);
}

/** The "Dismiss" button of the web interface, for tasks in any status. */
async function dismissTasks({ tasks }: Sample, { request, user }: Asked): Promise<Answer> {
  const { tasks: ids } = await readJsonBody(request);
  const wanted = tasks
    .all()
    .filter((task) => Array.isArray(ids) && ids.includes(task.id) && maySee(user, task));
  for (const task of wanted) task.acknowledged = true;
  return jsonAnswer(200, { result: wanted.length });
}

/** Only administrators see the tasks of other users. */
function maySee(user: TokenUser, { owner }: Task): boolean {
  return user.permissions === 'all' || owner === user.id;
}

/** Filters by checksum or serial number. Only administrators see other users' documents. */
function listDocuments({ library, tasks, release }: Sample, { url, user }: Asked): Answer {
  demand(user, 'view_document');
  const owners = new Map(tasks.all().map(({ document, owner }) => [document?.id, owner]));
  const isAsked = (name: string, value: unknown): boolean =>
    (url.searchParams.get(name)?.toLowerCase() ?? String(value)) === String(value);
  const found = library
    .documents()
    .filter(({ id }) => user.permissions === 'all' || (owners.get(id) ?? user.id) === user.id)
    .filter((document) => isAsked('checksum__iexact', document[release.checksum]))
    .filter((document) => isAsked('archive_serial_number', document.archive_serial_number));
  const wanted = url.searchParams.get('fields')?.split(',');
  return pageAnswer(found, url, ({ path: _path, ...document }) =>
    Object.fromEntries(Object.entries(document).filter(([name]) => wanted?.includes(name) ?? true)),
  );
}

async function downloadDocument({ library }: Sample, { user }: Asked, id: string): Promise<Answer> {
  demand(user, 'view_document');
  const found = library.documents().find((one) => one.id === Number(id));
  if (found === undefined) throw new Refused(404, 'Not found.');
  const headers = { 'content-type': 'application/pdf' };
  return { status: 200, headers, body: await readFile(found.path) };
}

/** Answers administrators only. */
function showStatus({ release }: Sample, { user }: Asked): Answer {
  if (user.permissions !== 'all') return htmlAnswer(403, 'Insufficient permissions');
  return jsonAnswer(200, {
    pngx_version: release.release,
    tasks: { redis_status: 'OK', redis_error: null, celery_status: 'OK', celery_error: null },
  });
}
