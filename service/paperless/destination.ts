import { SEARCH_FIRST } from './causes.ts';
import { endpointOf } from './endpoint.ts';

export interface DmsDestination extends Pick<
  DocumentMetadata,
  'tags' | 'correspondent' | 'document_type' | 'storage_path'
> {
  readonly kind: 'dms';
  /** `http://` or `https://`, optionally with a path and a trailing slash. */
  readonly base_url: string;
  /** The address for links in a browser. Without it, there are no links. */
  readonly public_url?: string | undefined;
  readonly token_secret: string;
  /** Creates missing tags, correspondents and document types in the system. */
  readonly create_missing?: boolean;
  /** A template, which overrides that of the profile. */
  readonly title?: string | undefined;
}

/**
 * Identifies a system and an account on it; deliveries are recorded under this text. Different
 * spellings of one address are the same.
 */
export function identityOf({
  base_url,
  token_secret = DEFAULT_TOKEN_SECRET,
}: Pick<DmsDestination, 'base_url'> & Partial<Pick<DmsDestination, 'token_secret'>>): string {
  return `${endpointOf(base_url)?.name ?? base_url}\n${token_secret}`;
}

export function addressIn(identity: string): string {
  return identity.split('\n', 1)[0] ?? identity;
}

export type Destination = DmsDestination;

export const DEFAULT_TOKEN_SECRET = 'dms_api_token';

/** A tag or other object of the system, by id or name. */
export type Reference = number | string;

export interface DocumentMetadata {
  /** At most 127 characters. Plain text, not a template. */
  readonly title?: string | undefined;
  /** `YYYY-MM-DD`, or an ISO 8601 date and time. */
  readonly created?: string | undefined;
  readonly tags?: readonly Reference[] | undefined;
  readonly correspondent?: Reference | undefined;
  readonly document_type?: Reference | undefined;
  readonly storage_path?: Reference | undefined;
  readonly archive_serial_number?: number | undefined;
  /** Values by the id or name of their custom field. */
  readonly custom_fields?: Readonly<Record<string, unknown>> | undefined;
}

/** Metadata with ids instead of names, ready to send. */
export interface UploadMetadata extends DocumentMetadata {
  readonly tags?: readonly number[] | undefined;
  readonly correspondent?: number | undefined;
  readonly document_type?: number | undefined;
  readonly storage_path?: number | undefined;
}

/** Finds the ids of names. Rejects with an Error that lists the missing ones. */
export type MetadataResolver = (
  destination: DmsDestination,
  metadata: DocumentMetadata,
) => Promise<UploadMetadata>;

export interface DocumentFile {
  readonly path: string;
  readonly filename: string;
  /** Recorded size. A file of another size is not sent. */
  readonly bytes: number;
  readonly sha256: string;
  /** Checksums of earlier versions of this file. */
  readonly earlier_sha256?: readonly string[] | undefined;
}

export type DestinationEntry =
  | { readonly status: 'submitted'; readonly task_id: string }
  | { readonly status: 'failed'; readonly error: string };

/**
 * The result of a delivery:
 *
 *   accepted  the system returned a task id
 *   refused   the system stored nothing; sending the document again is safe
 *   unknown   the system may have stored it; only a person may resend it
 */
export interface Delivery {
  readonly entry: DestinationEntry;
  readonly outcome: (typeof OUTCOMES)[number];
}

export const OUTCOMES = ['accepted', 'refused', 'unknown'] as const;

export type Judgement =
  | { readonly outcome: 'accepted'; readonly taskId: string }
  | { readonly outcome: 'refused' | 'unknown'; readonly cause: string };

export function entryOf(judged: Judgement): Delivery {
  const { outcome } = judged;
  if (outcome === 'accepted') {
    return { entry: { status: 'submitted', task_id: judged.taskId }, outcome };
  }
  const error = outcome === 'unknown' ? `${judged.cause} ${SEARCH_FIRST}` : judged.cause;
  return { entry: { status: 'failed', error }, outcome };
}

export function accepted(taskId: string): Delivery {
  return entryOf({ outcome: 'accepted', taskId });
}

export function refused(cause: string): Delivery {
  return entryOf({ outcome: 'refused', cause });
}

export function unknown(cause: string): Delivery {
  return entryOf({ outcome: 'unknown', cause });
}

export function causeOf(judged: Judgement): string {
  return judged.outcome === 'accepted' ? '' : judged.cause;
}
