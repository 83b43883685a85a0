import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { unpackFromTrixie } from '../../debian/packages.ts';
import { program, ProgramError, tryProgram, whereIs } from '../../debian/programs.ts';

const PLUGIN = 'usr/libexec/docker/cli-plugins/docker-compose';

interface PluginOptions {
  readonly docker: string;
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * The machine's own Compose 2 or newer, or else Debian 13's: a single program that needs no
 * installation and also runs on Debian 12, which itself has version 1.
 */
export async function findCompose(options: PluginOptions): Promise<[string, ...string[]]> {
  const { docker, directory, signal, say } = options;
  const own = await tryProgram([docker, 'compose', 'version', '--short']);
  if (own.exitCode === 0) return [docker, 'compose'];
  const unpacked = path.join(directory, PLUGIN);
  if (existsSync(unpacked)) return [unpacked];
  if ((await whereIs('apt-get')) === undefined) {
    throw new ProgramError('Compose is missing: install the plugin docker-compose of Docker.');
  }
  say('Getting Docker Compose from Debian 13 …');
  await mkdir(directory, { recursive: true });
  await unpackFromTrixie('docker-compose', directory, signal);
  await program([unpacked, 'version']);
  return [unpacked];
}
