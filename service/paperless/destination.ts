import { SEARCH_FIRST } from './causes.ts';
import { endpointOf } from './endpoint.ts';

/** A document-management system that documents are uploaded to: an entry of a profile's `destinations`. */
export interface DmsDestination extends Pick<
  DocumentMetadata,
  'tags' | 'correspondent' | 'document_type' | 'storage_path'
> {
  readonly kind: 'dms';
  /** `http://` or `https://`; may have a path, and may end with a slash or not. */
  readonly base_url: string;
  /** Where a browser finds the system, for links; without it there are none. Written like `base_url`. */
  readonly public_url?: string | undefined;
  /** Name of the secret that holds the API token. */
  readonly token_secret: string;
  /** Tags, correspondents and document types that are named and do not exist are created there. */
  readonly create_missing?: boolean;
  /** Template of the title here, in place of the profile's. */
  readonly title?: string | undefined;
}

/**
 * A destination is its system and the account there. What it was sent belongs to this, whatever else a profile says about it and
 * in whatever order. Spellings of one address are one system: case, default port, slashes at the end and an empty query make no difference.
 */
export function identityOf({
  base_url,
  token_secret = DEFAULT_TOKEN_SECRET,
}: Pick<DmsDestination, 'base_url'> & Partial<Pick<DmsDestination, 'token_secret'>>): string {
  return `${endpointOf(base_url)?.name ?? base_url}\n${token_secret}`;
}

/** The address of an identity, for messages. */
export function addressIn(identity: string): string {
  return identity.split('\n', 1)[0] ?? identity;
}

/** Every kind of destination that there is. */
export type Destination = DmsDestination;

export const DEFAULT_TOKEN_SECRET = 'dms_api_token';

/** Something in the system: its id there, or its name. */
export type Reference = number | string;

/** What is asked for along with a document. */
export interface DocumentMetadata {
  /** Kept as text: nothing in it is taken as a template. At most 127 characters reach the system. */
  readonly title?: string | undefined;
  /** `YYYY-MM-DD`, or an ISO 8601 date and time. */
  readonly created?: string | undefined;
  readonly tags?: readonly Reference[] | undefined;
  readonly correspondent?: Reference | undefined;
  readonly document_type?: Reference | undefined;
  readonly storage_path?: Reference | undefined;
  readonly archive_serial_number?: number | undefined;
  /** Id or name of the custom field → its value. */
  readonly custom_fields?: Readonly<Record<string, unknown>> | undefined;
}

/** The same as it is sent, with the ids that the system has for it. */
export interface UploadMetadata extends DocumentMetadata {
  readonly tags?: readonly number[] | undefined;
  readonly correspondent?: number | undefined;
  readonly document_type?: number | undefined;
  readonly storage_path?: number | undefined;
}

/** Finds the ids of what a document is filed under in one system. Rejects with an Error that says what is not there. */
export type MetadataResolver = (
  destination: DmsDestination,
  metadata: DocumentMetadata,
) => Promise<UploadMetadata>;

/** A finished document on disk. */
export interface DocumentFile {
  readonly path: string;
  /** Name that the system is given. */
  readonly filename: string;
  /** Size that it was written with; a file of another size is not sent. */
  readonly bytes: number;
  readonly sha256: string;
  /** Of the files that it replaced. */
  readonly earlier_sha256?: readonly string[] | undefined;
}

/** What a result says about one document and one destination: exactly one of two shapes. */
export type DestinationEntry =
  | { readonly status: 'submitted'; readonly task_id: string }
  | { readonly status: 'failed'; readonly error: string };

/**
 * The entry, and what is known about the document at the destination:
 *
 *   accepted  the system took it and named its task
 *   refused   it is surely not stored there: sending it again cannot make a second one
 *   unknown   something was sent, and no answer says what became of it: only a person may have it sent again
 */
export interface Delivery {
  readonly entry: DestinationEntry;
  readonly outcome: (typeof OUTCOMES)[number];
}

export const OUTCOMES = ['accepted', 'refused', 'unknown'] as const;

/** What is known after a request: what happened to it, and why. */
export type Judgement =
  | { readonly outcome: 'accepted'; readonly taskId: string }
  /** `cause`: in sentences, what happened and what to do. */
  | { readonly outcome: 'refused' | 'unknown'; readonly cause: string };

/** The entry of an upload that was judged. */
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

/** Why a request failed; empty for one that did not. */
export function causeOf(judged: Judgement): string {
  return judged.outcome === 'accepted' ? '' : judged.cause;
}
