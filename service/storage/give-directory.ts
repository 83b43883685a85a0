import { existsSync } from 'node:fs';
import path from 'node:path';

/** Only images have it (Dockerfile.service). */
const STAMP_OF_IMAGE = path.resolve(import.meta.dirname, '../../build.env');

/** The command with which a person makes a directory for the service. */
export function makeCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`install -d -o ${uid} -g ${gid} -m 0750`, directory);
}

/** The command with which a person gives the service a directory, with all that is in it: other scans could not be read otherwise. */
export function giveCommand(directory: string): string {
  const { uid, gid } = ownIds();
  return remedy(`chown -R ${uid}:${gid}`, directory);
}

/**
 * In containers, the directory may be a volume, or lie elsewhere on the machine: the container `prepare` of docker-compose.yml has it
 * at the same place as the service, and the right to change owners.
 */
function remedy(command: string, directory: string): string {
  const runner = existsSync(STAMP_OF_IMAGE) ? 'docker compose run --rm prepare' : 'sudo';
  return `Run: ${runner} ${command} ${shellWord(directory)}`;
}

function ownIds(): { uid: number | undefined; gid: number | undefined } {
  return { uid: process.getuid?.(), gid: process.getgid?.() };
}

/** As a shell takes it for one word. */
function shellWord(text: string): string {
  return /^[\w@%+:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
