import { existsSync } from 'node:fs';
import path from 'node:path';

/** Only images have this file (Dockerfile.service). */
const STAMP_OF_IMAGE = path.resolve(import.meta.dirname, '../../build.env');

export function makeCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`install -d -o ${uid} -g ${gid} -m 0750`, directory);
}

/** Returns the command that gives a directory and its content to the service. */
export function giveCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`chown -R ${uid}:${gid}`, directory);
}

/**
 * In containers, the command runs in the Compose service `prepare`, which has this directory and
 * may change owners.
 */
function remedy(command: string, directory: string): string {
  const runner = existsSync(STAMP_OF_IMAGE) ? 'docker compose run --rm prepare' : 'sudo';
  return `Run: ${runner} ${command} ${shellWord(directory)}`;
}

function ownIds(): { uid: number | undefined; gid: number | undefined } {
  return { uid: process.getuid?.(), gid: process.getgid?.() };
}

function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
