import { open } from 'node:fs/promises';

/** Bytes at the beginning of a file, in latin1, and what they say it is. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['%PDF-', 'application/pdf'],
  ['\u0089PNG\r\n', 'image/png'],
  ['\u00ff\u00d8\u00ff', 'image/jpeg'],
  ['II*\0', 'image/tiff'],
  ['MM\0*', 'image/tiff'],
  ['GIF8', 'image/gif'],
  ['PK\u0003\u0004', 'application/zip'],
];

/** Types that the real system takes without Tika, as far as this sample tells types apart. */
const SUPPORTED = new Set([
  'application/pdf',
  'image/png',
  'image/jpeg',
  'image/tiff',
  'image/gif',
  'text/plain',
]);

const LOOKED_AT_BYTES = 1024;

/** The type of a file by its content; what the client says about it does not count. */
export async function sniffMediaType(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(LOOKED_AT_BYTES);
    const { bytesRead } = await file.read(buffer, 0, LOOKED_AT_BYTES, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    const known = SIGNATURES.find(([signature]) => head.startsWith(signature));
    if (known !== undefined) return known[1];
    // oxlint-disable-next-line no-control-regex
    return /[\0-\u0008\u000e-\u001f]/.test(head) ? 'application/octet-stream' : 'text/plain';
  } finally {
    await file.close();
  }
}

/** Bytes of no known type pass when the name ends in `.pdf`: a repair is tried later, by the worker. */
export function isAccepted(mediaType: string, filename: string): boolean {
  return (
    SUPPORTED.has(mediaType) ||
    (mediaType === 'application/octet-stream' && filename.endsWith('.pdf'))
  );
}
