import { performance } from 'node:perf_hooks';
import type { EventEmitter } from 'node:events';
import { rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  htmlAnswer,
  jsonAnswer,
  send,
  serverErrorPage,
  unsupportedMediaType,
  type Answer,
} from './answer.ts';
import { ServerError } from './custom-fields.ts';
import { actAfterBody, actBeforeBody, lets, type Fault, type FaultSwitch } from './faults.ts';
import { checkFile, readFields } from './fields.ts';
import type { Library } from './library.ts';
import { receive, type Received } from './multipart.ts';
import type { SampleObjects } from './objects.ts';
import { may, type Release, type TokenUser } from './options.ts';
import type { Task, TaskQueue } from './tasks.ts';

/** A received `POST /api/documents/post_document/`. */
export interface UploadRecord {
  /** When the headers had arrived and when the connection was done with the request, in ms of `performance.now()`. */
  readonly started_ms: number;
  ended_ms: number | undefined;
  readonly headers: IncomingHttpHeaders;
  fields: readonly (readonly [string, string])[];
  filename: string | undefined;
  bytes: number | undefined;
  sha256: string | undefined;
  /** Status of the response, undefined if there was none. */
  status: number | undefined;
  task_id: string | undefined;
}

export interface DmsEvents {
  /** The headers of an upload have arrived. */
  upload_started: [UploadRecord];
  /** The whole body has arrived. */
  body_received: [UploadRecord];
  /** The response was sent, or the connection was lost. */
  upload_ended: [UploadRecord];
  /** A task has ended: its document was stored, or it failed. */
  task_ended: [Task];
}

export interface UploadContext {
  readonly incoming: string;
  readonly objects: SampleObjects;
  readonly release: Release;
  readonly library: Library;
  readonly tasks: TaskQueue;
  readonly faults: FaultSwitch;
  readonly uploads: UploadRecord[];
  readonly events: EventEmitter<DmsEvents>;
}

/** The `Allow` header of the upload path. */
export const UPLOAD_METHODS = 'POST, OPTIONS';

/** The sender, or the response to send instead. */
export type Sender = { readonly user: TokenUser } | { readonly answer: Answer };

/**
 * Handles an upload, including faults. The body is always read first, as in Django's ASGI handler. What the scan service's own
 * checks send, which never holds a document, is answered but neither counted nor met by faults.
 */
export async function handleUpload(
  context: UploadContext,
  exchange: { readonly request: IncomingMessage; readonly response: ServerResponse },
  sender: Sender,
): Promise<void> {
  const { request, response } = exchange;
  if (request.headers['user-agent'] === CHECKER) return handleCheck(context, exchange, sender);
  const record = begin(context, request, response);
  const fault = context.faults.take();
  if (await actBeforeBody(fault, exchange)) return;
  const received = await receive(request, context.incoming);
  describe(record, received);
  context.events.emit('body_received', record);
  const answer = lets(fault) ? await answerTo(context, received, sender, fault) : undefined;
  if (answer?.status === 200) record.task_id = String(JSON.parse(String(answer.body)));
  const refused = record.task_id === undefined;
  if (refused && received.kind === 'form' && received.file !== undefined) {
    await rm(received.file.path, { force: true });
  }
  if (fault !== undefined) return actAfterBody(fault, answer, exchange);
  if (answer !== undefined) send(response, answer);
}

const CHECKER = 'scan-service self-test';

async function handleCheck(
  context: UploadContext,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  sender: Sender,
): Promise<void> {
  const received = await receive(request, context.incoming);
  send(response, await answerTo(context, received, sender));
}

function begin(
  context: UploadContext,
  request: IncomingMessage,
  response: ServerResponse,
): UploadRecord {
  const record: UploadRecord = {
    started_ms: performance.now(),
    ended_ms: undefined,
    headers: request.headers,
    fields: [],
    filename: undefined,
    bytes: undefined,
    sha256: undefined,
    status: undefined,
    task_id: undefined,
  };
  context.uploads.push(record);
  context.events.emit('upload_started', record);
  response.once('close', () => {
    record.ended_ms = performance.now();
    record.status = response.headersSent ? response.statusCode : undefined;
    context.events.emit('upload_ended', record);
  });
  return record;
}

function describe(record: UploadRecord, received: Received): void {
  if (received.kind !== 'form') return;
  record.fields = received.fields;
  record.filename = received.file?.filename;
  record.bytes = received.file?.bytes;
  record.sha256 = received.file?.sha256;
}

async function answerTo(
  context: UploadContext,
  received: Received,
  sender: Sender,
  fault?: Fault,
): Promise<Answer> {
  try {
    const answer = await decide(context, received, sender, fault);
    return { ...answer, headers: { allow: UPLOAD_METHODS, ...answer.headers } };
  } catch (error) {
    if (error instanceof ServerError) return serverErrorPage();
    throw error;
  }
}

async function decide(
  context: UploadContext,
  received: Received,
  sender: Sender,
  fault: Fault | undefined,
): Promise<Answer> {
  if ('answer' in sender) return sender.answer;
  const { release, objects, library, tasks } = context;
  if (release.checks_add_document && !may(sender.user, 'add_document')) {
    return htmlAnswer(403, 'Insufficient permissions');
  }
  if (received.kind === 'unsupported') return unsupportedMediaType(received.mediaType);
  if (received.kind === 'malformed') {
    return jsonAnswer(400, { detail: `Multipart form parse error - ${received.reason}` });
  }
  const documents = library.documents().map(({ id }) => id);
  const { mediaType, error } = await checkFile(received.file, received.fields);
  const { form, errors } = readFields(received.fields, { release, objects, documents }, error);
  if (received.file === undefined || Object.keys(errors).length > 0) {
    return jsonAnswer(400, errors);
  }
  const task = tasks.add({ file: received.file, mediaType, form }, sender.user.id, fault);
  return jsonAnswer(200, task.task_id);
}
