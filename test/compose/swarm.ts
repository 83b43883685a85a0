import path from 'node:path';
import { until, type Appliance } from './appliance.ts';
import { CHECKOUT } from './composition.ts';

/** Time limit for replicas to become healthy, which takes as long as starting a container. */
const REPLICAS_MS = 120_000;
/** Time limit for removing a network, which the engine keeps until its last container ends. */
const GONE_MS = 60_000;
/** The name in deploy/swarm/stack.yml. */
const NETWORK = 'scan-service-processing';
/** The engine creates this network for its first swarm and never removes it. */
const BRIDGE = 'docker_gwbridge';
/** Limits the swarm to this machine. */
const ALONE = ['--advertise-addr', '127.0.0.1', '--listen-addr', '127.0.0.1:2377'];

export interface Swarm {
  /** Waits until that many processors are healthy. Returns their containers. */
  scale(replicas: number): Promise<string[]>;
  compose(args: readonly string[]): Promise<string>;
  leave(): Promise<void>;
}

/** Makes this engine a swarm if necessary, and deploys the stack unchanged. */
export async function deployToSwarm(appliance: Appliance): Promise<Swarm> {
  const { docker, facts } = appliance;
  const stack = `${facts.project}-swarm`;
  const service = `${stack}_processor`;
  const state = await docker.run(['info', '--format', '{{.Swarm.LocalNodeState}}']);
  const bridges = await networksNamed(appliance, BRIDGE);
  const made = state.trim() === 'inactive';
  if (made) await docker.run(['swarm', 'init', ...ALONE]);
  const file = path.join(CHECKOUT, 'deploy', 'swarm', 'stack.yml');
  const env = { PROCESSOR_IMAGE: `scan-service/processor:${facts.environment['IMAGE_TAG']}` };
  // The image was just built and is in no registry.
  const options = ['--resolve-image', 'never', '--compose-file', file];
  await docker.run(['stack', 'deploy', ...options, stack], { env });

  const healthy = async (): Promise<string[]> => {
    const filters = [`label=com.docker.swarm.service.name=${service}`, 'health=healthy'];
    const options = filters.flatMap((filter) => ['--filter', filter]);
    const listed = await docker.run(['ps', '--quiet', '--no-trunc', ...options]);
    return listed.split('\n').filter((line) => line !== '');
  };
  return {
    scale: async (replicas) => {
      await docker.run(['service', 'scale', '--detach', `${service}=${replicas}`]);
      await until(REPLICAS_MS, `${replicas} healthy replicas`, async () => {
        return (await healthy()).length === replicas;
      });
      return healthy();
    },
    compose: async (args) => {
      const over = path.join(CHECKOUT, 'deploy', 'swarm', 'compose.yml');
      return appliance.compose(['--file', over, ...args]);
    },
    leave: async () => {
      await docker.run(['stack', 'rm', stack]);
      await until(GONE_MS, 'the network of the stack to be gone', async () => {
        return (await networksNamed(appliance, NETWORK)) === 0;
      });
      if (!made) return;
      await docker.run(['swarm', 'leave', '--force']);
      if (bridges === 0) await docker.run(['network', 'rm', BRIDGE]);
    },
  };
}

async function networksNamed({ docker }: Appliance, name: string): Promise<number> {
  const listed = await docker.run(['network', 'ls', '--quiet', '--filter', `name=^${name}$`]);
  return listed.split('\n').filter((line) => line !== '').length;
}
