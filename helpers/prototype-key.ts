/**
 * Whether a parsed text has a key named `__proto__`: Joi passes over it, also where unknown keys are errors. Looks as many
 * levels below `value` as `levels` says.
 */
export function hasPrototypeKey(value: unknown, levels = Infinity): boolean {
  if (typeof value !== 'object' || value === null || levels < 0) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some((child) => hasPrototypeKey(child, levels - 1));
}
