/** Beyond 253 bytes, Paperless-ngx loses a document. It lengthens names when storing them. */
const MAX_BYTES = 200;

const EXTENSION = '.pdf';

/**
 * A file name that is safe to send: no directories, no characters that break a multipart header,
 * NFC, at most 200 bytes of UTF-8, and the extension `.pdf`.
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

/** The longest prefix that fits, without cutting a character. */
function cutToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
