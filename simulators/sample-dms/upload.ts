import { rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { answerOf, htmlAnswer, jsonAnswer, send, type Answer } from './answer.ts';
import { receiveForm, type ReceivedForm } from './bodies.ts';
import { actAfterBody, actBeforeBody, isQueued, type Exchange, type Fault } from './faults.ts';
import { readFields } from './fields.ts';
import { identify, may } from './identify.ts';
import type { Sample, UploadRecord } from './sample.ts';

const CHECKER = 'scan-service self-test';

/**
 * Handles an upload, including faults. Always reads the body first, like Django's ASGI handler. The
 * scan service's checks, which contain no document, are answered normally, without faults and
 * records.
 */
export async function handleUpload(sample: Sample, exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  const isCheck = request.headers['user-agent'] === CHECKER;
  const record = isCheck ? undefined : begin(sample, request, response);
  const fault = isCheck ? undefined : sample.faults.take();
  if (await actBeforeBody(fault, exchange)) return;
  const received = await receiveForm(request, sample.incoming);
  const { file, fields } = received;
  if (record) {
    const { filename, bytes, sha256 } = file ?? {};
    Object.assign(record, { fields, filename, bytes, sha256 });
    sample.events.emit('body_received', record);
  }
  const answer = isQueued(fault)
    ? await answerOf(() => answerTo(sample, received, exchange, fault))
    : undefined;
  if (record && answer?.status === 200) record.task_id = String(JSON.parse(String(answer.body)));
  else if (file !== undefined) await rm(file.path, { force: true });
  if (fault !== undefined) return actAfterBody(fault, answer, exchange);
  if (answer !== undefined) send(response, answer);
}

function begin(
  { uploads, events }: Sample,
  { headers }: IncomingMessage,
  response: ServerResponse,
): UploadRecord {
  const record: UploadRecord = { started_ms: performance.now(), headers, fields: [] };
  uploads.push(record);
  events.emit('upload_started', record);
  response.once('close', () => {
    record.ended_ms = performance.now();
    record.status = response.headersSent ? response.statusCode : undefined;
    events.emit('upload_ended', record);
  });
  return record;
}

function answerTo(
  { release, users, library, tasks, objects }: Sample,
  received: ReceivedForm,
  { request, response }: Exchange,
  fault: Fault | undefined,
): Answer {
  const { user } = identify({ release, users }, request, response);
  if (!may(user, 'add_document')) return htmlAnswer(403, 'Insufficient permissions');
  const { file, fields, refused } = received;
  if (refused) throw refused;
  const documents = library.documents().map(({ id }) => id);
  const { form, errors } = readFields(fields, objects, documents);
  const problem = problemOf(file);
  if (problem !== undefined) errors['document'] = [problem];
  if (file === undefined || Object.keys(errors).length > 0) return jsonAnswer(400, errors);
  return jsonAnswer(200, tasks.add({ file, form }, user.id, fault).task_id);
}

/** The error of a file, judged by its content: PDF and plain text are accepted. */
function problemOf(file: ReceivedForm['file']): string | undefined {
  if (file === undefined) return 'No file was submitted.';
  if (file.bytes === 0) return 'The submitted file is empty.';
  // oxlint-disable-next-line no-control-regex
  if (/%PDF-|^[a-z][^\0-\u0008<{[]*$/i.test(file.head)) return undefined;
  return 'File type application/octet-stream not supported';
}
