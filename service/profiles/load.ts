import type Joi from 'joi';
import { load as parseYaml } from 'js-yaml';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasPrototypeKey } from '../../helpers/prototype-key.ts';
import { deepFreeze } from './deep-freeze.ts';
import {
  fieldProblems,
  unreadable,
  wholeFile,
  type FileProblem,
  type ProfileProblem,
} from './problems.ts';
import type { Profile } from './profile.ts';

export interface LoadedProfiles {
  /** By name, sorted. */
  readonly profiles: ReadonlyMap<string, Profile>;
  /** The file of each profile, by its name. */
  readonly files: ReadonlyMap<string, string>;
  readonly problems: readonly ProfileProblem[];
}

/** Larger files are no profiles; the bound keeps a stray file from being read into memory. */
const MAX_FILE_BYTES = 256 * 1024;

const PROFILE_FILE = /^[^.].*\.ya?ml$/i;

/**
 * Loads every `*.yaml` and `*.yml` of the directory. A file that is broken is reported in `problems` and left out; the
 * rest load. Of two files with the same profile name the one whose file name sorts first counts.
 */
export async function loadProfiles(
  directory: string,
  schema: Joi.ObjectSchema<Profile>,
): Promise<LoadedProfiles> {
  const problems: ProfileProblem[] = [];
  const profiles = new Map<string, Profile>();
  const files = new Map<string, string>();
  for (const file of await profileFiles(directory, problems)) {
    const { profile, name, wrong } = await loadProfile(path.join(directory, file), schema);
    const twin = profile && files.get(profile.name);
    if (profile && twin === undefined) {
      profiles.set(profile.name, profile);
      files.set(profile.name, file);
    }
    const all = twin === undefined ? wrong : [isTwin(twin)];
    problems.push(...all.map((problem) => ({ file, ...problem, profile: name })));
  }
  const sorted = [...profiles].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { profiles: new Map(sorted), files, problems };
}

function isTwin(file: string): FileProblem {
  return { field: 'name', message: `"name" is the name of the profile in ${file} already.` };
}

/** Names of the profile files in the directory, sorted. */
async function profileFiles(directory: string, problems: ProfileProblem[]): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => PROFILE_FILE.test(name)).toSorted();
  } catch (error) {
    const { message } = unreadable(error);
    problems.push({ file: directory, field: null, message, profile: undefined });
    return [];
  }
}

interface LoadedFile {
  readonly profile?: Profile;
  /** Name of the profile that it is, or was meant to be. */
  readonly name: string;
  readonly wrong: readonly FileProblem[];
}

async function loadProfile(file: string, schema: Joi.ObjectSchema<Profile>): Promise<LoadedFile> {
  const name = path.parse(file).name;
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return { name, wrong: [wholeFile('is not a regular file')] };
    if (stats.size > MAX_FILE_BYTES) {
      return { name, wrong: [wholeFile(`is larger than ${MAX_FILE_BYTES} bytes`)] };
    }
    const text = await readFile(file, 'utf8');
    // Aliases are refused: a few lines of them can stand for gigabytes.
    return checkProfile({ content: parseYaml(text, { maxAliases: 0 }), text, name }, schema);
  } catch (error) {
    return { name, wrong: [unreadable(error)] };
  }
}

interface ParsedFile {
  readonly content: unknown;
  readonly text: string;
  /** Name of the file without its ending: that of the profile where the file names none. */
  readonly name: string;
}

function checkProfile(file: ParsedFile, schema: Joi.ObjectSchema<Profile>): LoadedFile {
  const { content, text } = file;
  if (content === null || typeof content !== 'object') {
    return { name: file.name, wrong: [wholeFile('must be a YAML mapping with a name')] };
  }
  const name = 'name' in content && typeof content.name === 'string' ? content.name : file.name;
  const { value, error } = schema.validate(content, { errors: { label: false } });
  if (error) return { name, wrong: fieldProblems(error.details, text) };
  if (hasPrototypeKey(content))
    return { name, wrong: [wholeFile('must not have a key __proto__')] };
  return { name, profile: deepFreeze(value), wrong: [] };
}
