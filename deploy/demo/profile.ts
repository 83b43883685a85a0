import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { dump, load } from 'js-yaml';
import { DemoError } from './demo-error.ts';
import { DEMO_PROFILE } from './options.ts';

const SHIPPED_PROFILES = join(import.meta.dirname, '..', '..', 'profiles');

export interface ProfileOptions {
  readonly name: string;
  readonly directory: string;
  /** SANE name of the virtual scanner, so that no real scanner is used. */
  readonly device: string;
  readonly duplex: boolean;
}

/** Writes the demo's and the shipped profiles. Throws a DemoError if `name` is unknown. */
export async function writeProfiles(options: ProfileOptions): Promise<void> {
  const { name, directory, device, duplex } = options;
  const profiles = [demoProfile(duplex), ...(await shippedProfiles())];
  const names = profiles.map((profile) => String(profile['name'])).toSorted();
  if (!names.includes(name)) {
    throw new DemoError(`There is no profile "${name}". Choose one of ${names.join(', ')}.`);
  }
  for (const profile of profiles) {
    const file = join(directory, `${String(profile['name'])}.yaml`);
    await writeFile(file, dump({ ...profile, device }));
  }
}

type ProfileFile = Readonly<Record<string, unknown>>;

function demoProfile(duplex: boolean): ProfileFile {
  return {
    name: DEMO_PROFILE,
    label: { en: 'Demo stack', de: 'Demo-Stapel' },
    description: 'The stack of paper in the virtual scanner',
    source: duplex ? 'ADF Duplex' : 'ADF',
    mode: 'Gray',
    resolution: 300,
    page_size: 'a4',
    processing: { languages: ['eng'] },
    title: '{first_line}',
    destinations: [{ kind: 'dms' }],
  };
}

async function shippedProfiles(): Promise<ProfileFile[]> {
  const files = (await readdir(SHIPPED_PROFILES)).filter((file) => parse(file).ext === '.yaml');
  return Promise.all(
    files.map(async (file) => {
      const profile: unknown = load(await readFile(join(SHIPPED_PROFILES, file), 'utf8'));
      return profile as ProfileFile;
    }),
  );
}
