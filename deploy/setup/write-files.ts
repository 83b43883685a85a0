import { chmod, chown, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ChosenScanner } from '../../service/set-up/look-at-scanner.ts';
import { NETWORK_SCANNER } from '../../service/set-up/network-scanner.ts';
import { writeAtomically } from '../../service/storage/write-atomically.ts';
import { letContainersRead } from './container-access.ts';
import { profileFile, readOrEmpty } from './earlier.ts';
import type { Places } from './places.ts';

export interface Choices {
  readonly profile: string;
  /** Undefined keeps the file. */
  readonly profileText: string | undefined;
  readonly scanner: Pick<ChosenScanner, 'device' | 'escl'>;
  readonly secrets: Readonly<Record<string, string>>;
  /** Settings for `.env`. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Writes profile, settings, tokens and, for a network scanner, SANE's configuration. Copies an
 * existing profile first. Returns the written files.
 */
export async function writeFiles(places: Places, choices: Choices): Promise<string[]> {
  const { profile, scanner, secrets, variables } = choices;
  const files = new Map<string, string>();
  if (choices.profileText !== undefined) {
    const file = profileFile(places, profile);
    const before = await readOrEmpty(file);
    if (before !== '') files.set(`${file}.${stampOf(new Date())}.bak`, before);
    files.set(file, choices.profileText);
  }
  for (const [name, value] of Object.entries(secrets)) {
    files.set(path.join(places.secrets, name), `${value}\n`);
  }
  const settings = await readOrEmpty(places.settings);
  files.set(places.settings, withVariables(settings, variables));
  const airscan = path.join(places.sane, 'airscan.conf');
  const listed = await readOrEmpty(airscan);
  const named = withScanner(listed, scanner.escl);
  const wanted = NEEDS_NO_SEARCH.test(scanner.device) ? withoutSearch(named) : named;
  if (wanted !== listed) files.set(airscan, wanted);
  for (const [file, text] of files) {
    await takeFromDocker(path.dirname(file), places.root);
    await write(file, text, path.dirname(file) === places.secrets);
  }
  return [...files.keys()];
}

function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[:-]|\.\d+/gu, '');
}

/** Sets each variable at its existing place, even in a comment, or else at the end. */
function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables).reduce((before, [name, value]) => {
    const line = `${name}=${value}`;
    const place = new RegExp(`^#?${name}=.*$`, 'mu');
    if (place.test(before)) return before.replace(place, () => line);
    const end = before === '' || before.endsWith('\n') ? '' : '\n';
    return `${before}${end}${line}\n`;
  }, text);
}

/** Adds a network scanner for "device: auto" and "scanimage -L". */
function withScanner(text: string, url: string | undefined): string {
  if (url === undefined || text.includes(url)) return text;
  const line = `"${NETWORK_SCANNER}" = ${url}, eSCL\n`;
  if (/^\[devices\]$/mu.test(text)) return text.replace(/^\[devices\]\n/mu, (head) => head + line);
  return `[devices]\n${line}\n${text}`;
}

/** Devices opened by address or on USB. Others may need the network search. */
const NEEDS_NO_SEARCH = /^(?!airscan:[a-z]\d+:)[a-z0-9_-]+:./iu;

/** Turns off the network search, which takes 5 s if nothing announces scanners. */
function withoutSearch(text: string): string {
  if (text === '' || /^[ \t]*discovery\b/mu.test(text)) return text;
  return `${text}${text.endsWith('\n') ? '' : '\n'}[options]\ndiscovery = disable\n`;
}

/** Docker creates a missing directory as root. An empty one goes to the owner of the checkout. */
async function takeFromDocker(directory: string, root: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  if (process.getuid?.() !== 0 || (await readdir(directory)).length > 0) return;
  const { uid, gid } = await stat(root);
  await chown(directory, uid, gid);
  await letContainersRead(directory);
}

/**
 * Replaces a file atomically. New files, and tokens always, belong to the owner of the directory,
 * and only the owner and the containers can read them.
 */
async function write(file: string, text: string, isSecret: boolean): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const known = isSecret ? undefined : await stat(target).catch(() => undefined);
  await writeAtomically(target, text, 0o600);
  if (known) await chmod(target, known.mode & 0o777);
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(path.dirname(file));
  await chown(target, uid, gid);
  await letContainersRead(target);
}
