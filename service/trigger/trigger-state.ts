/**
 * Decides when a button or paper in the feeder starts a scan:
 *
 *   unknown ──off seen──▶ armed ──on for `holdMs`──▶ fires ──▶ cooling ──off seen──▶ armed
 *
 * A trigger must be off once before it can fire. So paper left by a jam or a scan, a stuck sensor,
 * or paper in a scanner that is switched on never start a scan.
 */
export interface TriggerState {
  readonly phase: 'unknown' | 'armed' | 'cooling';
  /** Since when an armed trigger has been on, in milliseconds. */
  readonly onSince: number | undefined;
  /** Readings before this time are ignored. */
  readonly quietUntil: number;
}

export type Sample =
  /** `on` is undefined if the scanner does not report the sensor. */
  | { readonly kind: 'read'; readonly at: number; readonly on: boolean | undefined }
  /** A scan is using the scanner, or used it since the last reading. */
  | { readonly kind: 'scanned'; readonly at: number }
  | { readonly kind: 'failed' };

export interface TriggerRule {
  /** How long a trigger must be on, since somebody may still be inserting paper. */
  readonly holdMs: number;
  /** How long readings are ignored after a scan, since the button may still be pressed. */
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
