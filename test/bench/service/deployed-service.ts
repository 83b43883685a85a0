import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Appliance,
  type ApplianceOptions,
  startAppliance,
} from '../../support/appliance/appliance.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

/** Variables that the image sets. A run outside the image chooses its own values. */
const PLACES = new Set(['HOST', 'PORT', 'NODE_COMPILE_CACHE']);

/** The settings of a program in its image, so that figures describe what people run. */
export interface DeployedSettings {
  readonly environment: Readonly<Record<string, string>>;
  readonly compiled: boolean;
  /** Node options, without the file of build variables that exists only in the image. */
  readonly nodeOptions: readonly string[];
}

/** Reads the settings from the last stage of the part's Dockerfile, their only source. */
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
 * An appliance whose service runs as in its image, with code compiled by an earlier start. The
 * caller must close it.
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
    // The compile cache is written when a process ends.
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
