/** Paperless-ngx lengthens names, and loses documents with names beyond 253 bytes. */
const MAX_BYTES = 200;

const EXTENSION = '.pdf';

/** Returns an NFC name, safe in a multipart header, at most 200 bytes long, ending in `.pdf`. */
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

function cutToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
