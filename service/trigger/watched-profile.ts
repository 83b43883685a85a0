import { isDeepStrictEqual } from 'node:util';
import type { SensorReading } from '../../helpers/ipc/messages.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Trigger } from '../profiles/trigger.ts';
import { advance, BUTTON_RULE, PAPER_RULE, UNKNOWN, type Sample } from './trigger-state.ts';

export interface WatchedProfile {
  readonly profile: Profile;
  readonly trigger: Trigger;
  /** Takes a reading into account. Returns true if a scan should start. */
  readonly take: (reading: SensorReading, at: number) => boolean;
  /** Call this if a scan used the scanner, or the scanner did not answer. */
  readonly interrupt: (sample: Exclude<Sample, { kind: 'read' }>) => void;
  /** When the trigger was last on and off, as `performance.now()`. Undefined if never. */
  readonly seen: () => { readonly on: number | undefined; readonly off: number | undefined };
  /** Keeps the trigger's state if the profile was loaded again with the same trigger. */
  readonly with: (profile: Profile, trigger: Trigger) => WatchedProfile;
}

export function watchProfile(profile: Profile, trigger: Trigger): WatchedProfile {
  const rule = 'paper' in trigger ? PAPER_RULE : BUTTON_RULE;
  let state = UNKNOWN;
  let seen: { on: number | undefined; off: number | undefined } = { on: undefined, off: undefined };
  const made: WatchedProfile = {
    profile,
    trigger,
    take: (reading, at) => {
      const on = isOn(trigger, reading);
      if (on !== undefined) seen = { ...seen, [on ? 'on' : 'off']: at };
      const next = advance(state, { kind: 'read', at, on }, rule);
      state = next.state;
      return next.fires;
    },
    interrupt: (sample) => void (state = advance(state, sample, rule).state),
    seen: () => seen,
    with: (other, wanted) =>
      isDeepStrictEqual(trigger, wanted)
        ? { ...made, profile: other }
        : watchProfile(other, wanted),
  };
  return made;
}

/** Undefined if the scanner does not report the sensor. */
function isOn(
  trigger: Trigger,
  { paper, sensors, function: chosen }: SensorReading,
): boolean | undefined {
  if ('paper' in trigger) return paper;
  const isPressed = sensors[trigger.button];
  if (trigger.function === undefined || !isPressed) return isPressed;
  return chosen === undefined ? undefined : chosen === trigger.function;
}
