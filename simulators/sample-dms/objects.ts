/** Kinds of objects that a document can be filed under, named like the last part of their path below `/api/`. */
export const KINDS = [
  'tags',
  'correspondents',
  'document_types',
  'storage_paths',
  'custom_fields',
] as const;

export type ObjectKind = (typeof KINDS)[number];

export interface SampleObject {
  readonly id: number;
  readonly name: string;
  /** Id of the user who created it; custom fields have none. */
  readonly owner?: number;
  /** Ids of the users who were given the permission to view this one. */
  readonly shared_with?: readonly number[];
  /** For tags only: the id of the tag that this one belongs to. */
  readonly parent?: number;
  /** For custom fields only. Default: `string`. */
  readonly data_type?: string;
  /** For custom fields of the type `select` only. */
  readonly select_options?: readonly { readonly id: string; readonly label: string }[];
}

export type Lists = Readonly<Record<ObjectKind, readonly SampleObject[]>>;

/** All objects on the server, by kind. New objects are added to these lists. */
export type SampleObjects = Readonly<Record<ObjectKind, SampleObject[]>>;

const named = (...names: readonly string[]): SampleObject[] =>
  names.map((name, index) => ({ id: index + 1, name }));

const DEFAULTS: SampleObjects = {
  tags: named(...'Inbox Invoice Receipt Tax Insurance Bank Health School Garden'.split(' ')),
  correspondents: named('City Utilities', 'Example Bank', 'Tax Office'),
  document_types: named('Letter', 'Invoice', 'Contract'),
  storage_paths: named('Household', 'Work', 'Archive'),
  custom_fields: [
    { id: 1, name: 'Reference', data_type: 'string' },
    { id: 2, name: 'Amount', data_type: 'monetary' },
    { id: 3, name: 'Due', data_type: 'date' },
  ],
};

/** A server with these objects, and with the usual ones of the kinds that are not given. */
export function createObjects(given: Partial<Lists> = {}): SampleObjects {
  return structuredClone({ ...DEFAULTS, ...given }) as SampleObjects;
}

/** A tag and all that it belongs to, the nearest first. */
export function withParents(id: number, tags: readonly SampleObject[]): number[] {
  const parent = tags.find((tag) => tag.id === id)?.parent;
  return parent === undefined ? [id] : [id, ...withParents(parent, tags)];
}
