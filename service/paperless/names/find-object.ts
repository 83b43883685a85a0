import type { DmsDestination, Reference } from '../destination.ts';
import {
  FIELDS,
  lookUp,
  notFound,
  type MetadataField,
  type MetadataProblem,
  type NamedThing,
} from './look-up.ts';
import type { DmsObject, ObjectKind } from './object-lists.ts';

/** What is known of one kind of object in a system. */
export interface KnownList {
  /** As of the last time that the system listed them; undefined where it never did. */
  readonly objects: readonly DmsObject[] | undefined;
  /** Why the system does not list them now. */
  readonly problem?: { readonly kind: 'forbidden' | 'unavailable'; readonly message: string };
}

/** How a system is asked. */
export interface ListSource {
  readonly destination: DmsDestination;
  readonly list: (kind: ObjectKind, look?: 'again') => Promise<KnownList>;
  /** Creates what a destination with `create_missing` lacks; left out where nothing is to be created now. */
  readonly create?: (field: MetadataField, name: string) => Promise<number | MetadataProblem>;
}

/** What a name or an id means. */
export type Found =
  | { readonly kind: 'object'; readonly object: DmsObject }
  /** Just created. */
  | { readonly kind: 'created'; readonly id: number }
  /** An id that no list shows: the user of the token may not see all that there is, or the system does not answer. */
  | { readonly kind: 'unlisted'; readonly id: number; readonly problem: KnownList['problem'] }
  | { readonly kind: 'to_be_created' }
  | { readonly kind: 'problem'; readonly problem: MetadataProblem };

/** Finds one tag, correspondent, custom field and so on. */
export async function findObject(
  source: ListSource,
  field: MetadataField,
  value: Reference,
): Promise<Found> {
  const { kind, creatable } = FIELDS[field];
  let { objects, problem } = await source.list(kind);
  let found = lookUp(objects ?? [], value);
  if (found.length !== 1 && objects !== undefined) {
    // It may have been created since.
    ({ objects, problem } = await source.list(kind, 'again'));
    found = lookUp(objects ?? [], value);
  }
  const [object, ...others] = found;
  if (object && others.length === 0) return { kind: 'object', object };
  if (typeof value === 'number') return { kind: 'unlisted', id: value, problem };
  const { destination } = source;
  const asked = { field, value, system: systemOf(destination) };
  if (objects === undefined) return { kind: 'problem', problem: notListed(asked, problem) };
  const isCreated = destination.create_missing && creatable && others.length === 0;
  if (isCreated) return created(source, field, value);
  return { kind: 'problem', problem: notFound(asked, objects, found) };
}

async function created({ create }: ListSource, field: MetadataField, name: string): Promise<Found> {
  if (!create) return { kind: 'to_be_created' };
  const made = await create(field, name);
  if (typeof made !== 'number') return { kind: 'problem', problem: made };
  return { kind: 'created', id: made };
}

function notListed(
  { field, value, system }: NamedThing,
  problem: KnownList['problem'],
): MetadataProblem {
  const { many, one } = FIELDS[field];
  if (problem?.kind === 'forbidden') {
    const message =
      `The ${one} "${value}" cannot be looked up in ${system}: the user of the token may not view ${many}. ` +
      'Grant that permission, or give the id instead of the name.';
    return { field, value, kind: 'forbidden', message, near: [] };
  }
  const cause = problem?.message ?? `${system} does not list them.`;
  const message = `The ${one} "${value}" cannot be looked up. ${cause}`;
  return { field, value, kind: 'unavailable', message, near: [] };
}

/** The same for destinations that are one system, asked with one token. */
export function systemKey(destination: DmsDestination): string {
  return `${systemOf(destination)}\n${destination.token_secret}`;
}

/** How a system is called in messages. */
export function systemOf({ base_url }: Pick<DmsDestination, 'base_url'>): string {
  return base_url.replace(/\/+$/, '');
}
