/** A document-management system that documents are uploaded to: an entry of a profile's `destinations`. */
export interface DmsDestination extends Pick<
  DocumentMetadata,
  'tags' | 'correspondent' | 'document_type' | 'storage_path'
> {
  readonly kind: 'dms';
  /** `http://` or `https://`; may have a path, and may end with a slash or not. */
  readonly base_url: string;
  /** Name of the secret that holds the API token. */
  readonly token_secret: string;
}

/** Every kind of destination that there is. */
export type Destination = DmsDestination;

export const DEFAULT_TOKEN_SECRET = 'dms_api_token';

/** What is sent along with a document. Numbers are the system's own ids. */
export interface DocumentMetadata {
  /** Kept as text: nothing in it is taken as a template. At most 127 characters reach the system. */
  readonly title?: string | undefined;
  /** `YYYY-MM-DD`, or an ISO 8601 date and time. */
  readonly created?: string | undefined;
  readonly tags?: readonly number[] | undefined;
  readonly correspondent?: number | undefined;
  readonly document_type?: number | undefined;
  readonly storage_path?: number | undefined;
  readonly archive_serial_number?: number | undefined;
  /** Id of the custom field → its value. */
  readonly custom_fields?: Readonly<Record<string, unknown>> | undefined;
}

/** A finished document on disk. */
export interface DocumentFile {
  readonly path: string;
  /** Name that the system is given. */
  readonly filename: string;
  /** Size that it was written with; a file of another size is not sent. */
  readonly bytes: number;
  readonly sha256: string;
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

export function accepted(taskId: string): Delivery {
  return { entry: { status: 'submitted', task_id: taskId }, outcome: 'accepted' };
}

export function refused(error: string): Delivery {
  return { entry: { status: 'failed', error }, outcome: 'refused' };
}

/** The `error` is the cause, in sentences, and a last sentence that keeps people from simply trying again. */
export function unknown(cause: string): Delivery {
  const error = `${cause} The document may have been accepted: search for it before sending it again.`;
  return { entry: { status: 'failed', error }, outcome: 'unknown' };
}
