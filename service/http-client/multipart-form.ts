import { FormDataEncoder } from 'form-data-encoder';

export interface MultipartForm {
  readonly headers: Readonly<Record<string, string>>;
  /** Streams the form from disk. Each call starts from the beginning. */
  readonly body: () => AsyncGenerator<Uint8Array, void>;
}

/** Encodes a form with a Content-Length, unlike Node's encoder. */
export function encodeForm(form: FormData): MultipartForm {
  const encoder = new FormDataEncoder(form);
  return { headers: { ...encoder.headers }, body: () => encoder.encode() };
}
