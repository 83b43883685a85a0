import { nearNames } from '../../helpers/near.ts';

/** The name of an object, or its id if the name is unknown. */
export type NameOrId = string | number;

/** Names as Paperless-ngx spells them, or the problem. */
export type FoundNames =
  | { readonly kind: 'found'; readonly names: readonly string[] }
  | { readonly kind: 'missing'; readonly problem: string };

export function findNames(wanted: readonly string[], names: readonly string[]): FoundNames {
  const found = wanted.map((name) => ({ name, spelled: spelledAs(name, names) }));
  const missing = found.filter(({ spelled }) => spelled === undefined).map(({ name }) => name);
  if (missing.length === 0) {
    return { kind: 'found', names: found.flatMap(({ spelled }) => spelled ?? []) };
  }
  const each = missing.map((name) => noSuch(name, names)).join(' ');
  return {
    kind: 'missing',
    problem: `${each} Create it in Paperless-ngx, or choose another one.`,
  };
}

/** Splits a profile's names into those that exist and those that are missing. */
export function storedNames(
  before: readonly NameOrId[],
  objects: readonly { readonly id: number; readonly name: string }[],
): { readonly kept: readonly string[]; readonly gone: readonly string[] } {
  const names = objects.map(({ name }) => name);
  const stored = before.map((one) => objects.find(({ id }) => id === one)?.name ?? String(one));
  const kept = stored.filter((name) => spelledAs(name, names) !== undefined);
  return { kept, gone: stored.filter((name) => !kept.includes(name)) };
}

export function namesOrIds(value: unknown): NameOrId[] {
  return [value].flat().filter((one) => typeof one === 'string' || typeof one === 'number');
}

/** Returns the name as Paperless-ngx spells it. Upper and lower case do not matter. */
function spelledAs(wanted: string, names: readonly string[]): string | undefined {
  const key = (name: string): string => name.normalize('NFC').toLowerCase();
  return names.find((name) => name === wanted) ?? names.find((name) => key(name) === key(wanted));
}

function noSuch(wanted: string, names: readonly string[]): string {
  const near = nearNames(wanted, names).map((name) => `"${name}"`);
  const hint = near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : '';
  return `There is no "${wanted}".${hint}`;
}
