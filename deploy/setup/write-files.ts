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
  /** The whole text of the profile; undefined leaves its file alone. */
  readonly profileText: string | undefined;
  readonly scanner: Pick<ChosenScanner, 'device' | 'escl'>;
  /** By the name of the secret. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Settings for `.env`. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * Writes profile, settings, tokens and, for a scanner on the network, SANE's configuration. A profile that was there keeps a copy
 * beside it. Returns the files written.
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

/** A time that a file name can have. */
function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[:-]|\.\d+/gu, '');
}

/** The text with each variable set, in its place if it has one, even as a comment. */
function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables).reduce((before, [name, value]) => {
    const line = `${name}=${value}`;
    const place = new RegExp(`^#?${name}=.*$`, 'mu');
    if (place.test(before)) return before.replace(place, () => line);
    const end = before === '' || before.endsWith('\n') ? '' : '\n';
    return `${before}${end}${line}\n`;
  }, text);
}

/** SANE's list of scanners on the network, for "device: auto" and "scanimage -L". */
function withScanner(text: string, url: string | undefined): string {
  if (url === undefined || text.includes(url)) return text;
  const line = `"${NETWORK_SCANNER}" = ${url}, eSCL\n`;
  if (/^\[devices\]$/mu.test(text)) return text.replace(/^\[devices\]\n/mu, (head) => head + line);
  return `[devices]\n${line}\n${text}`;
}

/** A device that is opened by its address or on USB. One that is named by its model, or by its place in a list, may be found by a search only. */
const NEEDS_NO_SEARCH = /^(?!airscan:[a-z]\d+:)[a-z0-9_-]+:./iu;

/** The same list, as the shipped one is: where nothing announces scanners, each search of the network takes 5 s. */
function withoutSearch(text: string): string {
  if (text === '' || /^[ \t]*discovery\b/mu.test(text)) return text;
  return `${text}${text.endsWith('\n') ? '' : '\n'}[options]\ndiscovery = disable\n`;
}

/** Docker makes a missing directory as root: the empty one goes to the owner of the checkout. */
async function takeFromDocker(directory: string, root: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  if (process.getuid?.() !== 0 || (await readdir(directory)).length > 0) return;
  const { uid, gid } = await stat(root);
  await chown(directory, uid, gid);
  await letContainersRead(directory);
}

/**
 * Replaces a file whole. A new one, and a token always, can only be read by its owner and the containers; it belongs to the
 * owner of its directory.
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
