import { nearNames } from '../../../helpers/near.ts';
import type { DmsDestination, Reference } from '../destination.ts';
import { cause } from '../causes.ts';
import { systemOf } from '../endpoint.ts';
import type { DmsObject, ObjectKind, Objects } from './objects.ts';

export type MetadataField =
  'tags' | 'correspondent' | 'document_type' | 'storage_path' | 'custom_fields';

interface FieldFacts {
  readonly kind: ObjectKind;
  readonly one: string;
  readonly many: string;
  /** True if Paperless-ngx needs only a name to create an object. */
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

/** A name or id in the metadata that cannot be used. */
export interface MetadataProblem {
  readonly field: MetadataField;
  readonly value: Reference;
  /**
   *   missing      the system has no such object
   *   value        the custom field does not accept the value
   *   forbidden    the user of the token may not view or add objects of this kind
   *   unavailable  the system did not answer
   */
  readonly kind: 'missing' | 'value' | 'forbidden' | 'unavailable';
  readonly message: string;
  readonly near: readonly string[];
}

/** A name or id to look up, for a field of a destination. */
export interface WantedObject {
  readonly destination: DmsDestination;
  readonly field: MetadataField;
  readonly value: Reference;
}

export function severalOf(
  { destination, field, value }: WantedObject,
  found: readonly DmsObject[],
): MetadataProblem {
  const ids = found.map(({ id }) => id).join(', ');
  const facts = {
    kind: FIELDS[field].many,
    name: String(value),
    system: systemOf(destination),
    ids,
  };
  const message = cause('name_unusable/several', facts);
  return { field, value, kind: 'missing', message, near: [] };
}

export function notListed(
  { destination, field, value }: WantedObject,
  answer: Exclude<Objects, { kind: 'objects' }>,
): MetadataProblem {
  const { one, many } = FIELDS[field];
  if (answer.kind !== 'forbidden') {
    const facts = { kind: one, name: String(value), cause: answer.problem };
    const message = cause('unreachable/names', facts);
    return { field, value, kind: 'unavailable', message, near: [] };
  }
  const facts = { kind: one, kinds: many, name: String(value), system: systemOf(destination) };
  const message = cause('name_unusable/hidden', facts);
  return { field, value, kind: 'forbidden', message, near: [] };
}

export function notCreated(
  { destination, field, value }: WantedObject,
  why:
    | { readonly kind: 'forbidden' }
    | { readonly kind: 'refused' | 'unavailable'; readonly problem: string },
): MetadataProblem {
  const { one, many } = FIELDS[field];
  const reason =
    why.kind === 'forbidden'
      ? `The user of the token may not add ${many}: grant that permission, or create it yourself.`
      : why.problem;
  const facts = { kind: one, name: String(value), system: systemOf(destination), cause: reason };
  const message = cause('name_unusable/created', facts);
  const kind = why.kind === 'refused' ? 'missing' : why.kind;
  return { field, value, kind, message, near: [] };
}

export function notFound(
  { destination, field, value }: WantedObject,
  objects: readonly DmsObject[],
): MetadataProblem {
  const { one } = FIELDS[field];
  const problem = { field, value, kind: 'missing' } as const;
  const facts = { kind: one, name: String(value), system: systemOf(destination) };
  const meant = objects.find(({ id }) => String(id) === value);
  if (meant) {
    const message = cause('name_missing/id', { ...facts, near: meant.name, id: meant.id });
    return { ...problem, message, near: [meant.name] };
  }
  // Does not suggest names with blanks at their ends, because metadata can refer to these only by
  // id.
  const names = objects.map(({ name }) => name).filter((name) => name === name.trim());
  const near = nearNames(String(value), names);
  const meanings = near.map((name) => `"${name}"`).join(' or ');
  const message =
    near.length > 0
      ? cause('name_missing/near', { ...facts, near: meanings })
      : cause('name_missing', facts);
  return { ...problem, message, near };
}

export function wrongValue(name: string, value: unknown, expected: string): MetadataProblem {
  const shown = JSON.stringify(value).slice(0, 60);
  const message = cause('name_unusable/value', { name, value: shown, expected });
  return { field: 'custom_fields', value: name, kind: 'value', message, near: [] };
}
