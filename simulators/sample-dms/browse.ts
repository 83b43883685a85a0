import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { htmlAnswer, jsonAnswer, type Answer } from './answer.ts';
import type { Library, StoredDocument } from './library.ts';
import { RELEASES, type DmsVersion, type SampleDmsOptions, type TokenUser } from './options.ts';
import { describeTasks, type TaskQueue } from './tasks.ts';

export interface BrowseContext {
  readonly library: Library;
  readonly tasks: TaskQueue;
  readonly version: DmsVersion;
}

export interface ApiRequest {
  readonly url: URL;
  readonly apiVersion: number;
  readonly user: TokenUser;
}

type Handler = (
  context: BrowseContext,
  request: ApiRequest,
  parameter: string,
) => Answer | Promise<Answer>;

/** What can be looked at with GET, each path with its trailing slash. */
export const BROWSE_ROUTES: readonly (readonly [RegExp, Handler])[] = [
  [/^\/api\/tasks\/$/, listTasks],
  [/^\/api\/documents\/$/, listDocuments],
  [/^\/api\/documents\/(\d+)\/$/, showDocument],
  [/^\/api\/documents\/(\d+)\/download\/$/, downloadDocument],
  [/^\/api\/statistics\/$/, showStatistics],
];

function listTasks(
  { tasks, version }: BrowseContext,
  { url, apiVersion, user }: ApiRequest,
): Answer {
  if (!user.may_view_tasks) {
    return jsonAnswer(403, { detail: 'You do not have permission to perform this action.' });
  }
  const id = url.searchParams.get('task_id');
  const wanted = tasks.all().filter((task) => id === null || task.task_id === id);
  return jsonAnswer(200, describeTasks(wanted, apiVersion, version));
}

function listDocuments({ library, version }: BrowseContext, { url }: ApiRequest): Answer {
  const checksum = url.searchParams.get('checksum__iexact')?.toLowerCase();
  const found = library
    .documents()
    .filter((one) => checksum === undefined || one[RELEASES[version].checksum] === checksum);
  const wanted = url.searchParams.get('fields')?.split(',');
  const results = found.map((one) => {
    const shown = Object.entries(describeDocument(one));
    return Object.fromEntries(shown.filter(([name]) => wanted?.includes(name) ?? true));
  });
  const all = found.map((one) => one.id);
  return jsonAnswer(200, { count: all.length, next: null, previous: null, all, results });
}

function showDocument({ library }: BrowseContext, _request: ApiRequest, id: string): Answer {
  const found = library.documents().find((one) => one.id === Number(id));
  return found === undefined ? notFound() : jsonAnswer(200, describeDocument(found));
}

async function downloadDocument(
  { library }: BrowseContext,
  _request: ApiRequest,
  id: string,
): Promise<Answer> {
  const found = library.documents().find((one) => one.id === Number(id));
  if (found === undefined) return notFound();
  const disposition = `attachment; filename="${encodeURIComponent(found.title)}.pdf"`;
  return {
    status: 200,
    headers: { 'content-type': 'application/pdf', 'content-disposition': disposition },
    body: await readFile(found.path),
  };
}

function showStatistics({ library }: BrowseContext): Answer {
  return jsonAnswer(200, { documents_total: library.documents().length, documents_inbox: null });
}

function notFound(): Answer {
  return jsonAnswer(404, { detail: 'No Document matches the given query.' });
}

function describeDocument({ path: _path, bytes: _bytes, ...shown }: StoredDocument): object {
  return {
    ...shown,
    correspondent: shown.correspondent ?? null,
    document_type: shown.document_type ?? null,
    storage_path: shown.storage_path ?? null,
    archive_serial_number: shown.archive_serial_number ?? null,
    custom_fields: shown.custom_fields ?? [],
  };
}

export function loginPage(): Answer {
  return htmlAnswer(
    200,
    '<!doctype html><html><head><title>Paperless-ngx sign in</title></head></html>',
  );
}

/** `POST /api/token/`: user name and password, as a form or as JSON, for the token. */
export async function giveToken(
  request: IncomingMessage,
  users: readonly TokenUser[],
  login: SampleDmsOptions['login'],
): Promise<Answer> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const given = readCredentials(text);
  const missing = ['username', 'password'].filter((name) => (given.get(name) ?? '') === '');
  if (missing.length > 0) {
    const required = missing.map((name) => [name, ['This field is required.']]);
    return jsonAnswer(400, Object.fromEntries(required));
  }
  const right =
    login?.username === given.get('username') && login?.password === given.get('password');
  const token = users.find((user) => user.username === login?.username)?.token;
  if (right && token !== undefined) return jsonAnswer(200, { token });
  return jsonAnswer(400, {
    non_field_errors: ['Unable to log in with provided credentials.'],
  });
}

function readCredentials(text: string): Map<string, string> {
  if (!text.trimStart().startsWith('{')) return new Map(new URLSearchParams(text));
  const values: object = Object(JSON.parse(text));
  return new Map(Object.entries(values).map(([name, value]) => [name, String(value)]));
}
