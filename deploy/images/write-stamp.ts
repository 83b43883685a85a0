import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes the commit and time of a build, for GET /version, to a file for `node --env-file`:
 *
 *   node write-stamp.ts <directory with HEAD, packed-refs and refs/heads of the checkout> <file>
 *
 * BUILD_COMMIT in the environment takes precedence. If the commit is not known, it is left out and the service reports "unknown".
 */
const [git, target] = process.argv.slice(2);
if (git === undefined || target === undefined) {
  throw new Error('usage: write-stamp.ts <git directory> <file>');
}
const given = process.env['BUILD_COMMIT'] ?? '';
const commit = given === '' ? commitOf(git) : given;
// Without fractions of a second, which are of no interest to people.
const time = new Date().toISOString().replace(/\.\d+/u, '');
const lines = [...(commit === undefined ? [] : [`BUILD_COMMIT=${commit}`]), `BUILD_TIME=${time}`];
writeFileSync(target, `${lines.join('\n')}\n`);

/** The commit of HEAD, found as git does (gitrepository-layout(5)). Undefined if there is none. */
function commitOf(directory: string): string | undefined {
  const head = readText(path.join(directory, 'HEAD')).trim();
  const ref = /^ref: (refs\/heads\/.+)$/u.exec(head)?.[1];
  if (ref === undefined) return hash(head);
  return hash(readText(path.join(directory, ref)).trim()) ?? packed(directory, ref);
}

function packed(directory: string, ref: string): string | undefined {
  const lines = readText(path.join(directory, 'packed-refs')).split('\n');
  const line = lines.find((one) => one.endsWith(` ${ref}`)) ?? '';
  return hash(line.split(' ')[0] ?? '');
}

function hash(text: string): string | undefined {
  return /^[0-9a-f]{40,64}$/u.test(text) ? text : undefined;
}

/** Empty if there is no such file. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
