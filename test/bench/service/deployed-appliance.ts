import {
  startAppliance,
  type Appliance,
  type ApplianceOptions,
} from '../../support/appliance/appliance.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { readDeployedService } from './deployed-service.ts';

/** Longer than a full run of the benchmark. */
const LIFETIME_MS = 8 * 60 * 60_000;

/**
 * An appliance whose service runs with the settings of its image, from code that an earlier start has compiled. The caller
 * closes it; nothing is left behind then.
 */
export async function startDeployedAppliance(options: ApplianceOptions): Promise<Appliance> {
  const { environment, compiled, nodeOptions } = await readDeployedService();
  const cache = await temporaryDirectory();
  try {
    const appliance = await startAppliance({
      ...options,
      serviceNodeOptions: nodeOptions,
      serviceEnvironment: {
        ...environment,
        ...(compiled && { NODE_COMPILE_CACHE: cache.path }),
        ...options.serviceEnvironment,
      },
      lifetimeMs: LIFETIME_MS,
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
