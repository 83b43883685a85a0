import type { Reference } from '../destination.ts';
import { nearNames } from './near-names.ts';
import type { DmsObject, ObjectKind } from './object-lists.ts';

/** Why something that metadata name cannot be used. */
export interface MetadataProblem {
  /** Of the request or the profile: `tags`, `correspondent`, … */
  readonly field: MetadataField;
  readonly value: Reference;
  /**
   *   missing      the system has nothing of that name or id
   *   value        a custom field cannot have that value
   *   forbidden    the user of the token may not look names up
   *   unavailable  the system could not be asked, and its names are not known
   */
  readonly kind: 'missing' | 'value' | 'forbidden' | 'unavailable';
  /** What happened, and what to do. */
  readonly message: string;
  /** Names that were probably meant. */
  readonly near: readonly string[];
}

export type MetadataField =
  'tags' | 'correspondent' | 'document_type' | 'storage_path' | 'custom_fields';

interface FieldFacts {
  readonly kind: ObjectKind;
  readonly one: string;
  readonly many: string;
  /** Whether Paperless-ngx makes one of a name alone. */
  readonly creatable: boolean;
}

export const FIELDS: Readonly<Record<MetadataField, FieldFacts>> = {
  tags: { kind: 'tags', one: 'tag', many: 'tags', creatable: true },
  correspondent: {
    kind: 'correspondents',
    one: 'correspondent',
    many: 'correspondents',
    creatable: true,
  },
  document_type: {
    kind: 'document_types',
    one: 'document type',
    many: 'document types',
    creatable: true,
  },
  storage_path: {
    kind: 'storage_paths',
    one: 'storage path',
    many: 'storage paths',
    creatable: false,
  },
  custom_fields: {
    kind: 'custom_fields',
    one: 'custom field',
    many: 'custom fields',
    creatable: false,
  },
};

/**
 * What a name or an id means: one object, none, or several, as two users may each have a tag of the same name. A name in
 * another case counts where none is spelled like it, as it does in Paperless-ngx.
 */
export function lookUp(objects: readonly DmsObject[], reference: Reference): DmsObject[] {
  if (typeof reference === 'number') return objects.filter(({ id }) => id === reference);
  const exact = objects.filter(({ name }) => name === reference);
  const key = reference.toLowerCase();
  return exact.length > 0 ? exact : objects.filter(({ name }) => name.toLowerCase() === key);
}

/** A name that was given, and the system that should have it. */
export interface NamedThing {
  readonly field: MetadataField;
  readonly value: string;
  readonly system: string;
}

/** Why a name is not one object of the system; `found` are those of that name. */
export function notFound(
  { field, value, system }: NamedThing,
  objects: readonly DmsObject[],
  found: readonly DmsObject[],
): MetadataProblem {
  const { one, many } = FIELDS[field];
  const problem = { field, value, kind: 'missing', near: [] } as const;
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    const message = `There are several ${many} named "${value}" in ${system}, with the ids ${ids}. Give the id of one of them.`;
    return { ...problem, message };
  }
  const missing = `There is no ${one} named "${value}" in ${system}.`;
  const meant = objects.find(({ id }) => String(id) === value);
  if (meant) {
    const message = `${missing} If you mean the id of "${meant.name}", write ${meant.id} without quotes.`;
    return { ...problem, message, near: [meant.name] };
  }
  const names = objects.map(({ name }) => name);
  const near = nearNames(value, names);
  const advice =
    near.length > 0
      ? `Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
      : `Create it there, or correct the name.`;
  return { ...problem, message: `${missing} ${advice}`, near };
}
