import type Joi from 'joi';
import { load as parseYaml } from 'js-yaml';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { languageInstallation, languagePackage } from '../../helpers/language-package.ts';
import { createFileReader, withTimeout, type FileReader } from '../../helpers/outside-files.ts';
import { languagesMissing } from '../processor/languages.ts';
import {
  fieldProblems,
  unreadable,
  wholeFile,
  type FileProblem,
  type ProfileProblem,
} from './problems.ts';
import type { Profile } from './profile.ts';

export interface LoadedProfiles {
  /** By profile name. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly files: ReadonlyMap<string, string>;
  readonly problems: readonly ProfileProblem[];
}

/** Keeps a stray large file out of memory. */
const MAX_FILE_BYTES = 256 * 1024;

const PROFILE_FILE = /^[^.].*\.ya?ml$/i;

export interface ProfileFiles {
  readonly list: (directory: string) => Promise<readonly string[]>;
  readonly read: FileReader;
  /** The service's own directory. It is not reported as missing. */
  readonly own?: string | undefined;
}

/** A file that takes longer is loaded with the next poll. */
const TIMEOUT_MS = 2000;

/** A directory that only the service writes. */
export interface OwnProfileFiles {
  readonly directory: string;
  readonly read: FileReader;
}

export function createProfileFiles(timeoutMs = TIMEOUT_MS, own?: OwnProfileFiles): ProfileFiles {
  const read = createFileReader({ maxBytes: MAX_FILE_BYTES, timeoutMs });
  return {
    list: withTimeout((directory) => readdir(directory), timeoutMs),
    read: (file) => (own && path.dirname(file) === own.directory ? own.read(file) : read(file)),
    own: own?.directory,
  };
}

/**
 * Loads `*.yaml` and `*.yml` files. Of files with the same profile name, the first counts. Checks
 * OCR languages only if `installed` is known.
 */
export async function loadProfiles(
  directory: string,
  schema: Joi.ObjectSchema<Profile>,
  installed?: readonly string[],
  files = createProfileFiles(),
): Promise<LoadedProfiles> {
  const problems: ProfileProblem[] = [];
  const loaded = new Map<string, { file: string; profile: Profile }>();
  const names = await files.list(directory).catch((error: unknown) => {
    problems.push({ file: directory, ...unreadable(error), profile: undefined });
    return [];
  });
  const wanted = names.filter((name) => PROFILE_FILE.test(name)).toSorted();
  // In parallel: if a share hangs, this takes one time limit, not one per file.
  const texts = await Promise.all(
    wanted.map(async (file) => ({ file, text: await textOf(path.join(directory, file), files) })),
  );
  for (const { file, text } of texts) {
    const { name, result } = loadText(text, { file, schema, installed });
    const twin = loaded.get(name)?.file;
    if (Array.isArray(result)) {
      problems.push(...result.map((problem) => ({ file, ...problem, profile: name })));
    } else if (twin === undefined) loaded.set(name, { file, profile: result });
    else {
      const message = `"name" is the name of the profile in ${twin} already.`;
      problems.push({ file, field: 'name', message, profile: name });
    }
  }
  return {
    profiles: new Map([...loaded].map(([name, { profile }]) => [name, profile])),
    files: new Map([...loaded].map(([name, { file }]) => [name, file])),
    problems,
  };
}

interface LoadedFile {
  /** The profile's name according to the file, even if it is broken. */
  readonly name: string;
  readonly result: Profile | FileProblem[];
}

async function textOf(file: string, { read }: ProfileFiles): Promise<string | FileProblem> {
  return read(file).catch(unreadable);
}

interface TextOptions {
  readonly file: string;
  readonly schema: Joi.ObjectSchema<Profile>;
  readonly installed: readonly string[] | undefined;
}

/** Checks the content of a profile file. */
export function loadText(
  text: string | FileProblem,
  { file, schema, installed }: TextOptions,
): LoadedFile {
  const { name } = path.parse(file);
  if (typeof text !== 'string') return { name, result: [text] };
  let content: unknown;
  try {
    // Without aliases, because a few lines of them can expand to gigabytes.
    content = parseYaml(text, { maxAliases: 0 });
  } catch (error) {
    return { name, result: [unreadable(error)] };
  }
  if (content === null || typeof content !== 'object') {
    return { name, result: [wholeFile('must be a YAML mapping with a name')] };
  }
  const given = 'name' in content && typeof content.name === 'string' ? content.name : name;
  return { name: given, result: checkProfile(content, text, schema, installed) };
}

function checkProfile(
  content: object,
  text: string,
  schema: Joi.ObjectSchema<Profile>,
  installed: readonly string[] | undefined,
): Profile | FileProblem[] {
  const { value, error } = schema.validate(content, { errors: { label: false } });
  if (error) return fieldProblems(error.details, text);
  if (hasPrototypeKey(content)) return [wholeFile('must not have a key __proto__')];
  const missing = installed ? languagesMissing(value.processing, installed) : [];
  if (missing.length === 0) return deepFreeze(value);
  const field = 'processing.languages';
  const message = `"${field}" names ${missing.join(', ')}, but the processor has ${installed?.join(', ')}.`;
  const packages = missing.map(languagePackage).join(' ');
  const remedy = `Install it (${languageInstallation(packages)}), or correct the file`;
  return [{ field, message, remedy }];
}

/** True if the value contains a key `__proto__`, which joi would silently ignore. */
function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey);
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}
