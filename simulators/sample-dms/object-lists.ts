import { jsonAnswer, permissionDenied, type Answer } from './answer.ts';
import type { ApiRequest, BrowseContext } from './browse.ts';
import { filterItems } from './filters.ts';
import { OBJECT_KINDS, type ObjectKind, type SampleObject } from './objects.ts';
import { may, type TokenUser } from './options.ts';
import { pageAnswer } from './pagination.ts';

const MAX_NAME_LENGTH = 128;
const UNIQUE = {
  custom_fields: 'Object violates name unique constraint',
  others: 'Object violates owner / name unique constraint',
};

/** `GET /api/tags/` and similar lists, sorted by name; custom fields are sorted newest first before 3.0. */
export function listObjects(
  { objects, release }: BrowseContext,
  { url, apiVersion, user }: ApiRequest,
  kind: ObjectKind,
): Answer {
  if (!may(user, `view_${OBJECT_KINDS[kind].model}`)) return permissionDenied();
  const sorted = visibleTo(user, objects[kind]).toSorted((left, right) =>
    kind === 'custom_fields' && release.newest_api < 10 ? right.id - left.id : byName(left, right),
  );
  const found = filterItems(sorted, url.searchParams, ['name']);
  if (found.kind === 'refused') return found.answer;
  const describe = (object: SampleObject): unknown => describeListed(kind, object);
  return pageAnswer(found.items, url, { apiVersion, describe });
}

/** `GET /api/tags/<id>/` and similar objects. */
export function showObject(
  { objects }: BrowseContext,
  { user }: ApiRequest,
  { kind, id }: { readonly kind: ObjectKind; readonly id: number },
): Answer {
  const { model, label } = OBJECT_KINDS[kind];
  if (!may(user, `view_${model}`)) return permissionDenied();
  const found = visibleTo(user, objects[kind]).find((object) => object.id === id);
  if (found !== undefined) return jsonAnswer(200, describeListed(kind, found));
  return jsonAnswer(404, { detail: `No ${label} matches the given query.` });
}

/** `POST /api/tags/` and similar lists. Custom fields are created as texts, regardless of their type. */
export function createObject(
  { objects }: BrowseContext,
  { user }: ApiRequest,
  { kind, body }: { readonly kind: ObjectKind; readonly body: unknown },
): Answer {
  if (!may(user, `add_${OBJECT_KINDS[kind].model}`)) return permissionDenied();
  if (Array.isArray(body)) {
    const message = 'Invalid data. Expected a dictionary, but got list.';
    return jsonAnswer(400, { non_field_errors: [message] });
  }
  const given: unknown = Object(body).name;
  const problem = nameProblem(given);
  if (problem !== undefined) return jsonAnswer(400, { name: [problem] });
  const name = String(given).trim();
  if (objects[kind].some((object) => object.name === name && isOpenTo(user, object))) {
    const error = kind === 'custom_fields' ? UNIQUE.custom_fields : UNIQUE.others;
    return jsonAnswer(400, { error: [error] });
  }
  const id = Math.max(0, ...objects[kind].map((object) => object.id)) + 1;
  const created = { id, name, ...(kind !== 'custom_fields' && { owner: user.id }) };
  objects[kind].push(created);
  return jsonAnswer(201, describeObject(kind, created));
}

/** Nobody but administrators sees what another user owns. */
function visibleTo(user: TokenUser, objects: readonly SampleObject[]): SampleObject[] {
  return objects.filter((object) => user.permissions === 'all' || isOpenTo(user, object));
}

/** Whether it is the user's own, or nobody's. */
function isOpenTo({ id }: TokenUser, { owner = id }: SampleObject): boolean {
  return owner === id;
}

function nameProblem(name: unknown): string | undefined {
  if (name === undefined) return 'This field is required.';
  if (name === null) return 'This field may not be null.';
  if (typeof name !== 'string' && typeof name !== 'number') return 'Not a valid string.';
  const text = String(name).trim();
  if (text === '') return 'This field may not be blank.';
  if (Array.from(text).length <= MAX_NAME_LENGTH) return undefined;
  return `Ensure this field has no more than ${MAX_NAME_LENGTH} characters.`;
}

/** As in a list; what was just created is described without the number of its documents. */
const describeListed = (kind: ObjectKind, object: SampleObject): object => ({
  ...describeObject(kind, object),
  document_count: 0,
});

function describeObject(kind: ObjectKind, { id, name, owner, ...custom }: SampleObject): object {
  if (kind === 'custom_fields') {
    const { data_type = 'string', select_options } = custom;
    const extra_data = select_options === undefined ? null : { select_options };
    return { id, name, data_type, extra_data };
  }
  const color = { color: '#a6cee3', text_color: '#000000' };
  return {
    id,
    slug: name.toLowerCase().replaceAll(/[^\w]+/g, '-'),
    name,
    ...(kind === 'tags' && color),
    ...(kind === 'storage_paths' && { path: `${name}/{{ title }}` }),
    match: '',
    matching_algorithm: 1,
    is_insensitive: true,
    ...(kind === 'tags' && { is_inbox_tag: false }),
    owner: owner ?? null,
    user_can_change: true,
    ...(kind === 'tags' && { parent: null, children: [] }),
  };
}

function byName(left: SampleObject, right: SampleObject): number {
  const [one, other] = [left.name.toLowerCase(), right.name.toLowerCase()];
  if (one === other) return left.id - right.id;
  return one < other ? -1 : 1;
}
