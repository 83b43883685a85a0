import { jsonAnswer, type Answer } from './answer.ts';

interface Versions {
  readonly oldest_api: number;
  readonly newest_api: number;
}

export type Negotiated =
  | { readonly kind: 'version'; readonly version: number }
  | { readonly kind: 'refused'; readonly answer: Answer };

/**
 * The API version that `Accept: application/json; version=N` requests; the newest one if it names none. As in the real system, this
 * is checked first, even before authentication.
 */
export function negotiate(accept: string | undefined, versions: Versions): Negotiated {
  const ranges = (accept ?? '*/*').split(',').map((range) => range.trim().toLowerCase());
  const match = ranges.find((range) => /^(application\/(json|\*)|\*\/\*)\s*(;|$)/.test(range));
  if (match === undefined) return refused('Could not satisfy the request Accept header.');
  const asked = /;\s*version=([^;]*)/.exec(match)?.[1]?.trim();
  if (asked === undefined) return { kind: 'version', version: versions.newest_api };
  const version = /^\d+$/.test(asked) ? Number(asked) : Number.NaN;
  if (version >= versions.oldest_api && version <= versions.newest_api) {
    return { kind: 'version', version };
  }
  return refused('Invalid version in "Accept" header.');
}

function refused(detail: string): Negotiated {
  return { kind: 'refused', answer: jsonAnswer(406, { detail }) };
}
