import type { Delivery } from '../paperless/destination.ts';
import type { Finding } from '../paperless/upload/find-upload.ts';
import { CUT_OFF, type FinishedDocument, type RecordedUpload } from './scan-record.ts';

export interface Redelivery {
  /** Repeats deliveries that were refused or could not connect. */
  readonly redeliver_failed: boolean;
  /** Repeats uploads of unknown outcome. Only a person can decide this. */
  readonly resend_unknown: boolean;
  /** File names of accepted documents that a person did not find at the destination. */
  readonly resend_submitted: readonly string[];
  /**
   * Delivers to new destinations even if one that may have the document was removed from the
   * profile.
   */
  readonly add_destinations: boolean;
}

export const DEFAULT_REDELIVERY: Redelivery = {
  redeliver_failed: true,
  resend_unknown: false,
  resend_submitted: [],
  add_destinations: false,
};

export interface UploadFacts {
  readonly identity: string;
  readonly identities: readonly string[];
  readonly document: Pick<FinishedDocument, 'filename' | 'uploads'>;
  readonly redelivery: Redelivery;
  /** What the destination answered. Undefined if it was not asked yet. */
  readonly finding?: Finding | undefined;
}

export type UploadDecision =
  | { readonly kind: 'send' }
  | { readonly kind: 'ask' }
  /** The upload of unknown outcome did arrive, and got this task. */
  | { readonly kind: 'arrived'; readonly taskId: string }
  | { readonly kind: 'keep'; readonly reason: KeepReason };

export type KeepReason =
  | Delivery['outcome']
  /** A destination that may have the document was removed from the profile. */
  | 'left_system'
  | 'there'
  | 'under_way';

/**
 * A destination gets a document at most once, unless a person asks for another copy. After a
 * destination that may have it was removed from the profile, a new one gets it only with
 * `add_destinations`, since both may be the same system.
 */
export function decideUpload(facts: UploadFacts): UploadDecision {
  const { identity, document, redelivery } = facts;
  const outcome = deliveryOf(document.uploads[identity], false)?.outcome;
  switch (outcome) {
    case undefined:
      return sendUnlessRemoved(facts);
    case 'refused':
      return redelivery.redeliver_failed ? sendUnlessRemoved(facts) : keep('refused');
    case 'unknown':
      return redelivery.resend_unknown ? decideUnknown(facts) : keep('unknown');
    case 'accepted':
      return redelivery.resend_submitted.includes(document.filename)
        ? decideAccepted(facts)
        : keep('accepted');
  }
}

function decideUnknown(facts: UploadFacts): UploadDecision {
  const { finding } = facts;
  if (finding === undefined) return { kind: 'ask' };
  const { task, documentId } = finding;
  const isDropped = task === undefined || task.state === 'dropped';
  if (isDropped) return documentId === undefined ? sendUnlessRemoved(facts) : keep('there');
  // If another upload has an unknown outcome too, the document may come from that one.
  if (hasOtherUnknownOutcome(facts)) {
    if (documentId !== undefined) return keep('there');
    if (task.state === 'under_way') return keep('under_way');
  }
  return { kind: 'arrived', taskId: task.id };
}

function hasOtherUnknownOutcome({ identity, document: { uploads } }: UploadFacts): boolean {
  return Object.entries(uploads).some(
    ([other, upload]) => other !== identity && deliveryOf(upload, false)?.outcome === 'unknown',
  );
}

function decideAccepted({ finding }: UploadFacts): UploadDecision {
  if (finding === undefined) return { kind: 'ask' };
  if (finding.documentId !== undefined) return keep('there');
  return finding.task?.state === 'under_way' ? keep('under_way') : { kind: 'send' };
}

function sendUnlessRemoved({ identities, document, redelivery }: UploadFacts): UploadDecision {
  const isHeld =
    !redelivery.add_destinations && removedDestinations(identities, document).length > 0;
  return isHeld ? keep('left_system') : { kind: 'send' };
}

function keep(reason: KeepReason): UploadDecision {
  return { kind: 'keep', reason };
}

/** Returns destinations that may have the document, but were removed from the profile. */
export function removedDestinations(
  identities: readonly string[],
  { uploads }: Pick<FinishedDocument, 'uploads'>,
): string[] {
  return Object.entries(uploads).flatMap(([identity, upload]) =>
    !identities.includes(identity) && deliveryOf(upload, false)?.outcome !== 'refused'
      ? [identity]
      : [],
  );
}

/**
 * Returns the outcome of the last upload. An upload without an end is in progress if `isOpen`,
 * otherwise its outcome is unknown.
 */
export function deliveryOf(
  upload: RecordedUpload | undefined,
  isOpen: boolean,
): Delivery | undefined {
  if (upload?.isOpen === true && !isOpen) return CUT_OFF;
  return upload?.last;
}
