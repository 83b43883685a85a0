/** Kinds of objects that a document can be filed under, named like the last part of their path below `/api/`. */
export type ObjectKind =
  'tags' | 'correspondents' | 'document_types' | 'storage_paths' | 'custom_fields';

export type CustomFieldType =
  | 'string'
  | 'longtext'
  | 'url'
  | 'date'
  | 'boolean'
  | 'integer'
  | 'float'
  | 'monetary'
  | 'documentlink'
  | 'select';

export interface SampleObject {
  readonly id: number;
  readonly name: string;
  /** Id of the user who created it; custom fields have none. */
  readonly owner?: number;
  /** For custom fields only. Default: `string`. */
  readonly data_type?: CustomFieldType;
  /** For custom fields of the type `select` only. */
  readonly select_options?: readonly { readonly id: string; readonly label: string }[];
}

interface KindFacts {
  /** As in Django's permissions: `view_tag`. */
  readonly model: string;
  /** As in "No Tag matches the given query." */
  readonly label: string;
  readonly defaults: readonly SampleObject[];
}

const named = (names: readonly string[]): SampleObject[] =>
  names.map((name, index) => ({ id: index + 1, name }));

export const OBJECT_KINDS: Readonly<Record<ObjectKind, KindFacts>> = {
  tags: {
    model: 'tag',
    label: 'Tag',
    defaults: named([
      'Inbox',
      'Invoice',
      'Receipt',
      'Tax',
      'Insurance',
      'Bank',
      'Health',
      'School',
      'Garden',
    ]),
  },
  correspondents: {
    model: 'correspondent',
    label: 'Correspondent',
    defaults: named(['City Utilities', 'Example Bank', 'Tax Office']),
  },
  document_types: {
    model: 'documenttype',
    label: 'DocumentType',
    defaults: named(['Letter', 'Invoice', 'Contract']),
  },
  storage_paths: {
    model: 'storagepath',
    label: 'StoragePath',
    defaults: named(['Household', 'Work', 'Archive']),
  },
  custom_fields: {
    model: 'customfield',
    label: 'CustomField',
    defaults: [
      { id: 1, name: 'Reference', data_type: 'string' },
      { id: 2, name: 'Amount', data_type: 'monetary' },
      { id: 3, name: 'Due', data_type: 'date' },
    ],
  },
};

/** All objects on the server, by kind. New objects are added to these lists. */
export type SampleObjects = Readonly<Record<ObjectKind, SampleObject[]>>;

export function createObjects(
  given: Partial<Readonly<Record<ObjectKind, readonly SampleObject[]>>> = {},
): SampleObjects {
  const list = (kind: ObjectKind): SampleObject[] => [
    ...(given[kind] ?? OBJECT_KINDS[kind].defaults),
  ];
  return {
    tags: list('tags'),
    correspondents: list('correspondents'),
    document_types: list('document_types'),
    storage_paths: list('storage_paths'),
    custom_fields: list('custom_fields'),
  };
}
