import { endpointOf } from '../endpoint.ts';
import { safeFileName } from './file-name.ts';
import { safeTitle } from './title.ts';

/**
 * A warning about an upload whose outcome is unknown, in one line: which document, which system, and what to search for there.
 * `filename` and `title` are those that were given to `deliverDocument`.
 */
export function unknownUploadWarning(upload: {
  readonly destination: { readonly base_url: string };
  readonly filename: string;
  readonly title: string | undefined;
}): string {
  const system = endpointOf(upload.destination.base_url)?.name ?? 'the destination';
  const filename = safeFileName(upload.filename);
  const title = safeTitle(upload.title);
  const byTitle = title === undefined ? '' : `the title "${title}" or `;
  return `It is unknown whether ${system} accepted ${filename}. Search its documents and its file tasks for ${byTitle}the file name "${filename}".`;
}
