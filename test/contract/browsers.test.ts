import bcd from '@mdn/browser-compat-data' with { type: 'json' };
import { parse, type Token } from 'acorn';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isOld, OBJECTS, plainName } from '../support/old-browsers.ts';
import { assert, suite } from '../support/suite.ts';

/**
 * MDN's data has names but no types: a newer member goes unnoticed if an old object has one of that
 * name.
 */
const test = suite('the control page in browsers of the last four years');

const PAGE = path.resolve(import.meta.dirname, '../../service/page');

/** Newer features, and how the page copes without them. */
const WITH_FALLBACK: Readonly<Record<string, string>> = {
  wakeLock: 'in a try: the screen goes dark, and the page recovers',
  canShare: 'without the button that shares a document',
  'container-type': 'within @supports (width: 1cqw)',
  outline: 'with square corners in Safari before 16.4',
  'accent-color': 'a choice has the colour of the system',
  '-webkit-progress-bar': 'for browsers with its engine; Firefox has -moz-progress-bar',
  '-webkit-progress-value': 'for browsers with its engine; Firefox has -moz-progress-bar',
  '-moz-progress-bar': 'for Firefox',
};

/** Tells by name whether all of the oldest browsers have the member or CSS property. */
function namesIn(...groups: readonly object[]): Map<string, boolean> {
  const names = new Map<string, boolean>();
  for (const group of groups) {
    for (const [name, feature] of Object.entries(group)) {
      const isKnown = isOld(feature);
      const plain = plainName(name);
      if (isKnown !== undefined) names.set(plain, (names.get(plain) ?? false) || isKnown);
    }
  }
  return names;
}

function membersOf(code: string): { object: string; member: string }[] {
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  const texts = tokens.map(({ start, end }) => code.slice(start, end));
  return texts.flatMap((text, index) => {
    if (text !== '.' && text !== '?.') return [];
    return [{ object: texts[index - 1] ?? '', member: texts[index + 1] ?? '' }];
  });
}

/** Leaves out newer objects: a page must name such an object before its members. */
const MEMBERS = namesIn(...Object.values(OBJECTS).filter((object) => isOld(object) === true));

/** For `Name.member`, considers only that object's own members. */
function isNewer(object: string, member: string): boolean {
  const own = Object.hasOwn(OBJECTS, object) ? namesIn(OBJECTS[object] ?? {}) : undefined;
  return (own?.get(member) ?? MEMBERS.get(member)) === false;
}

test('scripts use only features of these browsers, or have a fallback', async () => {
  assert.ok(isNewer('AbortSignal', 'any') && isNewer('list', 'toSorted'), 'it would be noticed');
  assert.not.ok(isNewer('Object', 'hasOwn') || isNewer('list', 'at'));
  const newer: string[] = [];
  const modules = new Map<string, string>();
  for await (const name of glob('**/*.js', { cwd: PAGE })) {
    modules.set(name, await readFile(path.join(PAGE, name), 'utf8'));
  }
  // Fields of the service's answers and of the page's own objects.
  const types = ['types', 'button-types', 'set-up/types'].map((name) =>
    readFile(path.join(PAGE, `${name}.d.ts`), 'utf8'),
  );
  const texts = [...(await Promise.all(types)), ...modules.values()].join('\n');
  const own = new Set([...texts.matchAll(/^ *(\w+)\??:/gm)].map(([, name = '']) => name));
  for (const [name, code] of modules) {
    for (const { object, member } of membersOf(code)) {
      const isOurs = own.has(member) && !Object.hasOwn(OBJECTS, object);
      if (isNewer(object, member) && !isOurs && !(member in WITH_FALLBACK))
        newer.push(`${name}: ${object}.${member}`);
    }
  }
  assert.equal(newer, []);
});

test('styles use only features of these browsers, or have a fallback', async () => {
  const properties = namesIn(bcd.css['properties'] ?? {});
  const styles = ['style.css', 'set-up/set-up.css'].map((name) =>
    readFile(path.join(PAGE, name), 'utf8'),
  );
  const style = (await Promise.all(styles)).join('\n');
  const used = new Set([...style.matchAll(/^\s*([a-z][a-z-]*):/gm)].map(([, name = '']) => name));
  assert.ok(used.size > 50 && properties.get('field-sizing') === false, 'it would be noticed');
  const newer = [...used].filter((name) => properties.get(name) === false);
  assert.equal(
    newer.filter((name) => !(name in WITH_FALLBACK)),
    [],
  );
  const known = namesIn(bcd.css['selectors'] ?? {});
  const selectors = [...style.matchAll(/::?([a-z-]+)(?=[^;{}]*\{)/g)].map(([, name = '']) => name);
  assert.ok(
    selectors.includes('focus-visible') && known.get('has') === false,
    'it would be noticed',
  );
  assert.equal(
    selectors.filter((name) => known.get(name) === false && !(name in WITH_FALLBACK)),
    [],
  );
});
