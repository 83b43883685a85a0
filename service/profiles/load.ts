import type Joi from 'joi';
import { load as parseYaml } from 'js-yaml';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { hasPrototypeKey } from '../../helpers/prototype-key.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { Profile } from './profile.ts';

/** A profile file that was left out: which, and what is wrong with it in words for the person who wrote it. */
export interface ProfileProblem {
  readonly file: string;
  readonly problem: string;
}

export interface LoadedProfiles {
  /** By name, sorted. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly problems: readonly ProfileProblem[];
}

/** Larger files are no profiles; the bound keeps a stray file from being read into memory. */
const MAX_FILE_BYTES = 256 * 1024;

/** Wrong fields of one file that are told; it can have 20,000. */
const MAX_FIELDS_TOLD = 20;

/** Longest text that says what is wrong with one file, in characters: a key that it names may fill the file. */
const MAX_PROBLEM_CHARACTERS = 1500;

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
  for (const file of await profileFiles(directory, problems)) {
    const loaded = await loadProfile(path.join(directory, file), schema);
    const twin = typeof loaded === 'string' ? undefined : profiles.get(loaded.name);
    if (typeof loaded === 'string') problems.push({ file, problem: loaded });
    else if (twin)
      problems.push({ file, problem: `another file has a profile named "${twin.name}" already` });
    else profiles.set(loaded.name, loaded);
  }
  const sorted = [...profiles].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { profiles: new Map(sorted), problems };
}

/** Names of the profile files in the directory, sorted. */
async function profileFiles(directory: string, problems: ProfileProblem[]): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).toSorted();
  } catch (error) {
    problems.push({ file: directory, problem: `cannot be read: ${messageOf(error)}` });
    return [];
  }
}

async function loadProfile(
  file: string,
  schema: Joi.ObjectSchema<Profile>,
): Promise<Profile | string> {
  try {
    const { size, isFile } = await describeFile(file);
    if (!isFile) return 'is not a regular file';
    if (size > MAX_FILE_BYTES) return `is larger than ${MAX_FILE_BYTES} bytes`;
    const text = await readFile(file, 'utf8');
    // Aliases are refused: a few lines of them can stand for gigabytes.
    return checkProfile(parseYaml(text, { maxAliases: 0 }), schema);
  } catch (error) {
    return `cannot be read as YAML: ${messageOf(error)}`;
  }
}

async function describeFile(file: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await stat(file);
  return { size: stats.size, isFile: stats.isFile() };
}

function checkProfile(content: unknown, schema: Joi.ObjectSchema<Profile>): Profile | string {
  if (content === null || typeof content !== 'object') return 'must be a YAML mapping with a name';
  const result = schema.validate(content);
  if (result.error) return describe(result.error.details);
  if (hasPrototypeKey(content)) return '"__proto__" is not allowed';
  return deepFreeze(result.value);
}

function describe(details: readonly Joi.ValidationErrorItem[]): string {
  const told = details.slice(0, MAX_FIELDS_TOLD).map(describeDetail).join('; ');
  const untold = details.length - MAX_FIELDS_TOLD;
  return shortened(told) + (untold > 0 ? `; and ${untold} more` : '');
}

function shortened(text: string): string {
  if (text.length <= MAX_PROBLEM_CHARACTERS) return text;
  return `${text.slice(0, MAX_PROBLEM_CHARACTERS)}…`;
}

/** Joi's sentence says the field and what was expected; what was found is added where it is short. */
function describeDetail(detail: Joi.ValidationErrorItem): string {
  const found: unknown = detail.context?.value;
  const isShort = ['string', 'number', 'boolean'].includes(typeof found);
  return isShort
    ? `${detail.message}, found ${JSON.stringify(found).slice(0, 100)}`
    : detail.message;
}

function messageOf(error: unknown): string {
  return shortened(error instanceof Error ? error.message : String(error));
}
