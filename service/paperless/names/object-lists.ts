import Joi from 'joi';
import { askDms, type Answered, type DmsAccess } from '../ask-dms.ts';

/** What a document can be filed under, as the last part of its path below `/api/`. */
export const OBJECT_KINDS = [
  'tags',
  'correspondents',
  'document_types',
  'storage_paths',
  'custom_fields',
] as const;

export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** A tag, a correspondent and so on. */
export interface DmsObject {
  readonly id: number;
  readonly name: string;
  /** Of a custom field. */
  readonly data_type?: string;
  /** Of a custom field whose values are chosen from a list. */
  readonly select_options?: readonly { readonly id: string; readonly label: string }[];
}

export type ListAnswer =
  | { readonly kind: 'list'; readonly objects: readonly DmsObject[] }
  | Exclude<Answered, { kind: 'value' }>;

/** As many as one page may have, and pages that are read: a household has dozens, a company thousands. */
const PAGE_SIZE = 1000;
const MAX_PAGES = 20;

const page = Joi.object<Page>({
  next: Joi.any(),
  results: Joi.array()
    .items(
      Joi.object({
        id: Joi.number().required(),
        name: Joi.string().required(),
        data_type: Joi.string(),
        extra_data: Joi.any(),
      }).unknown(),
    )
    .required(),
}).unknown();

interface Page {
  readonly next: unknown;
  readonly results: readonly (DmsObject & { readonly extra_data?: unknown })[];
}

/** The choices of a field, as releases from 2.14 on have them. */
const choices = Joi.object<Required<Pick<DmsObject, 'select_options'>>>({
  select_options: Joi.array()
    .items(Joi.object({ id: Joi.string().required(), label: Joi.string().required() }))
    .required(),
});

/** Reads all that the user of the token may see of one kind. */
export async function readObjectList(access: DmsAccess, kind: ObjectKind): Promise<ListAnswer> {
  const objects: DmsObject[] = [];
  for (let number = 1; number <= MAX_PAGES; number += 1) {
    const answer = await askDms(access, `/api/${kind}/?page=${number}&page_size=${PAGE_SIZE}`);
    if (answer.kind !== 'value') return answer;
    const { value, error } = page.validate(answer.value, { convert: false });
    if (error) {
      const problem = `${access.endpoint.name} did not answer as Paperless-ngx does. Check base_url and the reverse proxy.`;
      return { kind: 'unavailable', problem };
    }
    objects.push(...value.results.map(toObject));
    if (value.next === null) break;
  }
  return { kind: 'list', objects };
}

function toObject({ id, name, data_type, extra_data }: Page['results'][number]): DmsObject {
  const { value, error } = choices.validate(extra_data, { stripUnknown: true });
  return {
    id,
    name,
    ...(data_type !== undefined && { data_type }),
    ...(error === undefined && value),
  };
}

/** Creates a tag, a correspondent or a document type, which need no more than a name; the user of the token owns it. */
export async function createObject(
  access: DmsAccess,
  kind: ObjectKind,
  name: string,
): Promise<{ readonly id: number } | Exclude<Answered, { kind: 'value' }>> {
  const answer = await askDms(access, `/api/${kind}/`, { name });
  if (answer.kind !== 'value') return answer;
  const { id }: { id?: unknown } = Object(answer.value);
  if (typeof id === 'number') return { id };
  return { kind: 'refused', problem: `${access.endpoint.name} answered without an id.` };
}
