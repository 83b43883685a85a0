import Joi from 'joi';
import { expecting, oneOf, wholeNumber } from '../../helpers/rules.ts';
import type { Failure } from '../../helpers/failure.ts';
import type { Profile } from './profile.ts';

/** What at the scanner starts a scan with a profile, without any request. */
export type Trigger = ButtonTrigger | PaperTrigger;

export interface ButtonTrigger {
  /** As the scanner's driver names it: `scan`. */
  readonly button: string;
  /** The function number that must be chosen on the scanner; undefined is any. */
  readonly function?: number | undefined;
}

export interface PaperTrigger {
  /** Paper is put into the feeder. */
  readonly paper: true;
}

/** A scan that was asked for at the scanner and did not begin: nothing was fed, and no record says why. */
export interface RefusedTrigger {
  /** Name of the profile. */
  readonly profile: string;
  readonly trigger: Trigger;
  readonly failure: Failure;
}

/** Two digits are what displays of scanners show. */
const LAST_FUNCTION = 99;

const BOTH = '{{#label}} must have either button or paper';

/** The `trigger` of a profile. */
export const triggerSchema = Joi.object<Trigger>({
  button: Joi.string()
    .pattern(/^[a-zA-Z][\w-]{0,62}(?: \d)?$/u)
    .messages(expecting('the name of a button, as scanimage -A shows it: scan')),
  function: wholeNumber(0, LAST_FUNCTION),
  paper: oneOf(true),
})
  .xor('button', 'paper')
  .with('function', 'button')
  .messages({
    'object.xor': BOTH,
    'object.missing': BOTH,
    'object.with': '{{#label}} has a function without a button',
  });

/** Whether one act at a scanner would start scans with both. */
export function isSameTrigger(one: Trigger, other: Trigger): boolean {
  if (!('button' in one) || !('button' in other)) return 'paper' in one && 'paper' in other;
  const isAny = one.function === undefined || other.function === undefined;
  return one.button === other.button && (isAny || one.function === other.function);
}

export interface TriggerConflict {
  /** Of the profile that cannot have its trigger. */
  readonly name: string;
  /** Of the profile that has it. */
  readonly other: string;
}

/**
 * The profiles whose trigger an earlier one has on the same scanner. Which scanner a part of a name means is not known here: only the
 * same words, and `auto` beside anything, are taken for the same one.
 */
export function triggerConflicts(profiles: readonly Profile[]): TriggerConflict[] {
  const kept: Profile[] = [];
  const conflicts: TriggerConflict[] = [];
  for (const profile of profiles) {
    const { name, trigger } = profile;
    if (!trigger) continue;
    const other = kept.find(
      (one) => one.trigger && isSameTrigger(one.trigger, trigger) && mayBeSame(one, profile),
    );
    if (other) conflicts.push({ name, other: other.name });
    else kept.push(profile);
  }
  return conflicts;
}

function mayBeSame({ device: one }: Profile, { device: other }: Profile): boolean {
  return one === 'auto' || other === 'auto' || one.toLowerCase() === other.toLowerCase();
}

/** As a person reads it: `the button scan with function 3`. */
export function describeTrigger(trigger: Trigger): string {
  if ('paper' in trigger) return 'paper in the feeder';
  const chosen = trigger.function === undefined ? '' : ` with function ${trigger.function}`;
  return `the button ${trigger.button}${chosen}`;
}
