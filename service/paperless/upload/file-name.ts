/** Paperless-ngx loses a document whose name exceeds 253 bytes, after accepting it; it adds to names when it stores. */
const MAX_BYTES = 200;

const EXTENSION = '.pdf';

/**
 * A file name that survives the way to the system: no directories, no characters that break a multipart header, composed
 * Unicode, at most 200 bytes of UTF-8, and `.pdf` at its end.
 */
export function safeFileName(name: string): string {
  const plain = name
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\u2028\u2029"\\/]+/gu, ' ')
    .replace(/\.pdf$/i, '')
    .trim();
  const stem = cutToBytes(plain, MAX_BYTES - EXTENSION.length).trim();
  return `${stem === '' ? 'document' : stem}${EXTENSION}`;
}

/** The longest beginning of `text` that fits, without half a character at its end. */
function cutToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
