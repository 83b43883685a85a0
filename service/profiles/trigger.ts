import Joi from 'joi';
import { expecting, oneOf, wholeNumber } from '../../helpers/rules.ts';
import type { Failure } from '../../helpers/failure.ts';

export type Trigger = ButtonTrigger | PaperTrigger;

export interface ButtonTrigger {
  /** As the driver spells it, such as `scan`. */
  readonly button: string;
  /** Function that must be selected on the scanner. Undefined for any. */
  readonly function?: number | undefined;
}

export interface PaperTrigger {
  readonly paper: true;
}

/** A trigger whose scan did not start. No paper moved, and nothing is recorded. */
export interface RefusedTrigger {
  readonly profile: string;
  readonly trigger: Trigger;
  readonly failure: Failure;
}

/** Displays of scanners have two digits. */
const LAST_FUNCTION = 99;

const BOTH = '{{#label}} must have either button or paper';

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

/** True if one action at a scanner could fire both triggers. */
export function isSameTrigger(one: Trigger, other: Trigger): boolean {
  if (!('button' in one) || !('button' in other)) return 'paper' in one && 'paper' in other;
  const isAny = one.function === undefined || other.function === undefined;
  return one.button === other.button && (isAny || one.function === other.function);
}

export interface TriggerConflict {
  /** `name` loses its trigger to `other`. */
  readonly name: string;
  readonly other: string;
}

interface TriggeredProfile {
  readonly name: string;
  readonly device: string;
  readonly trigger?: Trigger | undefined;
}

/** Finds a trigger that an earlier profile has on the same scanner. `auto` may be any scanner. */
export function triggerConflicts(profiles: readonly TriggeredProfile[]): TriggerConflict[] {
  const kept: TriggeredProfile[] = [];
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

function mayBeSame(
  { device: one }: TriggeredProfile,
  { device: other }: TriggeredProfile,
): boolean {
  return one === 'auto' || other === 'auto' || one.toLowerCase() === other.toLowerCase();
}

/** `other` is the profile that the trigger starts already. */
export function conflictText(trigger: Trigger | undefined, other: string): string {
  const what = trigger ? describeTrigger(trigger) : 'a trigger';
  return `"trigger" is ${what}, which starts profile ${other} already.`;
}

/** Such as `the button scan with function 3`. */
export function describeTrigger(trigger: Trigger): string {
  if ('paper' in trigger) return 'paper in the feeder';
  const chosen = trigger.function === undefined ? '' : ` with function ${trigger.function}`;
  return `the button ${trigger.button}${chosen}`;
}
