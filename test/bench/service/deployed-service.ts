import { readFile } from 'node:fs/promises';
import path from 'node:path';

const DOCKERFILE = path.join(import.meta.dirname, '../../../Dockerfile.service');

/** What the image starts; the benchmark starts the same file from the sources. */
const PROGRAM = 'service/main.ts';

/** Where the image listens, and keeps compiled code: the benchmark has places of its own for these. */
const PLACES = new Set(['HOST', 'PORT', 'NODE_COMPILE_CACHE']);

/** The settings that the service has in its image, so that figures are of what people run. */
export interface DeployedService {
  /** Without the places that are the image's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it starts from code that was compiled before. */
  readonly compiled: boolean;
  /** Options of Node, without the file of the build's own variables, which is in the image only. */
  readonly nodeOptions: readonly string[];
}

/** Reads them from Dockerfile.service, the one place where they are. */
export async function readDeployedService(): Promise<DeployedService> {
  return deployedService(await readFile(DOCKERFILE, 'utf8'));
}

/** Throws where the last stage of a Dockerfile has no ENV, or no CMD that starts the service by node. */
export function deployedService(dockerfile: string): DeployedService {
  const lines = lastStage(dockerfile);
  const variables = lines.flatMap((line) => variablesOf(line));
  if (variables.length === 0) throw new Error('the last stage of the Dockerfile has no ENV');
  return {
    environment: Object.fromEntries(variables.filter(([name]) => !PLACES.has(name))),
    compiled: variables.some(([name]) => name === 'NODE_COMPILE_CACHE'),
    nodeOptions: nodeOptionsOf(lines),
  };
}

/** In one line, as it would be typed. */
export function describeDeployed({ environment, compiled, nodeOptions }: DeployedService): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const cache = compiled ? ['NODE_COMPILE_CACHE=…'] : [];
  return [...variables, ...cache, 'node', ...nodeOptions, PROGRAM].join(' ');
}

function lastStage(dockerfile: string): string[] {
  const lines = dockerfile
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  return lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')) + 1);
}

function variablesOf(line: string): (readonly [name: string, value: string])[] {
  if (!line.startsWith('ENV ')) return [];
  const found = line.matchAll(/(?<name>\w+)=(?:"(?<quoted>[^"]*)"|(?<plain>\S+))/g);
  return [...found].map(({ groups }) => [
    groups?.['name'] ?? '',
    groups?.['quoted'] ?? groups?.['plain'] ?? '',
  ]);
}

function nodeOptionsOf(lines: readonly string[]): string[] {
  const line = lines.findLast((one) => one.startsWith('CMD '));
  const command: unknown = JSON.parse(line?.slice('CMD '.length) ?? 'null');
  if (!Array.isArray(command) || command[0] !== 'node' || command.at(-1) !== PROGRAM) {
    throw new Error(`the last stage of the Dockerfile does not start ${PROGRAM} by node: ${line}`);
  }
  const options = command.slice(1, -1).map(String);
  return options.filter((option) => !option.startsWith('--env-file'));
}
