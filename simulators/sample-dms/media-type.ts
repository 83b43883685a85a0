import { open } from 'node:fs/promises';

/** First bytes of files, in latin1, and the types that they indicate. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  // Some garbage may come before the header of a PDF.
  [/%PDF-/, 'application/pdf'],
  [/^\u0089PNG\r\n/, 'image/png'],
  [/^\u00ff\u00d8\u00ff/, 'image/jpeg'],
  [/^(II\*\0|MM\0\*)/, 'image/tiff'],
  [/^GIF8/, 'image/gif'],
  // oxlint-disable-next-line no-control-regex
  [/^PK\u0003\u0004/, 'application/zip'],
  // oxlint-disable-next-line no-control-regex
  [/[\0-\u0006\u000e-\u001a]/, 'application/octet-stream'],
  [/^\s*<(!doctype html|html|head|title|body|script)/i, 'text/html'],
  [/^\s*<\?xml/, 'text/xml'],
];

/** Types that the real system accepts without Tika, as far as this sample recognises types. */
const SUPPORTED = new Set([
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'image/gif',
  'text/plain',
]);

const LOOKED_AT_BYTES = 1024;
/** Larger texts are not parsed as JSON. */
const MAX_JSON_BYTES = 1024 * 1024;

/** The type of a file by its content, as libmagic recognises common types. The client's own claim is ignored. */
export async function sniffMediaType(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const head = await readLatin1(file, 0, LOOKED_AT_BYTES);
    const known = SIGNATURES.find(([signature]) => signature.test(head));
    if (known !== undefined) return known[1];
    const { size } = await file.stat();
    const json = /^\s*[[{]/.test(head) && size <= MAX_JSON_BYTES;
    if (json && isJson(await readLatin1(file, 0, size))) return 'application/json';
    return size === 1 ? 'application/octet-stream' : 'text/plain';
  } finally {
    await file.close();
  }
}

/** Content of unknown type is accepted if the name ends in `.pdf`: the worker tries to repair it later. */
export function isAccepted(mediaType: string, filename: string): boolean {
  return (
    SUPPORTED.has(mediaType) ||
    (mediaType === 'application/octet-stream' && filename.endsWith('.pdf'))
  );
}

/** Whether the end of a PDF is missing. This represents all files that OCRmyPDF refuses to read. */
export async function isTruncatedPdf(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const tail = await readLatin1(file, Math.max(0, size - LOOKED_AT_BYTES), LOOKED_AT_BYTES);
    return !tail.includes('%%EOF');
  } finally {
    await file.close();
  }
}

type OpenFile = Awaited<ReturnType<typeof open>>;

async function readLatin1(file: OpenFile, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('latin1', 0, bytesRead);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
