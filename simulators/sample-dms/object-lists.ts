import { setTimeout as wait } from 'node:timers/promises';
import { jsonAnswer, pageAnswer, type Answer } from './answer.ts';
import { readJsonBody } from './bodies.ts';
import type { ObjectKind, SampleObject } from './objects.ts';
import { demand } from './identify.ts';
import type { TokenUser } from './options.ts';
import type { Asked, Sample } from './sample.ts';

const MAX_NAME_LENGTH = 128;

/** As in Django's permissions, such as `view_tag`. */
const MODELS: Readonly<Record<ObjectKind, string>> = {
  tags: 'tag',
  correspondents: 'correspondent',
  document_types: 'documenttype',
  storage_paths: 'storagepath',
  custom_fields: 'customfield',
};

/** The sample cannot create objects that need a further field. */
const NEEDS: Partial<Readonly<Record<ObjectKind, string>>> = {
  storage_paths: 'path',
  custom_fields: 'data_type',
};

/** `GET /api/tags/` and similar lists, sorted by name. */
export async function listObjects(
  { objects, options: { ms_per_object = 0 } }: Sample,
  { url, user }: Asked,
  kind: ObjectKind,
): Promise<Answer> {
  demand(user, `view_${MODELS[kind]}`);
  const { id__in = '', name__iexact = '' } = Object.fromEntries(url.searchParams);
  if (name__iexact.includes('\0')) {
    return jsonAnswer(400, { name__iexact: ['Null characters are not allowed.'] });
  }
  if (!/^[\d,]*$/.test(id__in)) return jsonAnswer(400, { id__in: ['Enter a number.'] });
  const ids = id__in.split(',');
  const name = asciiLower(name__iexact.trim());
  const found = objects[kind]
    .filter((object) => isVisible(object, user))
    .filter((object) => id__in === '' || ids.includes(String(object.id)))
    .filter((object) => name === '' || asciiLower(object.name) === name)
    .toSorted((left, right) => (asciiLower(left.name) < asciiLower(right.name) ? -1 : 1));
  const size = Number(url.searchParams.get('page_size') ?? 0);
  await wait(ms_per_object * Math.min(found.length, size));
  return pageAnswer(found, url, (object) => describeObject(kind, object, objects[kind]));
}

/** `POST /api/tags/` and similar: creates an object of the user. */
export async function createObject(
  sample: Sample,
  { request, user }: Asked,
  kind: ObjectKind,
): Promise<Answer> {
  const objects = sample.objects[kind];
  demand(user, `add_${MODELS[kind]}`);
  const body = await readJsonBody(request);
  const problem = nameProblem(body['name']);
  if (problem !== undefined) return jsonAnswer(400, { name: [problem] });
  const more = NEEDS[kind];
  if (more !== undefined) return jsonAnswer(400, { [more]: ['This field is required.'] });
  await wait((sample.options.ms_per_object ?? 0) * objects.length);
  const name = String(body['name']).trim();
  if (objects.some((object) => object.name === name && object.owner === user.id)) {
    // A text, unlike all other errors, which are lists of texts.
    return jsonAnswer(400, { error: 'Object violates owner / name unique constraint' });
  }
  const id = Math.max(0, ...objects.map((object) => object.id)) + 1;
  const created = { id, name, owner: user.id };
  objects.push(created);
  return jsonAnswer(201, describeObject(kind, created, objects));
}

/** SQLite, Paperless-ngx's default database, ignores case in ASCII letters only. */
function asciiLower(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Only administrators see what another user owns and has not shared. */
function isVisible({ owner, shared_with = [] }: SampleObject, user: TokenUser): boolean {
  const isOpen = owner === undefined || owner === user.id || shared_with.includes(user.id);
  return isOpen || user.permissions === 'all';
}

function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'This field is required.';
  if (name.trim() === '') return 'This field may not be blank.';
  if (name.includes('\0')) return 'Null characters are not allowed.';
  if (Array.from(name.trim()).length <= MAX_NAME_LENGTH) return undefined;
  return `Ensure this field has no more than ${MAX_NAME_LENGTH} characters.`;
}

function describeObject(
  kind: ObjectKind,
  { id, name, owner, parent, data_type = 'string', select_options }: SampleObject,
  all: readonly SampleObject[],
): object {
  if (kind === 'custom_fields') {
    const extra_data = select_options === undefined ? null : { select_options };
    return { id, name, data_type, extra_data };
  }
  const isChild = (object: SampleObject): boolean => object.parent === id;
  return {
    id,
    name,
    owner: owner ?? null,
    ...(kind === 'tags' && {
      parent: parent ?? null,
      children: all.filter(isChild).map((child) => describeObject(kind, child, all)),
    }),
  };
}
