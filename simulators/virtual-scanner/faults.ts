import Joi from 'joi';

/**
 * What can go wrong with the virtual scanner. `atPage` counts the pages (sides) of one job from 1; it is 1 when left
 * out. A fault stays until another one, or `null`, is set. A sheet that a fault stops stays in the feeder,
 * unless it stops at the back: its front was scanned already.
 */
export type Fault =
  /** The sheet jams: 404 and AdfState Jam, and no new job until the fault is cleared. */
  | { readonly kind: 'jam'; readonly atPage?: number }
  /** No sheet could be picked: 404 and a state that sane-airscan takes for an empty feeder. */
  | { readonly kind: 'mispick'; readonly atPage?: number }
  /** Two sheets at once: 409. */
  | { readonly kind: 'multipick'; readonly atPage?: number }
  /** Without `atPage` the cover is open already when the job is asked for. */
  | { readonly kind: 'coverOpen'; readonly atPage?: number }
  /** 503 for the first `times` requests for a job, for all when left out. */
  | { readonly kind: 'busy'; readonly times?: number }
  /** The feeder says that it is empty, whatever lies in it. */
  | { readonly kind: 'empty' }
  /** As empty, but the job is accepted and only its first page is refused. */
  | { readonly kind: 'emptyLate' }
  /** The request is never answered; `midBody` after half of the image. */
  | { readonly kind: 'hang'; readonly where: 'capabilities' | 'post' }
  | { readonly kind: 'hang'; readonly where: 'before' | 'midBody'; readonly atPage?: number }
  /** The connection is closed, before the answer or after half of the image. */
  | { readonly kind: 'drop'; readonly atPage?: number; readonly midBody?: boolean }
  /** An image file that cannot be decoded. */
  | { readonly kind: 'corruptImage'; readonly atPage?: number }
  /** 500 for every request, or only for the one that opens a job. */
  | { readonly kind: 'refuse'; readonly where: 'all' | 'post' };

const atPage = Joi.number().integer().min(1);

const faultSchema = Joi.alternatives(
  Joi.object({
    kind: Joi.valid('jam', 'mispick', 'multipick', 'coverOpen', 'corruptImage').required(),
    atPage,
  }),
  Joi.object({ kind: Joi.valid('busy').required(), times: Joi.number().integer().min(1) }),
  Joi.object({ kind: Joi.valid('empty', 'emptyLate').required() }),
  Joi.object({
    kind: Joi.valid('hang').required(),
    where: Joi.valid('capabilities', 'post').required(),
  }),
  Joi.object({
    kind: Joi.valid('hang').required(),
    where: Joi.valid('before', 'midBody').required(),
    atPage,
  }),
  Joi.object({ kind: Joi.valid('drop').required(), atPage, midBody: Joi.boolean() }),
  Joi.object({ kind: Joi.valid('refuse').required(), where: Joi.valid('all', 'post').required() }),
).allow(null);

/** Checks a fault that came over HTTP; throws joi's ValidationError. */
export function parseFault(value: unknown): Fault | null {
  const fault: Fault | null = Joi.attempt(value, faultSchema, { convert: false });
  return fault;
}

/** The fault, if it strikes at this page of a job. */
export function faultAtPage(fault: Fault | null, page: number): Fault | undefined {
  if (!fault || !('atPage' in fault || strikesAtFirstPage(fault))) return undefined;
  const at = 'atPage' in fault ? (fault.atPage ?? 1) : 1;
  return at === page ? fault : undefined;
}

function strikesAtFirstPage(fault: Fault): boolean {
  if (fault.kind === 'hang') return fault.where === 'before' || fault.where === 'midBody';
  return ['jam', 'mispick', 'multipick', 'emptyLate', 'drop', 'corruptImage'].includes(fault.kind);
}
