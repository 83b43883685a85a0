import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Appliance,
  type ApplianceOptions,
  startAppliance,
} from '../../support/appliance/appliance.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

/** Where an image listens, and keeps compiled code: who runs its program elsewhere has places of its own for these. */
const PLACES = new Set(['HOST', 'PORT', 'NODE_COMPILE_CACHE']);

/** The settings that a program has in its image, so that figures are of what people run. */
export interface DeployedSettings {
  /** Without the places that are the image's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether it starts from code that was compiled before. */
  readonly compiled: boolean;
  /** Options of Node, without the file of the build's own variables, which is in the image only. */
  readonly nodeOptions: readonly string[];
}

/** Reads them from the last stage of the Dockerfile of that part, the one place where they are. */
export async function deployedSettings(part: string, program: string): Promise<DeployedSettings> {
  const dockerfile = await readFile(path.join(ROOT, `Dockerfile.${part}`), 'utf8');
  const instructions = dockerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n');
  const lines = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  const variables = lines
    .filter((line) => line.startsWith('ENV '))
    .flatMap((line) => [...line.matchAll(/(?<name>\w+)=(?:"(?<quoted>[^"]*)"|(?<plain>\S+))/g)])
    .map(({ groups = {} }) => [groups['name'] ?? '', groups['quoted'] ?? groups['plain'] ?? '']);
  const command = lines.findLast((line) => line.startsWith('CMD '))?.slice('CMD '.length);
  const [node, ...options]: string[] = JSON.parse(command ?? '[]');
  if (node !== 'node' || options.pop() !== program) {
    throw new Error(`the image does not start ${program} by node: ${command}`);
  }
  return {
    environment: Object.fromEntries(variables.filter(([name = '']) => !PLACES.has(name))),
    compiled: variables.some(([name]) => name === 'NODE_COMPILE_CACHE'),
    nodeOptions: options.filter((option) => !option.startsWith('--env-file')),
  };
}

/**
 * An appliance whose service runs with the settings of its image, from code that an earlier start has compiled, so that figures
 * are of what people run. The caller closes it; nothing is left behind then.
 */
export async function startDeployedAppliance(options: ApplianceOptions): Promise<Appliance> {
  const service = await deployedSettings('service', 'service/main.ts');
  const processor = await deployedSettings('processor', 'helpers/processor/main.ts');
  const cache = await temporaryDirectory();
  try {
    const appliance = await startAppliance({
      ...options,
      serviceNodeOptions: service.nodeOptions,
      processorNodeOptions: processor.nodeOptions,
      serviceEnvironment: {
        ...service.environment,
        ...(service.compiled && { NODE_COMPILE_CACHE: cache.path }),
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
