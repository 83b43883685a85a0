/**
 * When a button or paper starts a scan. On is a pressed button, or paper in the feeder:
 *
 *   unknown ──off seen──▶ armed ──on for `holdMs`──▶ fires ──▶ cooling ──off seen──▶ armed
 *
 * Whatever is on when the service starts, or was left by a scan, starts nothing: it must be seen off first. A jam with paper left, a
 * sensor that is stuck and a scanner that is switched on with paper in it never start a scan by themselves.
 */
export interface TriggerState {
  readonly phase: 'unknown' | 'armed' | 'cooling';
  /** Since when it is on without a break, where it is armed; in milliseconds, as all times here. */
  readonly onSince: number | undefined;
  /** What is seen before that time counts for nothing. */
  readonly quietUntil: number;
}

/** What is known at one moment. */
export type Sample =
  /** `on` is undefined where the scanner does not say. */
  | { readonly kind: 'read'; readonly at: number; readonly on: boolean | undefined }
  /** A scan has the scanner, or had it since the sample before. */
  | { readonly kind: 'scanned'; readonly at: number }
  /** The scanner did not answer. */
  | { readonly kind: 'failed' };

export interface TriggerRule {
  /** How long it must be on: a person is still putting paper in. */
  readonly holdMs: number;
  /** How long after a scan nothing counts: a button is still pressed, or springs back. */
  readonly quietMs: number;
}

export const PAPER_RULE: TriggerRule = { holdMs: 2000, quietMs: 0 };
export const BUTTON_RULE: TriggerRule = { holdMs: 0, quietMs: 3000 };

export const UNKNOWN: TriggerState = {
  phase: 'unknown',
  onSince: undefined,
  quietUntil: -Infinity,
};

export interface Advanced {
  readonly state: TriggerState;
  readonly fires: boolean;
}

/** The state after a sample, and whether a scan is to be started. */
export function advance(state: TriggerState, sample: Sample, rule: TriggerRule): Advanced {
  if (sample.kind === 'failed') return { state: UNKNOWN, fires: false };
  if (sample.kind === 'scanned') return { state: cooling(sample.at, rule), fires: false };
  const { at, on } = sample;
  if (at < state.quietUntil) return { state, fires: false };
  if (on === false)
    return { state: { ...state, phase: 'armed', onSince: undefined }, fires: false };
  if (on === undefined || state.phase !== 'armed') {
    return { state: { ...state, onSince: undefined }, fires: false };
  }
  const onSince = state.onSince ?? at;
  if (at - onSince < rule.holdMs) return { state: { ...state, onSince }, fires: false };
  return { state: cooling(at, rule), fires: true };
}

function cooling(at: number, { quietMs }: TriggerRule): TriggerState {
  return { phase: 'cooling', onSince: undefined, quietUntil: at + quietMs };
}
