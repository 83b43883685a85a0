import type { Delivery } from '../paperless/destination.ts';
import type { Finding } from '../paperless/upload/find-upload.ts';
import { CUT_OFF, type FinishedDocument, type RecordedUpload } from './scan-record.ts';

/** Deliveries of earlier calls to repeat. */
export interface Redelivery {
  /** Deliveries that were refused, or could not connect. */
  readonly redeliver_failed: boolean;
  /** Uploads of unknown outcome: only a person can decide that. */
  readonly resend_unknown: boolean;
  /** File names of documents that a destination accepted, and a person found missing there. */
  readonly resend_submitted: readonly string[];
  /** Documents also go to destinations that never accepted them, although one that has them is no longer in the profile. */
  readonly add_destinations: boolean;
}

/** The default of a call. */
export const DEFAULT_REDELIVERY: Redelivery = {
  redeliver_failed: true,
  resend_unknown: false,
  resend_submitted: [],
  add_destinations: false,
};

/** Everything that decides about one upload. */
export interface UploadFacts {
  /** The destination, by its identity. */
  readonly identity: string;
  /** Every destination of the profile. */
  readonly identities: readonly string[];
  /** The document, with its uploads to the destinations of this profile and of all earlier ones. */
  readonly document: Pick<FinishedDocument, 'filename' | 'uploads'>;
  readonly redelivery: Redelivery;
  /** The answer of the destination; undefined before it was asked. */
  readonly finding?: Finding | undefined;
}

export type UploadDecision =
  | { readonly kind: 'send' }
  /** Ask the destination first, and decide again with its answer. */
  | { readonly kind: 'ask' }
  /** The upload of unknown outcome arrived, as this task. */
  | { readonly kind: 'arrived'; readonly taskId: string }
  | { readonly kind: 'keep'; readonly reason: KeepReason };

export type KeepReason =
  /** The outcome of the last upload to this destination. */
  | Delivery['outcome']
  /** A destination that has the document, or may have it, is no longer in the profile. */
  | 'left_system'
  /** The destination has the document. */
  | 'there'
  /** The destination has it in its queue, or is working on it. */
  | 'under_way';

/**
 * Decides whether a document is uploaded to a destination. A destination gets a document at most once, unless a person asks for
 * another copy. One that never accepted the document gets none while another one that accepted it, or may have, has left the
 * profile: the two may be the same system.
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
  // If the outcome at another destination is unknown too, the copy may be from either upload.
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

/** The identities that accepted a document, or may have, and that the profile no longer names. */
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
 * How the last upload to a destination ended; undefined if none did. An upload without an end is under way while a call works on
 * the scan (`isOpen`); otherwise it was cut off, and its outcome is unknown.
 */
export function deliveryOf(
  upload: RecordedUpload | undefined,
  isOpen: boolean,
): Delivery | undefined {
  if (upload?.isOpen === true && !isOpen) return CUT_OFF;
  return upload?.last;
}
