import { FormDataEncoder } from 'form-data-encoder';

export interface MultipartForm {
  readonly headers: Readonly<Record<string, string>>;
  /** Streams the form from disk. Each call starts from the beginning. */
  readonly body: () => AsyncGenerator<Uint8Array, void>;
}

/** Encodes a form and its Content-Length, which Node's encoder leaves out. */
export function encodeForm(form: FormData): MultipartForm {
  const encoder = new FormDataEncoder(form);
  return { headers: { ...encoder.headers }, body: () => encoder.encode() };
}
