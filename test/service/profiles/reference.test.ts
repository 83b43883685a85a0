import { readFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { load as parseYaml } from 'js-yaml';
import type { Profile } from '../../../service/profiles/profile.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('docs/profiles.md');

const text = await readFile(path.join(import.meta.dirname, '../../../docs/profiles.md'), 'utf8');
const schema = profileSchema({ output_dir: '/scans', dms_url: 'http://paperless:8000' });

/** Rows of the reference: the key in the first column, the default in the second. */
const rows = [...text.matchAll(/^\| `(?<key>[a-z_.[\]]+)` *\| (?:`(?<value>[^`]+)`)? *\|/gm)].map(
  ({ groups }) => ({ key: groups?.['key'] ?? '', value: groups?.['value'] }),
);

/** Both ways of saying it are in one row. */
const WHOLE = ['page_size', 'scanner_options'];

/** The keys of what joi says of a schema: `assembly.page_grouping`, `destinations[].kind`. */
function keysOf(description: unknown, key = ''): string[] {
  if (typeof description !== 'object' || description === null) return [];
  if (Array.isArray(description)) return description.flatMap((one) => keysOf(one, key));
  const {
    keys,
    items,
    matches,
    whens,
    schema: inner,
    then: first,
    otherwise,
  } = toRecord(description);
  const named = Object.entries(toRecord(keys)).flatMap(([name, value]) =>
    keysOf(value, key === '' ? name : `${key}.${name}`),
  );
  const found = [
    ...named,
    ...keysOf(items, `${key}[]`),
    ...[matches, whens, inner, first, otherwise].flatMap((one) => keysOf(one, key)),
  ];
  return found.length === 0 || WHOLE.includes(key) ? [key] : found;
}

function toRecord(value: unknown): Record<string, unknown> {
  return { ...Object(value) };
}

test('the reference has every key of a profile, and no other', () => {
  // A list of plain values is a key itself.
  const known = keysOf(schema.describe()).map((key) => key.replace(/(?<=\w)\[\]$/, ''));
  assert.equal(
    rows.map(({ key }) => key).toSorted(),
    [...new Set(known)].filter((key) => !known.some((one) => one.startsWith(`${key}[`))).toSorted(),
  );
});

test('the defaults of the reference are those of a profile that says nothing', () => {
  const written: Record<string, unknown> = {};
  for (const { key, value } of rows) if (value !== undefined) put(written, key, parseYaml(value));
  const required = { name: 'a', destinations: [{ kind: 'dms', base_url: 'http://a' }] };
  const barcodes = { assembly: { barcodes: {} } };
  const { destinations, ...others } = written;
  const full = {
    ...required,
    ...others,
    destinations: [{ ...required.destinations[0], ...toRecord(toRecord(destinations)['0']) }],
  };
  assert.equal(Joi.attempt(full, schema), Joi.attempt({ ...required, ...barcodes }, schema));
});

/** Puts a value at `a.b` or `a[].b`; of a list there is one item. */
function put(into: Record<string, unknown>, key: string, value: unknown): void {
  const [name = '', ...rest] = key.replaceAll('[]', '.0').split('.');
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inner = toRecord(into[name]);
  put(inner, rest.join('.'), value);
  into[name] = inner;
}

const cookbook = text.slice(text.indexOf('\n## Cookbook'));
const recipes = [
  ...cookbook.matchAll(/^### (?<title>[^\n]+)\n[^#]*?^```yaml\n(?<yaml>.*?)^```$/gms),
].map(({ groups }) => ({ title: groups?.['title'] ?? '', yaml: groups?.['yaml'] ?? '' }));

test('the cookbook has a profile for each recipe', () => {
  assert.equal(
    recipes.map(({ title }) => title),
    [...cookbook.matchAll(/^### (.+)$/gm)].map((match) => match[1]),
  );
});

for (const { title, yaml } of recipes) {
  test(`the profile of "${title}" loads as it stands`, () => {
    const { error, value } = schema.validate(parseYaml(yaml)) as { error?: Error; value: Profile };
    assert.is(error?.message, undefined);
    assert.match(value.name, /./);
  });
}
