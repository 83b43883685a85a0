import { existsSync } from 'node:fs';
import path from 'node:path';

/** Exists only in images (Dockerfile.service). */
const STAMP_OF_IMAGE = path.resolve(import.meta.dirname, '../../build.env');

/** The command that makes a directory for the service. */
export function makeCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`install -d -o ${uid} -g ${gid} -m 0750`, directory);
}

/** The command that gives the service a directory with its content, including other scans. */
export function giveCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`chown -R ${uid}:${gid}`, directory);
}

/**
 * In containers, the directory may be a volume or elsewhere on the machine. The container `prepare`
 * of docker-compose.yml mounts it at the same place, and may change owners.
 */
function remedy(command: string, directory: string): string {
  const runner = existsSync(STAMP_OF_IMAGE) ? 'docker compose run --rm prepare' : 'sudo';
  return `Run: ${runner} ${command} ${shellWord(directory)}`;
}

function ownIds(): { uid: number | undefined; gid: number | undefined } {
  return { uid: process.getuid?.(), gid: process.getgid?.() };
}

/** Quotes text as one word for a shell. */
function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
