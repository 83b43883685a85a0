import bcd from '@mdn/browser-compat-data' with { type: 'json' };

/** The oldest browsers that the control page supports. */
const OLDEST = { chrome: 108, firefox: 107, safari: 15.6 } as const;

const BUILTINS: Readonly<Record<string, object>> = bcd.javascript['builtins'] ?? {};

/** Objects of the web platform and the language, with their members, from MDN's data. */
export const OBJECTS: Readonly<Record<string, object>> = { ...bcd.api, ...BUILTINS };

/** True if all these browsers have the feature; undefined if MDN's data does not say. */
export function isOld(feature: unknown): boolean | undefined {
  const support: unknown = Object(feature).__compat?.support;
  if (support === undefined) return undefined;
  return Object.entries(OLDEST).every(([browser, oldest]) => {
    const statement: unknown = Object(support)[browser];
    const statements: unknown[] = Array.isArray(statement) ? statement : [statement];
    return statements.some((one) => {
      const { version_added: added, version_removed, flags } = Object(one);
      const isKept = flags === undefined && version_removed === undefined;
      return isKept && parseFloat(String(added).replace('≤', '')) <= oldest;
    });
  });
}

/** A member's name in scripts: MDN's data adds `_static` to static members. */
export const plainName = (name: string): string => name.replace(/_static$/, '');

/** Features that even older browsers lack and the page can do without. */
const OLDER_STILL = [
  'structuredClone',
  'Array.prototype.at',
  'Array.prototype.findLast',
  'String.prototype.at',
  'HTMLDialogElement.prototype.show',
  'HTMLDialogElement.prototype.showModal',
];

function newerThanOldest(): string[] {
  const newer = Object.entries(OBJECTS).flatMap(([object, members]) => {
    if (isOld(members) === false) return [object];
    return Object.entries(members)
      .filter(([, feature]) => isOld(feature) === false)
      .flatMap(([name]) => placesOf(object, name));
  });
  return [...newer, ...OLDER_STILL];
}

function placesOf(object: string, name: string): string[] {
  const ofObject = `${object}.${plainName(name)}`;
  const ofInstances = `${object}.prototype.${name}`;
  if (object === 'Window') return [name];
  // For built-ins, MDN's data does not say whether a member is static.
  if (Object.hasOwn(BUILTINS, object)) return [ofObject, ofInstances];
  return [name.endsWith('_static') ? ofObject : ofInstances];
}

/**
 * A script that deletes newer features from a current browser. It cannot delete syntax, styles,
 * features missing from MDN's data, or features that the browser protects.
 */
export function asAnOldBrowser(): string {
  return `for (const path of ${JSON.stringify(newerThanOldest())}) {
    const names = path.split('.');
    const last = names.pop();
    const owner = names.reduce((found, name) => found?.[name], globalThis);
    if (owner) delete owner[last];
  }`;
}
