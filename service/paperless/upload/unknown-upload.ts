import { warning } from '../../../helpers/warnings.ts';
import { endpointOf } from '../endpoint.ts';
import { safeFileName } from './file-name.ts';
import { safeTitle } from './title.ts';

/**
 * A warning about an upload whose outcome is unknown, in one line: which document, which system, what to search for there, and what to
 * do if it is not there. `filename` and `title` are those that were given to `deliverDocument`.
 */
export function unknownUploadWarning(upload: {
  readonly scan_id: string;
  readonly destination: { readonly base_url: string };
  readonly filename: string;
  readonly title: string | undefined;
}): string {
  const filename = safeFileName(upload.filename);
  const title = safeTitle(upload.title);
  const facts = {
    system: endpointOf(upload.destination.base_url)?.name ?? 'the destination',
    document: filename,
    filename,
    body: '{"resend_unknown": true}',
    path: `/scans/${upload.scan_id}/resume`,
  };
  return title === undefined
    ? warning('outcome_unknown/untitled', facts)
    : warning('outcome_unknown', { ...facts, title });
}
