import type { DocumentMetadata, Reference, UploadMetadata } from '../destination.ts';
import { checkFieldValue } from './custom-field-values.ts';
import { findObject, type ListSource } from './find-object.ts';
import type { MetadataField, MetadataProblem } from './look-up.ts';
import type { DmsObject } from './object-lists.ts';

export interface Resolved {
  /** Without what has a problem. */
  readonly metadata: UploadMetadata;
  readonly problems: readonly MetadataProblem[];
  /** An id, or the value of a custom field, could not be checked by the lists: the user of the token may not see all. */
  readonly doubtful: boolean;
  /** Why the system could not be asked, where that is so. */
  readonly silence: string | undefined;
}

export interface ResolveOptions {
  /** Whether ids are looked up as well as names. */
  readonly checkIds: boolean;
}

/**
 * The ids of what metadata name. The values of custom fields are checked wherever the types of the fields are known. Never
 * rejects for what a system does.
 */
export async function resolveMetadata(
  metadata: DocumentMetadata,
  source: ListSource,
  { checkIds }: ResolveOptions,
): Promise<Resolved> {
  const problems: MetadataProblem[] = [];
  let doubtful = false;
  let silence: string | undefined;

  async function find(field: MetadataField, value: Reference): Promise<DmsObject | undefined> {
    const found = await findObject(source, field, value);
    if (found.kind === 'object') return found.object;
    if (found.kind === 'to_be_created') return undefined;
    if (found.kind === 'created') return { id: found.id, name: String(value) };
    if (found.problem?.kind === 'unavailable') silence ??= found.problem.message;
    if (found.kind === 'problem') problems.push(found.problem);
    if (found.kind === 'problem') return undefined;
    doubtful = true;
    return { id: found.id, name: String(value) };
  }

  async function idOf(
    field: MetadataField,
    value: Reference | undefined,
  ): Promise<number | undefined> {
    if (value === undefined || (typeof value === 'number' && !checkIds)) return value;
    return (await find(field, value))?.id;
  }

  const {
    tags = [],
    correspondent,
    document_type,
    storage_path,
    custom_fields,
    ...rest
  } = metadata;
  const ids = new Set<number>();
  for (const tag of tags) {
    const id = await idOf('tags', tag);
    if (id !== undefined) ids.add(id);
  }
  const resolved = {
    ...rest,
    tags: [...ids],
    correspondent: await idOf('correspondent', correspondent),
    document_type: await idOf('document_type', document_type),
    storage_path: await idOf('storage_path', storage_path),
    custom_fields: custom_fields && (await fieldValues(custom_fields, find, problems)),
  };
  return { metadata: resolved, problems, doubtful, silence };
}

/** The values by the ids of their fields. Adds to `problems` what a field cannot have. */
async function fieldValues(
  given: Readonly<Record<string, unknown>>,
  find: (field: 'custom_fields', value: Reference) => Promise<DmsObject | undefined>,
  problems: MetadataProblem[],
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    // A key of digits only is an id.
    const field = await find('custom_fields', /^\d+$/.test(key) ? Number(key) : key);
    if (field === undefined) continue;
    const checked = checkFieldValue(field, value);
    if ('value' in checked) values[field.id] = checked.value;
    else problems.push(wrongValue(field.name, value, checked.expected));
  }
  return values;
}

function wrongValue(name: string, value: unknown, expected: string): MetadataProblem {
  const shown = JSON.stringify(value).slice(0, 60);
  const message = `The custom field "${name}" cannot have the value ${shown}. Give ${expected}.`;
  return { field: 'custom_fields', value: name, kind: 'value', message, near: [] };
}
