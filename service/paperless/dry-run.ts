import type { LookupFunction } from 'node:net';
import Joi from 'joi';
import { readJson } from '../../helpers/read-json.ts';
import { encodeForm } from '../http-client/multipart-form.ts';
import type { TrackedResponse } from '../http-client/tracked-request.ts';
import { causeOf, type UploadMetadata } from './destination.ts';
import { judgeResponse } from './upload/judge-response.ts';
import { sendUpload } from './upload/upload.ts';
import { explainSilence, isForbidden, type DmsAccess } from './ask-dms.ts';
import { FIELDS, type MetadataField, type MetadataProblem } from './names/problems.ts';
import { metadataForm } from './upload/upload-form.ts';
import { systemOf } from './endpoint.ts';

/** What must work in order to reach a system. Each step needs the one before. */
export const CHAIN = ['name', 'tcp', 'tls', 'api', 'version', 'token', 'permission'] as const;

export type Link = (typeof CHAIN)[number];

export type DryRun =
  /** The token may add documents. `problems` are about the metadata. */
  | {
      readonly kind: 'reached';
      readonly problems: readonly MetadataProblem[];
      readonly version: string | undefined;
      readonly date: string | undefined;
    }
  | {
      readonly kind: 'broken';
      readonly link: Link;
      readonly problem: string;
      readonly code?: string;
    };

const errors = Joi.object<Readonly<Record<string, unknown>>>().unknown();

/**
 * Tests an upload with a form without a file, which stores nothing. Paperless-ngx checks token,
 * permission and all fields. If its only error is `{"document":["No file was submitted."]}`, these
 * are valid. Needs no permission to view anything. Returns network and server errors.
 */
export async function dryRun(
  access: DmsAccess,
  metadata: UploadMetadata,
  lookup?: LookupFunction,
): Promise<DryRun> {
  const { endpoint, token, timeouts, signal } = access;
  // A form needs at least one field.
  const form = encodeForm(metadataForm({ ...metadata, title: 'Self-test' }));
  const upload = { url: endpoint.uploadUrl, token, form, timeouts, signal, lookup };
  const sent = await sendUpload({ ...upload, isCheck: true });
  if (sent.kind === 'no_response') {
    const problem = explainSilence(sent, endpoint.name, timeouts);
    return { kind: 'broken', link: linkWithoutResponse(sent), problem, code: sent.code };
  }
  const fields = sent.status === 400 ? fieldErrors(sent) : undefined;
  if (fields && 'document' in fields) {
    const { 'x-version': version, date } = sent.headers;
    const problems = metadataProblems(fields, { access, metadata, answer: sent });
    return { kind: 'reached', problems, version: String(version ?? '') || undefined, date };
  }
  return brokenBy(sent, access, metadata);
}

function brokenBy(sent: TrackedResponse, access: DmsAccess, metadata: UploadMetadata): DryRun {
  const { destination, endpoint, token } = access;
  if (sent.status === 500 && metadata.custom_fields !== undefined) {
    const message = `${systemOf(destination)} fails on the custom fields (500). Check that each value is of the type of its field.`;
    const problem = {
      field: 'custom_fields',
      value: '',
      kind: 'value',
      message,
      near: [],
    } as const;
    return { kind: 'reached', problems: [problem], version: undefined, date: undefined };
  }
  if (sent.status < 300) {
    const problem = `${endpoint.name} accepted an upload without a file (${sent.status}): it is not Paperless-ngx. Check base_url.`;
    return { kind: 'broken', link: 'api', problem };
  }
  const problem = causeOf(judgeResponse(sent, { endpoint, destination, token, bytes: 0 }));
  return { kind: 'broken', link: linkOfAnswer(sent), problem };
}

export function linkWithoutResponse({
  connected,
  code,
  timeout,
}: {
  readonly connected: boolean;
  readonly code: string;
  readonly timeout: string | undefined;
}): Link {
  if (connected) return 'api';
  if (timeout === 'lookup' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name';
  const isTls = timeout === 'secureConnect' || /CERT|SSL|TLS|EPROTO|VERIFY|ISSUER/.test(code);
  return isTls ? 'tls' : 'tcp';
}

function linkOfAnswer(answer: TrackedResponse): Link {
  const { detail } = fieldErrors(answer) ?? {};
  // A router or a reverse proxy that asks for a log-in answers with a page.
  if (answer.status === 401) return detail === undefined ? 'api' : 'token';
  if (answer.status === 406) return 'version';
  if (isForbidden(answer)) return 'permission';
  const isDetail = answer.status === 403 && detail !== undefined;
  return isDetail && !/CSRF/.test(answer.body) ? 'token' : 'api';
}

function fieldErrors({ body }: TrackedResponse): Readonly<Record<string, unknown>> | undefined {
  return readJson(body, errors);
}

interface Context {
  readonly access: DmsAccess;
  readonly metadata: UploadMetadata;
  readonly answer: TrackedResponse;
}

/** Finds problems with tags and other objects. Our own schema has checked the other fields. */
function metadataProblems(
  fields: Readonly<Record<string, unknown>>,
  { access, metadata, answer }: Context,
): MetadataProblem[] {
  const { destination, endpoint, token } = access;
  return Object.keys(FIELDS)
    .filter(isField)
    .flatMap((field): MetadataProblem[] => {
      if (!(field in fields)) return [];
      const { one } = FIELDS[field];
      const value = wrongId(fields[field], metadata[field]);
      if (typeof value === 'number') {
        const message = `There is no ${one} with the id ${value} in ${systemOf(destination)}. Correct the id, or give the name instead.`;
        return [{ field, value, kind: 'missing', message, near: [] }];
      }
      const body = JSON.stringify({ [field]: fields[field] });
      const message = causeOf(
        judgeResponse({ ...answer, body }, { endpoint, destination, token, bytes: 0 }),
      );
      return [{ field, value: '', kind: 'value', message, near: [] }];
    });
}

function isField(name: string): name is MetadataField {
  return Object.hasOwn(FIELDS, name);
}

/** The id in `Invalid pk "999" - object does not exist.`, or else the only id sent. */
function wrongId(problem: unknown, sent: unknown): number | undefined {
  const quoted = /"(\d+)"/.exec(String(problem))?.[1];
  if (quoted !== undefined) return Number(quoted);
  return typeof sent === 'number' ? sent : undefined;
}
