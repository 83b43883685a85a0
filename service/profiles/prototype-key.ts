/** Whether a parsed text has a key named `__proto__`, on any level: Joi passes over it, also where unknown keys are errors. */
export function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey);
}
