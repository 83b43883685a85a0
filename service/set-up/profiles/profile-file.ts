import { dump, load } from 'js-yaml';
import { formProfileSchema, type FormProfile } from '../../profiles/form-schema.ts';
import { FIRST_LINE_TITLE } from '../../profiles/title-template.ts';
import { fieldsOf, type Fields } from '../fields.ts';

/** The first line of files that a person wrote in Settings. The scanner step keeps them. */
const HEADER = '# Written in Settings.';

/** Keys that a profile of Settings never has: they could lead elsewhere. */
const NEVER = ['device', 'paths'];

/** What a new profile has besides what the form asks for. */
const NEW: Fields = { processing: { deskew: true } };

const FORM_KEYS = [
  'label',
  'icon',
  'description',
  'source',
  'sides',
  'mode',
  'resolution',
  'page_size',
  'title',
  'trigger',
] as const;
const PROCESSING_KEYS = ['languages'];
const ASSEMBLY_KEYS = ['page_grouping', 'remove_blank_pages'];
const DESTINATION_KEYS = [
  'kind',
  'tags',
  'correspondent',
  'document_type',
  'storage_path',
  'create_missing',
];

export function isWrittenInSettings(text: string): boolean {
  return text.startsWith(HEADER);
}

/** The content of a profile file. Undefined if it is no mapping. */
export function contentOf(text: string): Fields | undefined {
  try {
    return fieldsOf(load(text, { maxAliases: 0 }));
  } catch {
    return undefined;
  }
}

/** Keeps what the form does not show, such as `timeout_seconds`, of the earlier content. */
export function fileText(name: string, given: FormProfile, earlier: Fields = NEW): string {
  const processing = {
    ...without(earlier['processing'], PROCESSING_KEYS),
    ...given.processing,
  };
  const assembly = { ...without(earlier['assembly'], ASSEMBLY_KEYS), ...given.assembly };
  const content = {
    name,
    // The default of profile files names the profile, and names in Settings are made up.
    ...pick({ title: FIRST_LINE_TITLE, ...given }, FORM_KEYS),
    ...without(earlier, ['name', ...NEVER, ...FORM_KEYS, 'processing', 'assembly', 'destinations']),
    ...(Object.keys(processing).length > 0 && { processing }),
    ...(Object.keys(assembly).length > 0 && { assembly }),
    destinations: given.destinations.map((one) => pick(one, DESTINATION_KEYS)),
  };
  return `${HEADER}\n${dump(content, { skipInvalid: true, noRefs: true })}`;
}

/** What the form shows. Undefined if the file says more than the form could keep. */
export function formOf(content: Fields): FormProfile | undefined {
  const { destinations, processing, assembly } = content;
  const form = {
    ...pick(content, FORM_KEYS),
    label: content['label'] ?? content['name'],
    ...part('processing', pick(processing, PROCESSING_KEYS)),
    ...part('assembly', pick(assembly, ASSEMBLY_KEYS)),
    destinations,
  };
  const { value, error } = formProfileSchema.validate(form, { convert: false });
  const isForeign = NEVER.some((key) => Object.hasOwn(content, key));
  // The rule turns names of page sizes into millimetres.
  return error || isForeign ? undefined : { ...value, ...pick(content, ['page_size']) };
}

function part(name: string, fields: Fields): Fields {
  return Object.keys(fields).length > 0 ? { [name]: fields } : {};
}

function pick(value: unknown, keys: readonly string[]): Fields {
  const fields = fieldsOf(value) ?? {};
  const known = keys.filter((key) => fields[key] !== undefined && Object.hasOwn(fields, key));
  return Object.fromEntries(known.map((key) => [key, fields[key]]));
}

function without(value: unknown, keys: readonly string[]): Fields {
  const entries = Object.entries(fieldsOf(value) ?? {});
  return Object.fromEntries(entries.filter(([key]) => !keys.includes(key)));
}
