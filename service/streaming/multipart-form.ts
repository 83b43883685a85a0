import { FormDataEncoder, type FileLike, type FormDataLike } from 'form-data-encoder';
import { readBody, type BodyPart } from './request-body.ts';
import type { StoredContent } from './stored-content.ts';

/** A PDF in a form, under a name of its own. */
export interface FormFile {
  readonly name: string;
  readonly content: StoredContent;
}

/** Name and value of a field of a form; a name may come more than once. */
export type FormField = readonly [name: string, value: string | FormFile];

export interface MultipartForm {
  /** Content-Type and an exact Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  /** Read from disk bit by bit, see `readBody`; each call begins anew. */
  readonly body: () => AsyncGenerator<Uint8Array, void>;
}

/** Writes a form as multipart/form-data. Its files are opened when its body is read. */
export function createMultipartForm(fields: readonly FormField[]): MultipartForm {
  const encoder = new FormDataEncoder(formOf(fields));
  const contents = fields.flatMap(([, value]) => (typeof value === 'string' ? [] : value.content));
  const parts: BodyPart[] = [];
  // The encoder hands on files as they are, in the order of the fields.
  for (const part of encoder) {
    const content = part instanceof Uint8Array ? part : contents.shift();
    if (content !== undefined) parts.push(content);
  }
  return { headers: { ...encoder.headers }, body: () => readBody(parts) };
}

/** As much of a FormData as the encoder looks at: Node's own one takes only files that Node reads, in small pieces. */
function formOf(fields: readonly FormField[]): FormDataLike {
  const entries: FormDataLike['entries'] = () =>
    fields.map(([name, value]): [string, string | FileLike] => [name, valueOf(value)]).values();
  return {
    append: neverCalled,
    getAll: neverCalled,
    entries,
    [Symbol.iterator]: entries,
    [Symbol.toStringTag]: 'FormData',
  };
}

function valueOf(value: string | FormFile): string | FileLike {
  if (typeof value === 'string') return value;
  return {
    name: value.name,
    type: 'application/pdf',
    size: value.content.bytes,
    lastModified: 0,
    stream: neverCalled,
    [Symbol.toStringTag]: 'File',
  };
}

function neverCalled(): never {
  throw new Error('only the names, types and sizes of a form are looked at');
}
