import Joi from 'joi';

/**
 * `atPage` counts the pages (sides) of a job from 1, its default. A fault remains until another one
 * or `null` is set. The stopped sheet stays in the feeder, unless its front was already scanned.
 */
export type Fault =
  /** 404 and AdfState Jam. No new job until the fault is cleared. */
  | { readonly kind: 'jam'; readonly atPage?: number }
  /** No sheet was picked: 404, and a state that sane-airscan takes for an empty feeder. */
  | { readonly kind: 'mispick'; readonly atPage?: number }
  /** Two sheets were picked: 409. */
  | { readonly kind: 'multipick'; readonly atPage?: number }
  /** Without `atPage`, the cover is already open when the job is requested. */
  | { readonly kind: 'coverOpen'; readonly atPage?: number }
  /** 503 for the first `times` requests for a job. Default: for all. */
  | { readonly kind: 'busy'; readonly times?: number }
  /** The feeder reports that it is empty, even if it is not. */
  | { readonly kind: 'empty' }
  /** Like `empty`, but the job is accepted and its first page is refused. */
  | { readonly kind: 'emptyLate' }
  /** The request gets no response; `midBody`: only half of the image. */
  | { readonly kind: 'hang'; readonly where: 'capabilities' | 'post' }
  | { readonly kind: 'hang'; readonly where: 'before' | 'midBody'; readonly atPage?: number }
  /** The feeder waits before the page until another fault, or `null`, is set. */
  | { readonly kind: 'wait'; readonly atPage?: number }
  /** The connection is closed, before the response or after half of the image. */
  | { readonly kind: 'drop'; readonly atPage?: number; readonly midBody?: boolean }
  | { readonly kind: 'corruptImage'; readonly atPage?: number }
  /** 500 for every request, or only for opening a job. */
  | { readonly kind: 'refuse'; readonly where: 'all' | 'post' };

const atPage = Joi.number().integer().min(1);

const faultSchema = Joi.alternatives(
  Joi.object({
    kind: Joi.valid('jam', 'mispick', 'multipick', 'coverOpen', 'corruptImage', 'wait').required(),
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

/** Throws joi's ValidationError. */
export function parseFault(value: unknown): Fault | null {
  const fault: Fault | null = Joi.attempt(value, faultSchema, { convert: false });
  return fault;
}

export function faultAtPage(fault: Fault | null, page: number): Fault | undefined {
  if (!fault || !('atPage' in fault || strikesAtFirstPage(fault))) return undefined;
  const at = 'atPage' in fault ? (fault.atPage ?? 1) : 1;
  return at === page ? fault : undefined;
}

function strikesAtFirstPage(fault: Fault): boolean {
  if (fault.kind === 'hang') return fault.where === 'before' || fault.where === 'midBody';
  return ['jam', 'mispick', 'multipick', 'emptyLate', 'drop', 'corruptImage', 'wait'].includes(
    fault.kind,
  );
}

export type Manner = 'whole' | 'halfThenHang' | 'halfThenDrop' | 'corrupt';

export function mannerOf(fault: Fault | undefined): Manner {
  if (fault?.kind === 'hang') return 'halfThenHang';
  if (fault?.kind === 'drop') return 'halfThenDrop';
  return fault?.kind === 'corruptImage' ? 'corrupt' : 'whole';
}
