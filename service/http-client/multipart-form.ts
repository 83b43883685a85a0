import { FormDataEncoder } from 'form-data-encoder';

export interface MultipartForm {
  /** Content-Type and an exact Content-Length. */
  readonly headers: Readonly<Record<string, string>>;
  /** The encoded form, read from disk as it is sent; each call starts anew. */
  readonly body: () => AsyncGenerator<Uint8Array, void>;
}

/** Encodes a form as multipart/form-data of a known length, where Node's own encoder sends chunks. */
export function encodeForm(form: FormData): MultipartForm {
  const encoder = new FormDataEncoder(form);
  return { headers: { ...encoder.headers }, body: () => encoder.encode() };
}
