export type Fields = Readonly<Record<string, unknown>>;

export function textIn(fields: Fields | undefined, name: string): string | undefined {
  const value = fields?.[name];
  return typeof value === 'string' ? value : undefined;
}

export function fieldsOf(value: unknown): Fields | undefined {
  return isMapping(value) ? value : undefined;
}

function isMapping(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
