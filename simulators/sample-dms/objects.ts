/** Objects that a document can refer to, named as in the path below `/api/`. */
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
  /** User id. Custom fields have no owner. */
  readonly owner?: number;
  readonly shared_with?: readonly number[];
  /** Tags only. */
  readonly parent?: number;
  /** Custom fields only. Default: `string`. */
  readonly data_type?: string;
  /** Custom fields of type `select` only. */
  readonly select_options?: readonly { readonly id: string; readonly label: string }[];
}

export type Lists = Readonly<Record<ObjectKind, readonly SampleObject[]>>;

/** New objects are added to these lists. */
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

/** Kinds that are not given have default objects. */
export function createObjects(given: Partial<Lists> = {}): SampleObjects {
  return structuredClone({ ...DEFAULTS, ...given }) as SampleObjects;
}

/** A tag and its ancestors, nearest first. */
export function withParents(id: number, tags: readonly SampleObject[]): number[] {
  const parent = tags.find((tag) => tag.id === id)?.parent;
  return parent === undefined ? [id] : [id, ...withParents(parent, tags)];
}
