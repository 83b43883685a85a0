import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dump, load } from 'js-yaml';
import { DemoError } from './demo-error.ts';
import { DEMO_PROFILE } from './options.ts';

const SHIPPED_PROFILES = join(import.meta.dirname, '..', '..', 'profiles');

export interface ProfileOptions {
  readonly name: string;
  /** The directory that the service reads profiles from. */
  readonly directory: string;
  /** Address of the destination. */
  readonly dmsUrl: string;
  readonly duplex: boolean;
}

/** Writes the profile of this run: the demo's own, or a shipped one with the scanner and destination of this run. */
export async function writeProfile(options: ProfileOptions): Promise<void> {
  const { name, directory, dmsUrl, duplex } = options;
  const base = name === DEMO_PROFILE ? demoProfile(duplex) : await shippedProfile(name);
  const { paths: _paths, ...settings } = base;
  const profile = {
    ...settings,
    name,
    device: 'auto',
    destinations: [{ kind: 'dms', base_url: dmsUrl }],
  };
  await writeFile(join(directory, `${name}.yaml`), dump(profile));
}

function demoProfile(duplex: boolean): Record<string, unknown> {
  return {
    description: 'The stack of paper in the virtual scanner',
    source: duplex ? 'ADF Duplex' : 'ADF',
    mode: 'Gray',
    resolution: 300,
    page_size: 'a4',
    processing: { languages: ['eng'] },
    title: '{profile} {date} {time}',
  };
}

async function shippedProfile(name: string): Promise<Record<string, unknown>> {
  const path = join(SHIPPED_PROFILES, `${name}.yaml`);
  try {
    const profile: unknown = load(await readFile(path, 'utf8'), { maxAliases: 0 });
    if (typeof profile === 'object' && profile !== null) return { ...profile };
  } catch (cause) {
    throw new DemoError(`Cannot read the profile ${path}.`, { cause });
  }
  throw new DemoError(`${path} is not a profile.`);
}
