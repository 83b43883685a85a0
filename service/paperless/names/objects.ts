import Joi from 'joi';
import { askDms, type Answered, type DmsAccess } from '../ask-dms.ts';

/** Named as in the paths below `/api/`. */
export const OBJECT_KINDS = [
  'tags',
  'correspondents',
  'document_types',
  'storage_paths',
  'custom_fields',
] as const;

export type ObjectKind = (typeof OBJECT_KINDS)[number];

export interface DmsObject {
  readonly id: number;
  readonly name: string;
  readonly data_type?: string;
  /** Only for custom fields with fixed choices. */
  readonly select_options?: readonly { readonly id: string; readonly label: string }[];
}

export type Objects =
  | { readonly kind: 'objects'; readonly objects: readonly DmsObject[] }
  | Exclude<Answered, { kind: 'value' }>;

/** Small, because Paperless-ngx takes up to 3 ms per tag and a proxy gives up after a minute. */
const PAGE_SIZE = 250;
/** Limits a list to 20,000 objects. Names beyond are found with a filter. */
const MAX_PAGES = 80;

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

/** The choices of a select field, as in Paperless-ngx 2.14 and later. */
const choices = Joi.object<Required<Pick<DmsObject, 'select_options'>>>({
  select_options: Joi.array()
    .items(Joi.object({ id: Joi.string().required(), label: Joi.string().required() }))
    .required(),
});

/**
 * Lists objects that the user of the token may view. With a `filter`, Paperless-ngx answers fast
 * even if it has many objects.
 */
export async function readObjects(
  access: DmsAccess,
  kind: ObjectKind,
  filter: Readonly<Record<string, string>> = {},
): Promise<Objects> {
  const objects: DmsObject[] = [];
  for (let number = 1; number <= MAX_PAGES; number += 1) {
    const query = new URLSearchParams({
      ...filter,
      page: String(number),
      page_size: String(PAGE_SIZE),
    });
    const answer = await askDms(access, `/api/${kind}/?${query.toString()}`);
    if (answer.kind !== 'value') return answer;
    const { value, error } = page.validate(answer.value, { convert: false });
    if (error) {
      const problem = `${access.endpoint.name} did not answer as Paperless-ngx does. Check base_url and the reverse proxy.`;
      return { kind: 'unavailable', problem };
    }
    objects.push(...value.results.map(toObject));
    if (value.next === null) break;
  }
  return { kind: 'objects', objects };
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

export type Made =
  { readonly kind: 'created'; readonly object: DmsObject } | Exclude<Answered, { kind: 'value' }>;

/** Creates an object that needs only a name. Its owner is the user of the token. */
export async function createObject(
  access: DmsAccess,
  kind: ObjectKind,
  name: string,
): Promise<Made> {
  const answer = await askDms(access, `/api/${kind}/`, { name });
  if (answer.kind !== 'value') return answer;
  const { id }: { id?: unknown } = Object(answer.value);
  if (typeof id === 'number') return { kind: 'created', object: { id, name } };
  return { kind: 'refused', problem: `${access.endpoint.name} answered without an id.` };
}

/** Tries to create an object without a name: only a user without permission gets a 403. */
export async function mayCreate(access: DmsAccess, kind: ObjectKind): Promise<boolean> {
  const answer = await askDms(access, `/api/${kind}/`, {});
  return answer.kind !== 'forbidden';
}
