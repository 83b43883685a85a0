/** A document-management system that documents are uploaded to: an entry of a profile's `destinations`. */
export interface DmsDestination {
  readonly kind: 'dms';
  /** `http://` or `https://`; may have a path, and may end with a slash or not. */
  readonly base_url: string;
  /** Name of the secret that holds the API token. */
  readonly token_secret: string;
  readonly tags?: readonly number[] | undefined;
  readonly correspondent?: number | undefined;
  readonly document_type?: number | undefined;
  readonly storage_path?: number | undefined;
}

/** Every kind of destination that there is. */
export type Destination = DmsDestination;

export const DEFAULT_TOKEN_SECRET = 'dms_api_token';

/** What the system is told about a document. Numbers are the system's own ids. */
export interface DocumentMetadata {
  /** Kept as text: nothing in it is taken as a template. At most 127 code points reach the system. */
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

/** What a caller is told about one document and one destination: exactly one of two shapes. */
export type DestinationEntry =
  | { readonly status: 'submitted'; readonly task_id: string }
  | { readonly status: 'failed'; readonly error: string };

/**
 * The entry, and what is known about the document at the destination:
 *
 *   accepted  the system took it and named its task
 *   refused   it is surely not stored there: sending it again cannot make a second one
 *   unknown   something was sent and no answer told what became of it: only a person may send it again
 */
export interface Delivery {
  readonly entry: DestinationEntry;
  readonly outcome: 'accepted' | 'refused' | 'unknown';
}

export function accepted(taskId: string): Delivery {
  return { entry: { status: 'submitted', task_id: taskId }, outcome: 'accepted' };
}

export function refused(error: string): Delivery {
  return { entry: { status: 'failed', error }, outcome: 'refused' };
}

/** `error` gets the sentence that says why nobody may simply try again. */
export function unknown(error: string): Delivery {
  const told = `${error}: whether the document was accepted is not known`;
  return { entry: { status: 'failed', error: told }, outcome: 'unknown' };
}
