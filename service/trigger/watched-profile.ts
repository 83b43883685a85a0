import { isDeepStrictEqual } from 'node:util';
import type { SensorReading } from '../../helpers/ipc/messages.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Trigger } from '../profiles/trigger.ts';
import { advance, BUTTON_RULE, PAPER_RULE, UNKNOWN, type Sample } from './trigger-state.ts';

/** What one profile waits for, and what was seen of it so far. */
export interface WatchedProfile {
  readonly profile: Profile;
  readonly trigger: Trigger;
  /** Takes a reading, of that time; returns whether a scan is to be started. */
  readonly take: (reading: SensorReading, at: number) => boolean;
  /** A scan had the scanner, or the scanner did not answer. */
  readonly interrupt: (sample: Exclude<Sample, { kind: 'read' }>) => void;
  /** When it was last seen on and off, as `performance.now()`; undefined for never. */
  readonly seen: () => { readonly on: number | undefined; readonly off: number | undefined };
  /** A profile that was loaded anew and waits for the same goes on where it was. */
  readonly with: (profile: Profile, trigger: Trigger) => WatchedProfile;
}

/** Nothing is known at first. */
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

/** Whether a trigger is on; undefined where the scanner does not say. */
function isOn(
  trigger: Trigger,
  { paper, sensors, function: chosen }: SensorReading,
): boolean | undefined {
  if ('paper' in trigger) return paper;
  const isPressed = sensors[trigger.button];
  if (trigger.function === undefined || !isPressed) return isPressed;
  return chosen === undefined ? undefined : chosen === trigger.function;
}
