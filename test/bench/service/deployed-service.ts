import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Appliance,
  type ApplianceOptions,
  startAppliance,
} from '../../support/appliance/appliance.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

/** What the image starts; the benchmark starts the same file from the sources. */
const PROGRAM = 'service/main.ts';
const PROCESSOR = 'helpers/processor/main.ts';

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
  const lines = await lastStageOf('service');
  const variables = lines.flatMap((line) =>
    line.startsWith('ENV ')
      ? [...line.matchAll(/(?<name>\w+)=(?:"(?<quoted>[^"]*)"|(?<plain>\S+))/g)]
      : [],
  );
  const all: Record<string, string> = Object.fromEntries(
    variables.map(({ groups = {} }) => [groups['name'], groups['quoted'] ?? groups['plain']]),
  );
  if (Object.keys(all).length === 0) throw new Error('the last stage of the Dockerfile has no ENV');
  return {
    environment: Object.fromEntries(Object.entries(all).filter(([name]) => !PLACES.has(name))),
    compiled: 'NODE_COMPILE_CACHE' in all,
    nodeOptions: nodeOptionsOf(lines, PROGRAM),
  };
}

/** In one line, as it would be typed. */
export function describeDeployed({ environment, compiled, nodeOptions }: DeployedService): string {
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const cache = compiled ? ['NODE_COMPILE_CACHE=…'] : [];
  return [...variables, ...cache, 'node', ...nodeOptions, PROGRAM].join(' ');
}

/** The instructions of the last stage of a part's Dockerfile, each in one line. */
async function lastStageOf(part: string): Promise<string[]> {
  const dockerfile = await readFile(path.join(ROOT, `Dockerfile.${part}`), 'utf8');
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  return lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')) + 1);
}

function nodeOptionsOf(lines: readonly string[], program: string): string[] {
  const line = lines.findLast((one) => one.startsWith('CMD '));
  const command: unknown = JSON.parse(line?.slice('CMD '.length) ?? 'null');
  if (!Array.isArray(command) || command[0] !== 'node' || command.at(-1) !== program) {
    throw new Error(`the last stage of the Dockerfile does not start ${program} by node: ${line}`);
  }
  const options = command.slice(1, -1).map(String);
  return options.filter((option) => !option.startsWith('--env-file'));
}

/**
 * An appliance whose service runs with the settings of its image, from code that an earlier start has compiled. The caller
 * closes it; nothing is left behind then.
 */
export async function startDeployedAppliance(options: ApplianceOptions): Promise<Appliance> {
  const { environment, compiled, nodeOptions } = await readDeployedService();
  const processor = await lastStageOf('processor');
  const cache = await temporaryDirectory();
  try {
    const appliance = await startAppliance({
      ...options,
      serviceNodeOptions: nodeOptions,
      processorNodeOptions: nodeOptionsOf(processor, PROCESSOR),
      serviceEnvironment: {
        ...environment,
        ...(compiled && { NODE_COMPILE_CACHE: cache.path }),
        ...options.serviceEnvironment,
      },
    });
    // What was compiled is written down at the end of a process.
    await appliance.service.stop();
    await appliance.service.start();
    const close = async (): Promise<void> => {
      await appliance.close();
      await cache.remove();
    };
    return { ...appliance, close };
  } catch (error) {
    await cache.remove();
    throw error;
  }
}
