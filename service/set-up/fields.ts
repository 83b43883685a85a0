/** A mapping of a YAML file, as it was parsed; nothing about its values is known. */
export type Fields = Readonly<Record<string, unknown>>;

/** A value that is text; undefined for all else. */
export function textIn(fields: Fields | undefined, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** A value that is a mapping; undefined for all else. */
export function fieldsOf(value: unknown): Fields | undefined {
  return isMapping(value) ? value : undefined;
}

function isMapping(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
