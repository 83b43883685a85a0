import type { Delivery } from '../paperless/destination.ts';
import type { Finding } from '../paperless/upload/find-upload.ts';
import { CUT_OFF, type FinishedDocument, type RecordedUpload } from './scan-record.ts';

/** Which deliveries of earlier calls to repeat. */
export interface Redelivery {
  /** Repeats deliveries that were refused or could not connect. */
  readonly redeliver_failed: boolean;
  /** Repeats uploads of unknown outcome, which only a person can decide. */
  readonly resend_unknown: boolean;
  /** File names of accepted documents that a person found missing at the destination. */
  readonly resend_submitted: readonly string[];
  /** Also delivers to new destinations if one that has the document left the profile. */
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
  /** The document, with its uploads to current and earlier destinations. */
  readonly document: Pick<FinishedDocument, 'filename' | 'uploads'>;
  readonly redelivery: Redelivery;
  /** The destination's answer; undefined until it is asked. */
  readonly finding?: Finding | undefined;
}

export type UploadDecision =
  | { readonly kind: 'send' }
  /** Ask the destination, then decide again. */
  | { readonly kind: 'ask' }
  /** The upload of unknown outcome has arrived, as this task. */
  | { readonly kind: 'arrived'; readonly taskId: string }
  | { readonly kind: 'keep'; readonly reason: KeepReason };

export type KeepReason =
  | Delivery['outcome']
  /** A destination that has the document, or may have it, left the profile. */
  | 'left_system'
  | 'there'
  /** The destination has it in its queue or is processing it. */
  | 'under_way';

/**
 * Decides whether to upload a document to a destination. A destination gets a document at most
 * once, unless a person asks for another copy. If a destination that accepted the document, or may
 * have, left the profile, no new destination gets it: the two may be the same system.
 */
export function decideUpload(facts: UploadFacts): UploadDecision {
  const { identity, document, redelivery } = facts;
  const outcome = deliveryOf(document.uploads[identity], false)?.outcome;
  switch (outcome) {
    case undefined:
      return sendUnlessLeft(facts);
    case 'refused':
      return redelivery.redeliver_failed ? sendUnlessLeft(facts) : keep('refused');
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
  if (isDropped) return documentId === undefined ? sendUnlessLeft(facts) : keep('there');
  // If the outcome at another destination is unknown too, the copy may come from either upload.
  if (hasOtherDoubt(facts)) {
    if (documentId !== undefined) return keep('there');
    if (task.state === 'under_way') return keep('under_way');
  }
  return { kind: 'arrived', taskId: task.id };
}

function hasOtherDoubt({ identity, document: { uploads } }: UploadFacts): boolean {
  return Object.entries(uploads).some(
    ([other, upload]) => other !== identity && deliveryOf(upload, false)?.outcome === 'unknown',
  );
}

function decideAccepted({ finding }: UploadFacts): UploadDecision {
  if (finding === undefined) return { kind: 'ask' };
  if (finding.documentId !== undefined) return keep('there');
  return finding.task?.state === 'under_way' ? keep('under_way') : { kind: 'send' };
}

function sendUnlessLeft({ identities, document, redelivery }: UploadFacts): UploadDecision {
  const isHeld = !redelivery.add_destinations && leftDestinations(identities, document).length > 0;
  return isHeld ? keep('left_system') : { kind: 'send' };
}

function keep(reason: KeepReason): UploadDecision {
  return { kind: 'keep', reason };
}

/** Identities that accepted the document, or may have, and left the profile. */
export function leftDestinations(
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
 * Returns the outcome of the last upload to a destination, or undefined if none has ended. An
 * upload without an end is in progress while a call works on the scan (`isOpen`); otherwise it was
 * cut off, and its outcome is unknown.
 */
export function deliveryOf(
  upload: RecordedUpload | undefined,
  isOpen: boolean,
): Delivery | undefined {
  if (upload?.isOpen === true && !isOpen) return CUT_OFF;
  return upload?.last;
}
