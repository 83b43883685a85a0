import { FormDataEncoder } from 'form-data-encoder';

export interface MultipartForm {
  readonly headers: Readonly<Record<string, string>>;
  /** Streams the encoded form from disk, from the start on each call. */
  readonly body: () => AsyncGenerator<Uint8Array, void>;
}

/** Encodes multipart/form-data with a known length; Node's encoder sends chunks. */
export function encodeForm(form: FormData): MultipartForm {
  const encoder = new FormDataEncoder(form);
  return { headers: { ...encoder.headers }, body: () => encoder.encode() };
}
